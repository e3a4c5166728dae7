//! Numbers changed by hand are found, wherever they stand.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use segring_benches::claims::Workspace;

/// A copy of what claims are about, gone when dropped.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> io::Result<Self> {
        let copy = Self(env::temp_dir().join(format!("segring-claims-{}-{name}", process::id())));
        for part in ["README.md", "papers", "src", "tests", "scripts"] {
            copy_all(&root().join(part), &copy.0.join(part))?;
        }
        Workspace::open(&copy.0)?.renew()?;
        Ok(copy)
    }

    /// Replaces what stands in a file once or more, and returns what is wrong then.
    fn change(&self, file: &str, from: &str, to: &str) -> io::Result<Vec<String>> {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path)?;
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(path, text.replace(from, to))?;
        Workspace::open(&self.0)?.check()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            copy_all(&entry.path(), &to.join(entry.file_name()))?;
        }
    } else {
        fs::create_dir_all(to.parent().expect("a file is in a directory"))?;
        fs::copy(from, to)?;
    }
    Ok(())
}

fn mentions(wrong: &[String], what: &str) -> bool {
    wrong.iter().any(|line| line.contains(what))
}

#[test]
fn what_was_renewed_is_right() {
    let copy = Copy::new("right").unwrap();
    let wrong = Workspace::open(&copy.0).unwrap().check().unwrap();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_number_changed_in_the_readme_is_found() {
    let copy = Copy::new("readme").unwrap();
    let wrong = copy.change("README.md", "`Handle` won\n", "`Handle` won\n1").unwrap();
    assert!(mentions(&wrong, "README.md: handle-wins: says 1"), "{wrong:?}");
}

#[test]
fn a_number_changed_in_the_papers_facts_is_found() {
    let copy = Copy::new("facts").unwrap();
    let wrong =
        copy.change("papers/facts.json", "\"violations\": \"", "\"violations\": \"1").unwrap();
    assert!(mentions(&wrong, "papers/facts.json"), "{wrong:?}");
}

#[test]
fn a_number_written_into_a_measured_passage_is_found() {
    let copy = Copy::new("paper").unwrap();
    let fact = "#fact(\"pair-handle-seg-queue\") of the time of `SegQueue`";
    let wrong = copy.change("papers/segring.typ", fact, "0.40 of the time of `SegQueue`").unwrap();
    assert!(mentions(&wrong, "a number of its own"), "{wrong:?}");
}

#[test]
fn a_figure_drawn_by_hand_is_found() {
    let copy = Copy::new("figure").unwrap();
    let wrong = copy.change("papers/figures/burst.svg", "<circle cx=\"", "<circle cx=\"1").unwrap();
    assert!(mentions(&wrong, "papers/figures/burst.svg"), "{wrong:?}");
}

#[test]
fn a_test_that_is_gone_is_missed() {
    let copy = Copy::new("gone").unwrap();
    let wrong = copy.change("src/sync.rs", "127 spin hints", "many spin hints").unwrap();
    assert!(mentions(&wrong, "should be shown by"), "{wrong:?}");
}
