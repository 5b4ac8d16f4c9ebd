//! The last of what was put down, shared between clones.

use std::sync::Arc;

/// A stack that forgets what lies deep in it. Clones share what they have in common; putting
/// something on top takes O(1).
///
/// It is two lists: when the younger one is full it becomes the older one, which is forgotten. So at
/// least as much as fills one is there, and never more than fills two.
#[derive(Debug)]
pub(super) struct Recent<T> {
    young: Option<Arc<Node<T>>>,
    old: Option<Arc<Node<T>>>,
}

#[derive(Debug)]
struct Node<T> {
    value: T,
    /// Of this and all below.
    weight: usize,
    below: Option<Arc<Node<T>>>,
}

impl<T> Drop for Node<T> {
    /// Without recursion: a list may be long.
    fn drop(&mut self) {
        let mut next = self.below.take();
        while let Some(node) = next {
            next = Arc::into_inner(node).and_then(|mut node| node.below.take());
        }
    }
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self { young: None, old: None }
    }
}

impl<T> Clone for Recent<T> {
    fn clone(&self) -> Self {
        Self { young: self.young.clone(), old: self.old.clone() }
    }
}

impl<T> Recent<T> {
    /// Puts a value on top. What fills a list is `most`.
    pub(super) fn push(&mut self, value: T, weight: usize, most: usize) {
        if self.young.as_ref().is_some_and(|top| top.weight >= most) {
            self.old = self.young.take();
        }
        let below = self.young.take();
        let weight = weight + below.as_ref().map_or(0, |below| below.weight);
        self.young = Some(Arc::new(Node { value, weight, below }));
    }

    /// Keeps only what is on top down to the last that `needs` to be kept; lists go as a whole.
    pub(super) fn keep(&mut self, mut needs: impl FnMut(&T) -> bool) {
        if !self.old.as_ref().is_some_and(|top| needs(&top.value)) {
            self.old = None;
        }
        if self.old.is_none() && !self.young.as_ref().is_some_and(|top| needs(&top.value)) {
            self.young = None;
        }
    }

    /// From the top down.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let lists = [self.young.as_deref(), self.old.as_deref()];
        let nodes = |top| std::iter::successors(top, |node: &&Node<T>| node.below.as_deref());
        lists.into_iter().flat_map(nodes).map(|node| &node.value)
    }

    /// The weight of all.
    #[cfg(test)]
    pub(super) fn weight(&self) -> usize {
        [&self.young, &self.old].into_iter().flatten().map(|top| top.weight).sum()
    }
}

impl<T: Clone> Recent<T> {
    /// Takes the value on top.
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.young.is_none() {
            self.young = self.old.take();
        }
        let top = self.young.take()?;
        self.young.clone_from(&top.below);
        Some(top.value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_what_fills_one_list_is_there() {
        let mut recent = Recent::default();
        for number in 0..1_000_usize {
            recent.push(number, 1, 10);
            let there: Vec<usize> = recent.iter().copied().collect();
            assert!(there.len() >= 10.min(number + 1) && there.len() <= 20);
            assert!(there.iter().rev().copied().eq(number + 1 - there.len()..=number));
            assert_eq!(recent.weight(), there.len());
        }
        let other = recent.clone();
        let there: Vec<usize> = recent.iter().copied().collect();
        assert!(there.into_iter().eq(std::iter::from_fn(|| recent.pop())));
        assert_eq!(other.iter().next(), Some(&999));
    }

    #[test]
    fn what_is_not_needed_goes() {
        let mut recent = Recent::default();
        (0..15).for_each(|number| recent.push(number, 1, 10));
        recent.keep(|&number| number > 12);
        assert_eq!(recent.iter().last(), Some(&10));
        recent.keep(|&number| number > 14);
        assert_eq!(recent.iter().count(), 0);
    }

    #[test]
    fn a_long_list_is_dropped_without_recursion() {
        let mut recent = Recent::default();
        (0..1_000_000).for_each(|number| recent.push(number, 0, 1));
        assert_eq!(recent.iter().next(), Some(&999_999));
    }
}
