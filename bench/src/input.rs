//! Reading what is measured: files of JSON lines, and folders that may be archives.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::python;

/// A file of a folder.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    /// Its path inside the folder, with `/` between the parts.
    pub path: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What a file of `MaskBench` holds.
#[derive(Deserialize)]
pub struct Schema<'a> {
    /// Word for word.
    #[serde(borrow)]
    pub schema: &'a RawValue,
    #[serde(default)]
    pub tests: Vec<Instance>,
}

/// An instance of a schema.
#[derive(Deserialize)]
pub struct Instance {
    /// Whether the schema has it.
    pub valid: bool,
    pub data: Value,
}

impl Instance {
    /// The instance as a text.
    pub fn text(&self) -> String {
        python::dumps(&self.data)
    }
}

impl File {
    /// The schema of a file of `MaskBench`, with its instances.
    pub fn schema(&self) -> Result<Schema<'_>> {
        serde_json::from_slice(&self.bytes).with_context(|| self.path.clone())
    }
}

/// The schema that a file means: that of a test file with the members "schema" and "tests", or all
/// of it.
pub fn schema_of(file: &Value) -> &Value {
    file.get("schema").filter(|_| file.get("tests").is_some()).unwrap_or(file)
}

/// The rows of a file that is one JSON array, or JSON lines.
pub fn read_table(path: &Path) -> Result<Vec<Value>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    table(&text).with_context(|| path.display().to_string())
}

/// The rows of one JSON array, or of JSON lines.
pub fn table(text: &str) -> Result<Vec<Value>> {
    if text.trim_start().starts_with('[') {
        return Ok(serde_json::from_str(text)?);
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}

/// The rows of a file of JSON lines; blank lines are passed over.
pub fn read_rows(path: &Path) -> Result<Vec<Value>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty())
        .map(|(line, number): (&str, usize)| {
            serde_json::from_str(line)
                .with_context(|| format!("{}:{number} is not JSON", path.display()))
        })
        .collect()
}

/// The JSON files of several folders or archives.
pub fn read_json_files(folders: &[PathBuf]) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for folder in folders {
        files.extend(read_folder(folder)?);
    }
    files.retain(|file| Path::new(&file.path).extension().is_some_and(|it| it == "json"));
    Ok(files)
}

/// All files of a folder, or of a `.tar.xz` in its place, ordered by their paths.
pub fn read_folder(path: &Path) -> Result<Vec<File>> {
    let mut files = if path.is_dir() { read_directory(path)? } else { read_archive(path)? };
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn read_directory(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let bytes =
                fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let parts = path.strip_prefix(root)?.iter().map(|part| part.to_string_lossy());
            files.push(File { path: parts.collect::<Vec<_>>().join("/"), bytes });
        }
    }
    Ok(files)
}

fn read_archive(path: &Path) -> Result<Vec<File>> {
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut unpacked = Vec::new();
    lzma_rs::xz_decompress(&mut BufReader::new(file), &mut unpacked)
        .map_err(|error| anyhow::anyhow!("{error:?}"))
        .with_context(|| format!("{} is neither a folder nor an xz archive", path.display()))?;
    let mut files = Vec::new();
    for entry in tar::Archive::new(unpacked.as_slice()).entries()? {
        let mut entry = entry?;
        if entry.header().entry_type().is_file() {
            let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            files.push(File { path, bytes });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_its_archive_hold_the_same_files() {
        let root = std::env::temp_dir().join(format!("grammask-bench-{}", std::process::id()));
        let folder = root.join("folder");
        fs::create_dir_all(folder.join("b")).unwrap();
        fs::write(folder.join("b/c.json"), "1").unwrap();
        fs::write(folder.join("a.json"), "2").unwrap();

        let mut builder = tar::Builder::new(Vec::new());
        for (path, text) in [("b/c.json", "1"), ("a.json", "2")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(1);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        let archive = root.join("folder.tar.xz");
        let mut packed = Vec::new();
        lzma_rs::xz_compress(&mut builder.into_inner().unwrap().as_slice(), &mut packed).unwrap();
        fs::write(&archive, packed).unwrap();

        let expected = [("a.json", "2"), ("b/c.json", "1")]
            .map(|(path, text)| File { path: path.into(), bytes: text.into() });
        assert_eq!(read_folder(&folder).unwrap(), expected);
        assert_eq!(read_folder(&archive).unwrap(), expected);
        assert!(read_folder(&folder.join("a.json")).is_err());
        fs::remove_dir_all(root).unwrap();
    }
}
