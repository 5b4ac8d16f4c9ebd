//! `--prompt-cache`: what a model has computed of a prompt, kept in a file.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use grammask::models::{Evaluation, EvaluationOptions, Model};

/// What a file keeps, or nothing if there is none yet.
pub(super) fn read(
    path: &str,
    model: &Model,
    options: EvaluationOptions,
) -> anyhow::Result<Option<Evaluation>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("--prompt-cache {path}")),
    };
    let evaluation = Evaluation::restore(model, options, file);
    evaluation.map(Some).with_context(|| {
        format!("--prompt-cache {path} cannot be used; delete it, and it is written anew")
    })
}

/// Keeps what has been computed. The file is there as a whole or not at all.
pub(super) fn write(path: &str, evaluation: &Evaluation) -> anyhow::Result<()> {
    let path = Path::new(path);
    let temporary = beside(path);
    let written = save(&temporary, evaluation)
        .and_then(|()| fs::rename(&temporary, path).map_err(anyhow::Error::from));
    if written.is_err() {
        // Whether it can be deleted makes no difference to what is said.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(|| format!("--prompt-cache {} cannot be written", path.display()))
}

fn save(path: &Path, evaluation: &Evaluation) -> anyhow::Result<()> {
    let file = File::create(path)?;
    evaluation.save(&file)?;
    Ok(file.sync_all()?)
}

/// A name in the same folder that no other process has.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    name.into()
}
