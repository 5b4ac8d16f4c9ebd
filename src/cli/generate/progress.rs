//! How far something has come, for people to look at.

use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::output::Output;

/// A bar on stderr, if that is a terminal and text is asked for.
pub(super) struct Bar(ProgressBar);

impl Bar {
    /// Counts bytes.
    pub(super) fn bytes(what: &'static str, output: Output) -> Self {
        Self::new(what, "{msg} {wide_bar} {bytes}/{total_bytes}", output)
    }

    /// Counts tokens.
    pub(super) fn tokens(what: &'static str, output: Output) -> Self {
        Self::new(what, "{msg} {wide_bar} {pos}/{len} tokens", output)
    }

    fn new(what: &'static str, template: &str, output: Output) -> Self {
        let is_shown = !output.is_json() && io::stderr().is_terminal();
        let target =
            if is_shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target).with_message(what);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self(bar)
    }

    pub(super) fn is_at(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    /// Leaves nothing behind.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
