//! How much may be done before it is given up: few grammars are so ambiguous that the stacks of a text
//! cannot be told in a small way, but anybody can write one.

/// How much has been done, in units of about a microsecond, and the most there may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    done: u64,
    most: u64,
}

impl Default for Work {
    fn default() -> Self {
        Self { done: 0, most: u64::MAX }
    }
}

impl Work {
    /// Something more is done.
    pub(crate) fn spend(&mut self, more: u64) {
        self.done += more;
    }

    /// How much has been done.
    pub(crate) fn done(&self) -> u64 {
        self.done
    }

    /// Whether there has been too much: what is found from now on means nothing.
    pub(crate) fn is_too_much(&self) -> bool {
        self.done > self.most
    }

    /// Allows only so much more, if it was not less before; gives what was allowed before.
    pub(crate) fn allow(&mut self, more: u64) -> u64 {
        let most = self.done.saturating_add(more).min(self.most);
        std::mem::replace(&mut self.most, most)
    }

    /// Allows again what was allowed before; whether there has been too much.
    pub(crate) fn allow_again(&mut self, most: u64) -> bool {
        let is_too_much = self.is_too_much();
        self.most = most;
        is_too_much
    }
}
