//! Ctrl-C: the first one ends the text, the second one the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;

/// Whether Ctrl-C has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From here on the first Ctrl-C is only taken note of.
    pub(super) fn watch() -> anyhow::Result<Self> {
        let interrupt = Self::default();
        let seen = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                // Whoever asks twice does not want to wait for a token. The code is that of a shell.
                #[allow(clippy::exit)]
                std::process::exit(130);
            }
        })
        .context("Ctrl-C cannot be watched for")?;
        Ok(interrupt)
    }

    pub(super) fn has_come(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
