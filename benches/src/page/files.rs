//! Which record is meant, and where its page goes.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::data::{Data, Fault};
use crate::record::{at, default_directory};

/// Reads a record as far as it can be read.
///
/// # Errors
/// When it cannot be read at all, or is none.
pub fn read(path: &Path) -> io::Result<Data> {
    let data = Data::read_what_is_there(path)
        .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
    match data.faults.first() {
        Some(fault) if data.is_empty() => Err(io::Error::other(format!("{}{fault}", data.name))),
        _ => Ok(data),
    }
}

/// The newest record that has anything to compare, where runs leave theirs and in `papers/data`. What
/// is newer and no record is a fault of it.
///
/// # Errors
/// When there is none.
pub fn newest(root: &Path) -> io::Result<Data> {
    newest_of(&[default_directory(), root.join("papers/data")])
}

fn newest_of(directories: &[PathBuf]) -> io::Result<Data> {
    let entries = directories.iter().filter_map(|directory| fs::read_dir(directory).ok()).flatten();
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    // Names of records begin with the date.
    let is_dated = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "jsonl")
            && path.file_name().is_some_and(|name| {
                name.to_string_lossy().starts_with(|first: char| first.is_ascii_digit())
            })
    };
    paths.retain(is_dated);
    paths.sort_by(|a, b| b.file_name().cmp(&a.file_name()));
    let mut passed_over = Vec::new();
    for path in paths {
        match read(&path) {
            Ok(mut data) if !data.cases.is_empty() || !data.latencies.is_empty() => {
                data.faults.extend(passed_over);
                return Ok(data);
            }
            // A record of something else.
            Ok(_) => {}
            Err(error) => {
                let what = format!("a newer file was passed over: {error}");
                passed_over.push(Fault::of_file(what));
            }
        }
    }
    let why: Vec<String> = passed_over.into_iter().map(|fault| fault.what).collect();
    let missing = format!("no record to report; `make soak` makes one. {}", why.join(". "));
    Err(io::Error::new(io::ErrorKind::NotFound, missing))
}

/// Writes the page of a record into a directory, under the record's name.
///
/// # Errors
/// When it cannot be written.
pub fn write(data: &Data, directory: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(directory).map_err(|error| at(directory, &error))?;
    let stem = data.name.strip_suffix(".jsonl").unwrap_or(&data.name);
    let path = directory.join(format!("{stem}.html"));
    fs::write(&path, super::render(data)).map_err(|error| at(&path, &error))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::{env, fs, process};

    use super::newest_of;

    #[test]
    fn the_newest_record_is_taken_and_what_is_newer_and_none_is_told() {
        let root = env::temp_dir().join(format!("segring-newest-{}", process::id()));
        let directories = ["a", "b"].map(|name| root.join(name));
        for directory in &directories {
            fs::create_dir_all(directory).unwrap();
        }
        assert!(
            newest_of(&directories).unwrap_err().to_string().starts_with("no record to report")
        );

        let example = include_str!("../../tests/data/example.jsonl");
        fs::write(directories[0].join("2001_soak.jsonl"), example).unwrap();
        fs::write(directories[1].join("2002_soak.jsonl"), example).unwrap();
        fs::write(directories[0].join("2003_soak.jsonl"), "{}").unwrap();
        fs::write(directories[0].join("2004.txt"), example).unwrap();
        let data = newest_of(&directories).unwrap();
        assert_eq!(data.name, "2002_soak.jsonl");
        let told = &data.faults[0].what;
        assert!(told.contains("a newer file was passed over: 2003_soak.jsonl:1: "), "{told}");
        fs::remove_dir_all(root).unwrap();
    }
}
