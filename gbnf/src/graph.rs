//! Small algorithms on graphs whose nodes are numbers, without recursion.

/// The strongly connected component of each node.
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut component = vec![UNSEEN; edges.len()];
    let mut order = vec![UNSEEN; edges.len()];
    let mut low = vec![0; edges.len()];
    let (mut seen, mut closed) = (0, 0);
    let mut pending = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..edges.len() {
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
            if let Some(&to) = edges[node].get(*next) {
                *next += 1;
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

/// Which nodes can come back to themselves.
pub(crate) fn on_cycles(edges: &[Vec<usize>], component: &[usize]) -> Vec<bool> {
    let mut sizes = vec![0_usize; edges.len()];
    for &component in component {
        sizes[component] += 1;
    }
    (0..edges.len()).map(|node| sizes[component[node]] > 1 || edges[node].contains(&node)).collect()
}

/// Which nodes `start` leads to, itself included.
pub(crate) fn reachable(edges: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut ahead = vec![start];
    while let Some(node) = ahead.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            ahead.extend(&edges[node]);
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_and_reach() {
        let edges = vec![vec![1], vec![2, 3], vec![0], vec![4], vec![4], vec![3]];
        let component = components(&edges);
        assert_eq!(component[0], component[1]);
        assert_eq!(component[0], component[2]);
        assert_ne!(component[3], component[4]);
        let cyclic = on_cycles(&edges, &component);
        assert_eq!(cyclic, [true, true, true, false, true, false]);
        assert_eq!(reachable(&edges, 3), [false, false, false, true, true, false]);
    }

    #[test]
    fn a_long_chain() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|node| vec![(node + 1) % 200_000]).collect();
        let component = components(&edges);
        assert!(component.iter().all(|&other| other == component[0]));
    }
}
