//! Items of which there are few: which of their texts other items must leave to them.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// The items that a list must have and of which there are fewer texts than the list must have
/// items. All others can be chosen last: whatever the rest is, one of their texts is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scarce {
    /// What counts of their texts.
    languages: Vec<Box<[Box<[u8]>]>>,
    /// Which items, by their place in the list, and the language of each.
    items: Vec<(u32, u32)>,
}

impl Scarce {
    /// The items at these places, in order, each with the number of its language.
    pub(crate) fn new(languages: Vec<Box<[Box<[u8]>]>>, items: Vec<(u32, u32)>) -> Self {
        Self { languages, items }
    }

    /// Whether each item can have a text of its own.
    pub(crate) fn is_possible(&self) -> bool {
        Matching::new(self, 0, |_| false).is_complete()
    }

    /// The texts that the item with `count` items before it must not have, because those behind
    /// it need them; `taken` says which texts the items before it have.
    pub(crate) fn needed(&self, count: u32, taken: impl FnMut(&[u8]) -> bool) -> Vec<&[u8]> {
        let behind = self.items.partition_point(|&(at, _)| at <= count);
        if behind == self.items.len() {
            return Vec::new();
        }
        Matching::new(self, behind, taken).needed()
    }
}

/// Different texts for items: a matching, found by augmenting paths.
struct Matching<'a> {
    texts: Vec<&'a [u8]>,
    /// The texts that each item may have.
    choices: Vec<Vec<usize>>,
    text_of: Vec<Option<usize>>,
    item_of: Vec<Option<usize>>,
}

impl<'a> Matching<'a> {
    fn new(scarce: &'a Scarce, behind: usize, mut taken: impl FnMut(&[u8]) -> bool) -> Self {
        let mut numbers: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut texts: Vec<&[u8]> = Vec::new();
        let languages: Vec<Vec<usize>> = scarce
            .languages
            .iter()
            .map(|language| {
                let free = language.iter().map(|text| &**text).filter(|text| !taken(text));
                free.map(|text| {
                    *numbers.entry(text).or_insert_with(|| {
                        texts.push(text);
                        texts.len() - 1
                    })
                })
                .collect()
            })
            .collect();
        let choices: Vec<_> = scarce.items[behind..]
            .iter()
            .map(|&(_, language)| languages[language as usize].clone())
            .collect();
        let mut matching = Self {
            text_of: vec![None; choices.len()],
            item_of: vec![None; texts.len()],
            texts,
            choices,
        };
        for item in 0..matching.choices.len() {
            matching.augment(item, None);
        }
        matching
    }

    fn is_complete(&self) -> bool {
        self.text_of.iter().all(Option::is_some)
    }

    /// Finds a text for an item, other than `without`, by giving other texts to those that have
    /// one.
    fn augment(&mut self, item: usize, without: Option<usize>) -> bool {
        // For each text that has been reached, the item that wants it.
        let mut wanted_by: FxHashMap<usize, usize> = FxHashMap::default();
        let mut ahead = VecDeque::from([item]);
        while let Some(item) = ahead.pop_front() {
            for &text in &self.choices[item] {
                if Some(text) == without || wanted_by.contains_key(&text) {
                    continue;
                }
                wanted_by.insert(text, item);
                let Some(other) = self.item_of[text] else {
                    self.hand_over(text, &wanted_by);
                    return true;
                };
                ahead.push_back(other);
            }
        }
        false
    }

    /// Gives a free text to the item that wants it, that item's text to the one that wants that,
    /// and so on.
    fn hand_over(&mut self, free: usize, wanted_by: &FxHashMap<usize, usize>) {
        let mut text = free;
        loop {
            let item = wanted_by[&text];
            self.item_of[text] = Some(item);
            match self.text_of[item].replace(text) {
                Some(before) => text = before,
                None => return,
            }
        }
    }

    /// The texts without which some item has none.
    fn needed(mut self) -> Vec<&'a [u8]> {
        let mut needed = Vec::new();
        // What one way to hand out texts does not use is not needed.
        let used: Vec<usize> = self.text_of.iter().flatten().copied().collect();
        for text in used {
            let Some(item) = self.item_of[text].take() else { continue };
            self.text_of[item] = None;
            if !self.augment(item, Some(text)) {
                self.text_of[item] = Some(text);
                self.item_of[text] = Some(item);
                needed.push(self.texts[text]);
            }
        }
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scarce(languages: &[&[&str]]) -> Scarce {
        let texts = |texts: &&[&str]| texts.iter().map(|text| text.as_bytes().into()).collect();
        let items = (0..languages.len() as u32).map(|at| (at, at)).collect();
        Scarce::new(languages.iter().map(texts).collect(), items)
    }

    fn needed(scarce: &Scarce, count: u32, taken: &[&str]) -> Vec<String> {
        let taken = |text: &[u8]| taken.iter().any(|taken| taken.as_bytes() == text);
        let mut texts: Vec<_> = scarce
            .needed(count, taken)
            .into_iter()
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .collect();
        texts.sort();
        texts
    }

    #[test]
    fn what_is_needed_behind_is_left() {
        let items = scarce(&[&["a", "b", "c", "d"], &["a", "b"], &["b", "c"], &["a", "b"]]);
        assert!(items.is_possible());
        assert_eq!(needed(&items, 0, &[]), ["a", "b", "c"]);
        assert_eq!(needed(&items, 1, &["d"]), [""; 0]);
        assert_eq!(needed(&items, 2, &["d", "a"]), ["b"]);
        assert_eq!(needed(&items, 3, &["d", "a", "c"]), [""; 0]);
        assert!(!scarce(&[&["a", "b"], &["a"], &["b"]]).is_possible());
    }
}
