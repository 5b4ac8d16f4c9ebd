//! Small algorithms on graphs whose nodes are numbers, without recursion.

/// A graph: for each node where it leads. All edges stand in one list, as there may be millions of
/// nodes with one or two edges each.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    to: Vec<u32>,
    /// Where in the list the edges of each node end, and those of the next one begin.
    ends: Vec<usize>,
}

impl Graph {
    /// The graph of nodes each of which adds its edges to the list.
    pub(crate) fn new<T>(
        nodes: impl IntoIterator<Item = T>,
        mut edges: impl FnMut(T, &mut Vec<u32>),
    ) -> Self {
        let nodes = nodes.into_iter();
        let (least, _) = nodes.size_hint();
        let mut graph = Self { to: Vec::with_capacity(least), ends: Vec::with_capacity(least) };
        for node in nodes {
            edges(node, &mut graph.to);
            graph.ends.push(graph.to.len());
        }
        graph
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Where a node leads.
    pub(crate) fn of(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.to[start..self.ends[node]]
    }

    /// The same edges the other way round.
    pub(crate) fn reversed(&self) -> Self {
        let mut ends = vec![0; self.len()];
        for &to in &self.to {
            ends[to as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            // Where the edges begin; each one that is put in moves it on, up to where they end.
            sum += std::mem::replace(end, sum);
        }
        let mut to = vec![0; sum];
        for node in 0..self.len() {
            for &other in self.of(node) {
                let end = &mut ends[other as usize];
                to[*end] = node as u32;
                *end += 1;
            }
        }
        Self { to, ends }
    }

    /// How many edges lead to the nearest of some nodes from the one that is the farthest from them; nothing
    /// if none of them is reached from some node.
    pub(crate) fn farthest(&self, mut is_met: Vec<bool>) -> Option<u32> {
        let before = self.reversed();
        let mut last: Vec<u32> =
            (0..).zip(&is_met).filter_map(|(n, met)| met.then_some(n)).collect();
        let mut edges = 0;
        loop {
            let nodes = last.iter().flat_map(|&node| before.of(node as usize)).copied();
            let is_new = |&node: &u32| !std::mem::replace(&mut is_met[node as usize], true);
            last = nodes.filter(is_new).collect();
            if last.is_empty() {
                return is_met.iter().all(|&met| met).then_some(edges);
            }
            edges += 1;
        }
    }

    /// The strongly connected component of each node. What a component leads to has a lower
    /// number.
    pub(crate) fn components(&self) -> Vec<u32> {
        const UNSEEN: u32 = u32::MAX;
        let mut component = vec![UNSEEN; self.len()];
        let mut order = vec![UNSEEN; self.len()];
        let mut low = vec![0; self.len()];
        let (mut seen, mut closed) = (0, 0);
        let mut pending = Vec::new();
        // Nodes, each with the number of its edges that have been followed.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.len() {
            if order[start] != UNSEEN {
                continue;
            }
            path.push((start, 0));
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                if *next == 0 {
                    (order[node], low[node]) = (seen, seen);
                    seen += 1;
                    pending.push(node);
                }
                if let Some(&to) = self.of(node).get(*next) {
                    *next += 1;
                    let to = to as usize;
                    if order[to] == UNSEEN {
                        path.push((to, 0));
                    } else if component[to] == UNSEEN {
                        low[node] = low[node].min(order[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
                if low[node] == order[node] {
                    while let Some(member) = pending.pop() {
                        component[member] = closed;
                        if member == node {
                            break;
                        }
                    }
                    closed += 1;
                }
            }
        }
        component
    }

    /// Which nodes can come back to themselves, given the components.
    pub(crate) fn on_cycles(&self, component: &[u32]) -> Vec<bool> {
        let mut sizes = vec![0_usize; self.len()];
        for &component in component {
            sizes[component as usize] += 1;
        }
        (0..self.len())
            .map(|node| {
                sizes[component[node] as usize] > 1 || self.of(node).contains(&(node as u32))
            })
            .collect()
    }

    /// Which nodes the starts lead to, themselves included.
    pub(crate) fn reachable(&self, starts: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        let mut ahead: Vec<_> = starts.into_iter().map(|start| start as u32).collect();
        while let Some(node) = ahead.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                ahead.extend(self.of(node as usize));
            }
        }
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_reach() {
        let edges: [&[u32]; 6] = [&[1], &[2, 3], &[0], &[4], &[4], &[3]];
        let graph = Graph::new(edges, |edges, to| to.extend(edges));
        let component = graph.components();
        assert_eq!(component[0], component[1]);
        assert_eq!(component[0], component[2]);
        assert_ne!(component[3], component[4]);
        assert!(component[3] < component[1] && component[4] < component[3]);
        assert_eq!(graph.on_cycles(&component), [true, true, true, false, true, false]);
        assert_eq!(graph.reachable([3]), [false, false, false, true, true, false]);
        assert_eq!(graph.reachable([3, 5]), [false, false, false, true, true, true]);
    }

    #[test]
    fn the_farthest_is_as_far_as_its_shortest_way() {
        let edges: [&[u32]; 5] = [&[1, 3], &[2], &[3], &[3], &[0]];
        let graph = Graph::new(edges, |edges, to| to.extend(edges));
        let to =
            |nodes: &[usize]| graph.farthest((0..5).map(|node| nodes.contains(&node)).collect());
        assert_eq!(to(&[3]), Some(2));
        assert_eq!(to(&[3, 0]), Some(2));
        assert_eq!(to(&[0, 1, 2, 3, 4]), Some(0));
        assert_eq!([to(&[2]), to(&[])], [None, None]);
    }

    #[test]
    fn the_other_way_round() {
        let edges: [&[u32]; 4] = [&[1, 2], &[2, 2], &[], &[0]];
        let reversed = Graph::new(edges, |edges, to| to.extend(edges)).reversed();
        let back: Vec<_> = (0..4).map(|node| reversed.of(node)).collect();
        assert_eq!(back, [&[3][..], &[0], &[0, 1, 1], &[]]);
    }

    #[test]
    fn a_long_chain() {
        let graph = Graph::new(0..200_000, |node, to| to.push((node + 1) % 200_000));
        let component = graph.components();
        assert!(component.iter().all(|&other| other == component[0]));
    }
}
