//! Walks a directory tree with many workers; whoever wants the files gets them as they are found.
//!
//! ```text
//! cargo run --example walk --features rayon [-- DIRECTORY]
//! ```
//!
//! Without an argument it walks the sources of this crate. Each directory is a task for rayon's
//! workers, who read the files and push what they found; one thread takes it out meanwhile and
//! adds it up. The result is compared with that of a plain sequential walk.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::Scope;
use segring::{Handle, Queue};

const OWN_SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");

/// A file, by its kind: the extension.
struct Found {
    kind: String,
    lines: usize,
}

/// The number of files and of lines of each kind.
type Totals = BTreeMap<String, (usize, usize)>;

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| OWN_SOURCES.into()));

    let queue = Queue::new();
    let totals = std::thread::scope(|s| {
        let collector = s.spawn(|| collect(queue.handle()));
        rayon::scope(|scope| visit(&root, &queue, scope));
        queue.close();
        collector.join().expect("the collector does not panic")
    })?;
    if totals != walk(&root)? {
        return Err("the parallel walk differs from the sequential one".into());
    }

    for (kind, (files, lines)) in totals {
        println!("{kind}: {files} files, {lines} lines");
    }
    println!("the same as one thread finds");
    Ok(())
}

/// Visits a directory: its files now, each directory inside by whichever worker is free.
fn visit<'s>(directory: &Path, queue: &'s Queue<io::Result<Found>>, scope: &Scope<'s>) {
    let mut handle = queue.handle();
    match list(directory) {
        Ok((directories, files)) => {
            for directory in directories {
                scope.spawn(move |scope| visit(&directory, queue, scope));
            }
            for file in files {
                handle.push(read(&file));
            }
        }
        Err(error) => handle.push(Err(error)),
    }
}

/// Adds up everything that comes until the queue is closed and empty. Errors come through it too.
fn collect(mut found: Handle<'_, io::Result<Found>>) -> io::Result<Totals> {
    let mut totals = Totals::new();
    loop {
        // Before the look inside: a file that comes between the two is not missed.
        let is_closed = found.queue().is_closed();
        for file in found.try_iter() {
            add(&mut totals, file?);
        }
        if is_closed {
            return Ok(totals);
        }
        std::thread::yield_now();
    }
}

/// The same walk by one thread, without a queue.
fn walk(root: &Path) -> io::Result<Totals> {
    let mut totals = Totals::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(directory) = left.pop() {
        let (directories, files) = list(&directory)?;
        left.extend(directories);
        for file in files {
            add(&mut totals, read(&file)?);
        }
    }
    Ok(totals)
}

/// The directories and the files in a directory; links are not followed.
fn list(directory: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let (mut directories, mut files) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(directory).map_err(|error| of(directory, &error))? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            directories.push(entry.path());
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    Ok((directories, files))
}

fn read(file: &Path) -> io::Result<Found> {
    let kind = file.extension().unwrap_or("other".as_ref()).to_string_lossy().into_owned();
    let bytes = fs::read(file).map_err(|error| of(file, &error))?;
    let lines = bytes.split_inclusive(|&byte| byte == b'\n').count();
    Ok(Found { kind, lines })
}

/// An error that says where it happened.
fn of(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn add(totals: &mut Totals, found: Found) {
    let (files, lines) = totals.entry(found.kind).or_default();
    *files += 1;
    *lines += found.lines;
}
