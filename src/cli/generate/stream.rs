//! Text on stdout while it comes.

use std::io::{self, IsTerminal, Write};

use grammask::agents::Pieces;

/// Text as it comes, in whole characters.
#[derive(Default)]
pub(super) struct Stream {
    pieces: Pieces,
    text: String,
}

impl Stream {
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pieces.push(bytes, &mut self.text);
        self.flush()
    }

    /// What is left is no character. A line end comes for people only: it is not part of the text.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.pieces.finish(&mut self.text);
        self.flush()?;
        let mut stdout = io::stdout().lock();
        if stdout.is_terminal() { writeln!(stdout) } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(self.text.as_bytes())?;
        stdout.flush()?;
        self.text.clear();
        Ok(())
    }
}
