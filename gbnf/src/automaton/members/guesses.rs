//! How often something was asked that is not known: what was found then is only a guess.

use crate::automaton::members::MemberTables;

/// Numbers of questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guesses {
    /// For keys that have been forgotten: see [`MemberTables::with_some_key`].
    pub(crate) keys: u64,
    /// For members of which only an outlook is known, or keys of which only is known that they differ: see
    /// [`MemberTables::blurred`] and [`MemberTables::blurred_key`].
    pub(crate) members: u64,
    /// For items that end, or of which few are left, where those before them have been forgotten: see
    /// [`crate::automaton::lists::ListTables::forgotten`].
    pub(crate) items: u64,
}

impl Guesses {
    pub(crate) const KEY: Self = Self { keys: 1, members: 0, items: 0 };
    pub(crate) const MEMBER: Self = Self { keys: 0, members: 1, items: 0 };
    pub(crate) const ITEM: Self = Self { keys: 0, members: 0, items: 1 };
}

impl MemberTables {
    /// All up to now.
    pub(crate) fn guesses(&self) -> Guesses {
        self.guesses.get()
    }

    /// Whether there have been any of each kind since.
    pub(crate) fn guesses_since(&self, before: Guesses) -> Guesses {
        let now = self.guesses();
        Guesses {
            keys: u64::from(now.keys > before.keys),
            members: u64::from(now.members > before.members),
            items: u64::from(now.items > before.items),
        }
    }

    /// Forgets those since: what was found then is not used.
    pub(crate) fn take_back(&self, before: Guesses) {
        self.guesses.set(before);
    }

    /// Counts some more.
    pub(crate) fn guess(&self, more: Guesses) {
        let Guesses { keys, members, items } = self.guesses();
        self.guesses.set(Guesses {
            keys: keys + more.keys,
            members: members + more.members,
            items: items + more.items,
        });
    }
}
