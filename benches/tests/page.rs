//! The page of a record: the same bytes again, well-formed, self-contained, and not silent about damage.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use scraper::{ElementRef, Html, Selector};
use segring_benches::data::Data;
use segring_benches::page;

/// Every record there is.
fn records() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let directories = ["../papers/data", "tests/data"].map(|directory| root.join(directory));
    let entries = directories.iter().filter_map(|directory| fs::read_dir(directory).ok()).flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// The text of a record.
fn record() -> String {
    fs::read_to_string(&records()[0]).unwrap()
}

/// The page of a text, and what is wrong with that.
fn page_of(text: &str) -> (String, Vec<String>) {
    let data = Data::parse("record.jsonl".to_owned(), text);
    let faults = data.faults.iter().map(|fault| format!("{}{fault}", data.name)).collect();
    (page::render(&data), faults)
}

fn all<'a>(document: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    document.select(&Selector::parse(selector).unwrap()).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

#[test]
fn the_same_record_gives_the_same_bytes() {
    for path in records() {
        let [once, again] = [(); 2].map(|()| page::render(&page::read(&path).unwrap()));
        assert!(once == again, "{} differs", path.display());
    }
}

#[test]
fn a_page_is_well_formed_and_needs_nothing_else() {
    for path in records() {
        let html = page::render(&page::read(&path).unwrap());
        let document = Html::parse_document(&html);
        assert_eq!(document.errors.len(), 0, "{}: {:?}", path.display(), document.errors);
        assert!(all(&document, "script, link, img, iframe, object, embed, form").is_empty());
        assert!(!html.contains("url(") && !html.contains("@import"));
        let mut ids = HashSet::new();
        for element in all(&document, "[id]") {
            let id = element.attr("id").unwrap();
            assert!(ids.insert(id.to_owned()), "two things are called {id}");
        }
        for element in all(&document, "*") {
            for (name, value) in element.value().attrs() {
                assert!(!name.starts_with("on") && name != "src", "{name}={value}");
                assert!(!value.contains("://") && !value.starts_with("//"), "{name}={value}");
                if name == "href" {
                    let target =
                        value.strip_prefix('#').unwrap_or_else(|| panic!("{value} is outside"));
                    assert!(ids.contains(target), "{value} is nowhere");
                }
                let is_number = !value.contains("NaN") && !value.contains("inf");
                assert!(is_number, "{name}={value}");
            }
        }
    }
}

#[test]
fn every_figure_names_its_record_and_the_command() {
    for path in records() {
        let data = page::read(&path).unwrap();
        let html = page::render(&data);
        let document = Html::parse_document(&html);
        let figures = all(&document, "figure");
        assert!(figures.len() > 5);
        for figure in figures {
            let captions: Vec<_> =
                figure.select(&Selector::parse("figcaption .source").unwrap()).map(text).collect();
            assert_eq!(captions.len(), 1);
            assert!(
                captions[0].contains(&data.name) && captions[0].contains(" make "),
                "{captions:?}"
            );
        }
        for drawing in all(&document, "svg[role=img]") {
            assert!(drawing.attr("aria-label").is_some_and(|label| !label.is_empty()));
        }
    }
}

#[test]
fn a_cell_of_the_map_has_a_sign_and_its_verdict_in_words() {
    let html = page_of(&record()).0;
    let document = Html::parse_document(&html);
    let mut seen = HashSet::new();
    for cell in all(&document, ".heat td[class]") {
        let class = cell.attr("class").unwrap();
        let (sign, words) = match class.chars().next().unwrap() {
            'w' => ("+", "a win, less in every round"),
            'l' => ("−", "a loss, more in every round"),
            'n' => ("=", "no difference, the range holds 1"),
            _ => continue,
        };
        assert!(text(cell).starts_with(sign), "{}", text(cell));
        assert!(cell.attr("title").unwrap().ends_with(words), "{:?}", cell.attr("title"));
        seen.insert(sign);
    }
    assert_eq!(seen.len(), 3);
}

