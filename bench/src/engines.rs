//! Engines that are measured, each a program of its own in `bench/engines/`: built when it is first
//! needed, spoken to over a pipe.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use grammask_bench_protocol::{Done, Job, Ready, Start, Token, resident_mb, write_vocabulary};
use grammask_sampler::Vocabulary;
use serde_json::Value;
use serde_json::value::RawValue;

/// The engine that is judged: of the others the harness only reports.
pub const OURS: &str = "grammask";

/// An engine takes this long for a schema with its instances, or is stopped.
const LIMIT: Duration = Duration::from_secs(600);

/// What is measured of an engine.
#[derive(Clone, Copy)]
pub enum Measures {
    Times,
    Memory,
}

impl Measures {
    /// After how many milliseconds the allocator of an engine gives free pages back.
    fn purge_delay(self) -> &'static str {
        match self {
            // Never: asking for pages again that were given back while others had their turn is not
            // the engine's work.
            Self::Times => "-1",
            // At once: what is resident is what is held.
            Self::Memory => "0",
        }
    }
}

/// An engine that runs.
pub struct Engine {
    pub name: String,
    /// What it said when it had its vocabulary.
    pub ready: Ready,
    program: Program,
    start: String,
    measures: Measures,
    running: Running,
}

/// The process of an engine.
struct Running {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// A schema with texts of its instances, in the tokens of a vocabulary, all to be read once, with times.
pub fn job(
    vocabulary: &Vocabulary,
    schema: Box<RawValue>,
    texts: impl IntoIterator<Item = impl AsRef<str>>,
) -> Result<Job> {
    let ids = |text: &str| -> Result<Vec<u32>> {
        Ok(vocabulary.encode(text)?.into_iter().map(|token| token.0).collect())
    };
    let instances = texts.into_iter().map(|text| ids(text.as_ref())).collect::<Result<_>>()?;
    Ok(Job { schema, instances, passes: 1, timed: true })
}

/// What became of a schema.
pub enum Answer {
    Done(Done),
    /// The process is gone; a new one has been started.
    Died,
    /// The same after it has been stopped.
    TooSlow,
}

impl Engine {
    /// Builds and starts an engine.
    pub fn start(name: &str, start: &Start, measures: Measures) -> Result<Self> {
        let program = build(name)?;
        let start = serde_json::to_string(start)?;
        let (running, ready) = Running::start(&program, &start, measures)?;
        Ok(Self { name: name.to_owned(), ready, program, start, measures, running })
    }

    /// The memory that it holds, in megabytes.
    pub fn resident_mb(&self) -> f64 {
        resident_mb(&self.running.process.id().to_string())
    }

    /// Has a job done.
    pub fn ask(&mut self, job: &Job) -> Result<Answer> {
        // A schema may be written in several lines, but no string is.
        let asked = self.running.say(&serde_json::to_string(job)?.replace(['\n', '\r'], " "));
        let answer = match asked.and_then(|()| self.running.listen()) {
            Ok(Some(line)) => return Ok(Answer::Done(serde_json::from_str(&line)?)),
            Ok(None) => Answer::TooSlow,
            Err(_) => Answer::Died,
        };
        self.running.stop();
        self.running = Running::start(&self.program, &self.start, self.measures)?.0;
        Ok(answer)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.running.stop();
    }
}

impl Running {
    fn start(program: &Program, start: &str, measures: Measures) -> Result<(Self, Ready)> {
        let mut command = Command::new(&program.path);
        command.args(program.arguments);
        // One works at a time, on one thread.
        command.env("RAYON_NUM_THREADS", "1");
        // Clearing huge pages is not the engine's work, and takes ten milliseconds at times.
        command.env("MIMALLOC_ALLOW_THP", "0");
        command.env("MIMALLOC_PURGE_DELAY", measures.purge_delay());
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", program.path.display()))?;
        let input = process.stdin.take().context("it has a standard input")?;
        let output = BufReader::new(process.stdout.take().context("it has a standard output")?);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut running = Self { process, input, lines };
        running.say(start)?;
        let line = running.listen()?.context("the engine does not start")?;
        let ready = serde_json::from_str(&line)?;
        Ok((running, ready))
    }

    fn say(&mut self, line: &str) -> Result<()> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }

    /// What it says; nothing if that takes too long.
    fn listen(&self) -> Result<Option<String>> {
        match self.lines.recv_timeout(LIMIT) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => bail!("the engine is gone"),
        }
    }

    fn stop(&mut self) {
        // It may be gone already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// Is our engine for the process that has started this one.
pub fn serve() -> Result<bool> {
    grammask_bench_engine::run().map_err(|error| anyhow!("{error}"))?;
    Ok(true)
}

/// Builds an engine, and gives the command that starts it: optimised if this program is. Where nothing is measured ours
/// is this program itself, which has been built already.
fn build(name: &str) -> Result<Program> {
    if name == OURS && cfg!(debug_assertions) {
        return Ok(Program { path: env::current_exe()?, arguments: &["engine"] });
    }
    let harness = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = harness.join("engines").join(name).join("Cargo.toml");
    if !name.chars().all(|c| c.is_ascii_alphanumeric()) || !manifest.exists() {
        bail!("there is no engine {name:?}: see bench/engines/");
    }
    let target =
        env::var_os("CARGO_TARGET_DIR").map_or_else(|| harness.join("target"), PathBuf::from);
    let (profile, folder) =
        if cfg!(debug_assertions) { ("dev", "debug") } else { ("release", "release") };
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--locked", "--profile", profile, "--manifest-path"])
        .arg(&manifest)
        .arg("--target-dir")
        .arg(&target)
        .status()
        .context("cannot run cargo")?;
    if !built.success() {
        bail!("the engine {name} cannot be built");
    }
    let path = target.join(folder).join(format!("{name}-bench-engine"));
    Ok(Program { path, arguments: &[] })
}

/// What starts an engine.
struct Program {
    path: PathBuf,
    arguments: &'static [&'static str],
}

/// A vocabulary as a file for engines, gone when this is.
pub struct VocabularyFile(PathBuf);

impl VocabularyFile {
    pub fn new(vocabulary: &Vocabulary) -> Result<Self> {
        let tokens = vocabulary.ids().map(|id| match vocabulary.bytes(id) {
            None => Token::Gap,
            Some(name) if vocabulary.is_eog(id) => Token::End(name.into()),
            Some(name) if vocabulary.is_control(id) => Token::Control(name.into()),
            Some(bytes) => Token::Ordinary(bytes.into()),
        });
        let path = env::temp_dir().join(format!("grammask-bench-{}", std::process::id()));
        write_vocabulary(&path, &tokens.collect::<Vec<_>>())
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path))
    }

    /// What an engine is told at its start.
    pub fn start(&self, isolated: bool, spelling: Value) -> Start {
        Start { vocabulary: self.0.display().to_string(), isolated, spelling }
    }
}

impl Drop for VocabularyFile {
    fn drop(&mut self) {
        // Nothing is lost if it stays.
        drop(fs::remove_file(&self.0));
    }
}
