//! A name that may have been meant.

/// The candidate that is nearest to `name`, if one is near: at most one edit for each three
/// characters, where an edit inserts, deletes, replaces, or swaps two neighbours. The first of
/// equally near ones.
pub(crate) fn most_similar<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let mut limit = (name.len() / 3).clamp(1, 3);
    let mut best = None;
    let mut distance = Distance::default();
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit || candidate == name {
            continue;
        }
        let edits = distance.between(name.as_bytes(), candidate.as_bytes());
        if edits <= limit {
            best = Some(candidate);
            if edits <= 1 {
                break;
            }
            limit = edits - 1;
        }
    }
    best
}

/// The three rows of the table that are alive at a time.
#[derive(Default)]
struct Distance {
    before: Vec<usize>,
    last: Vec<usize>,
    row: Vec<usize>,
}

impl Distance {
    fn between(&mut self, a: &[u8], b: &[u8]) -> usize {
        self.last.clear();
        self.last.extend(0..=b.len());
        self.before.clone_from(&self.last);
        for i in 1..=a.len() {
            self.row.clear();
            self.row.push(i);
            for j in 1..=b.len() {
                let replaced = self.last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = replaced.min(self.last[j] + 1).min(self.row[j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(self.before[j - 2] + 1);
                }
                self.row.push(least);
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.row);
        }
        self.last[b.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names() {
        let names = ["root", "item", "items", "value", "x"];
        assert_eq!(most_similar("itme", names), Some("item"));
        assert_eq!(most_similar("vlaue", names), Some("value"));
        assert_eq!(most_similar("valu", names), Some("value"));
        assert_eq!(most_similar("object", names), None);
        assert_eq!(most_similar("", names), Some("x"));
    }
}