#[test]
fn intervals_controls_and_failures_are_told() {
    let record = record();
    let sample = record.lines().find(|line| line.contains("\"kind\":\"sample\"")).unwrap();
    let control = sample.replacen("\"kind\":\"sample\"", "\"kind\":\"control\"", 1);
    let program = "{\"kind\":\"run\",\"version\":2,\"program\":\"bench-all\"";
    let campaign = record.replacen("{\"kind\":\"run\"", program, 1).replacen(
        sample,
        &format!("{sample}\n{control}"),
        1,
    );
    let failed = "{\"kind\":\"failed\",\"name\":\"pairs 2\",\"competitor\":\"kanal\",\"round\":0,\
                  \"reason\":\"did not return\"}\n{\"kind\":\"end\",\"seconds\":9}\n";
    let (page, faults) = page_of(&(campaign + failed));
    assert_eq!(faults, [""; 0]);
    let document = Html::parse_document(&page);
    let titles: Vec<_> =
        all(&document, ".heat td").iter().filter_map(|cell| cell.attr("title")).collect();
    for words in [
        "a win, the interval is below 1",
        "a loss, the interval is above 1",
        "the interval holds 1",
    ] {
        assert!(titles.iter().any(|title| title.ends_with(words)), "no {words}");
    }
    assert!(titles.contains(&"kanal: did not return"), "a cell says why it is empty");
    let doubts: Vec<_> = all(&document, ".doubt").into_iter().map(text).collect();
    assert!(
        doubts.contains(&"kanal is left out of pairs 2: did not return.".to_owned()),
        "{doubts:?}"
    );
    assert!(text(all(&document, "#control p")[0]).contains("1 of 1 are without a difference"));
    assert!(page.contains("made by <code>make bench-all</code>"));
}

#[test]
fn a_record_that_breaks_off_is_reported_up_to_there() {
    let record = record();
    let broken = &record[..record.len() / 2];
    let (page, faults) = page_of(broken);
    let line = broken.lines().count();
    assert!(
        faults[0].starts_with(&format!("record.jsonl:{line}: breaks off after ")),
        "{faults:?}"
    );
    assert!(faults[1].starts_with("record.jsonl: has no end"), "{faults:?}");
    assert!(page.contains(&faults[0]) && page.contains(&faults[1]));
    assert!(page.contains("prodcons 1:1"), "the rest is there");

    // Between two lines nothing looks broken.
    let whole_lines = &broken[..=broken.rfind('\n').unwrap()];
    let (page, faults) = page_of(whole_lines);
    assert_eq!(
        faults,
        ["record.jsonl: has no end: the run was interrupted, or the file cut short"]
    );
    assert!(page.contains(&faults[0]));
}

#[test]
fn lines_of_another_version_are_named_and_the_rest_reported() {
    let whole = page_of(&record()).0;
    let record = record();
    let (first, rest) = record.split_once('\n').unwrap();
    let strange = "{\"kind\":\"hologram\"}\n{\"kind\":\"sample\",\"name\":7}\n[1]\n";
    let (page, faults) = page_of(&format!("{first}\n{strange}{rest}"));
    let wanted = [
        "record.jsonl:2: of a kind this version does not know, `hologram`",
        "record.jsonl:3: a `sample` that is not as this version writes it: invalid type: integer `7`, expected a string",
        "record.jsonl:4: no line of a record: it has no `kind`",
    ];
    assert_eq!(faults, wanted);
    let unescaped = |page: &str| page.replace("&quot;", "\"");
    assert!(wanted.iter().all(|fault| unescaped(&page).contains(fault)));
    assert_eq!(page.split("<main>").nth(1), whole.split("<main>").nth(1), "all else is the same");

    let newer = record.replacen("{\"kind\":\"run\"", "{\"kind\":\"run\",\"version\":99", 1);
    let faults = page_of(&newer).1;
    assert!(faults[0].starts_with("record.jsonl: format 99, newer than the "), "{faults:?}");
}

#[test]
fn what_is_no_record_is_refused_with_its_name() {
    let directory = env::temp_dir().join(format!("segring-page-{}", process::id()));
    fs::create_dir_all(&directory).unwrap();
    let refused = |name: &str, content: &[u8]| {
        let path = directory.join(name);
        fs::write(&path, content).unwrap();
        page::read(&path).unwrap_err().to_string()
    };
    assert_eq!(refused("empty.jsonl", b""), "empty.jsonl: is empty");
    let photo = refused("photo.jsonl", b"\x89PNG\r\n\x1a\n\xff\xd8");
    assert!(photo.starts_with("photo.jsonl:1: not a record of segring: "), "{photo}");
    let json = refused("other.jsonl", b"{\"level\":\"info\"}\n{\"level\":\"info\"}\n");
    assert!(json.starts_with("other.jsonl:1: not a record of segring: "), "{json}");
    let missing = page::read(&directory.join("missing.jsonl")).unwrap_err().to_string();
    assert!(missing.contains("missing.jsonl: "), "{missing}");
    fs::remove_dir_all(directory).unwrap();
}
