//! Strongly connected components, without recursion.

/// The components of the graph `0..n` in reverse topological order (what a component leads to
/// comes before it). Tarjan, "Depth-First Search and Linear Graph Algorithms", 1972.
pub(crate) fn components(n: usize, successors: impl Fn(usize) -> Vec<u32>) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let mut order = vec![NEW; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let mut stack: Vec<u32> = Vec::new();
    let mut components = Vec::new();
    let mut next_order = 0;
    for root in 0..n {
        if order[root] != NEW {
            continue;
        }
        let mut path: Vec<(usize, std::vec::IntoIter<u32>)> = Vec::new();
        let mut enter = Some(root);
        loop {
            if let Some(node) = enter.take() {
                order[node] = next_order;
                low[node] = next_order;
                next_order += 1;
                stack.push(node as u32);
                on_stack[node] = true;
                path.push((node, successors(node).into_iter()));
            }
            let Some((node, rest)) = path.last_mut() else { break };
            let node = *node;
            if let Some(to) = rest.next() {
                let to = to as usize;
                if order[to] == NEW {
                    enter = Some(to);
                } else if on_stack[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some((parent, _)) = path.last() {
                low[*parent] = low[*parent].min(low[node]);
            }
            if low[node] == order[node] {
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component.push(member);
                    if member as usize == node {
                        break;
                    }
                }
                components.push(component);
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_one_component_and_comes_after_what_it_leads_to() {
        let edges = [vec![1], vec![2, 3], vec![0], vec![3]];
        let found = components(4, |node| edges[node].clone());
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], [3]);
        let mut cycle = found[1].clone();
        cycle.sort_unstable();
        assert_eq!(cycle, [0, 1, 2]);
    }
}
