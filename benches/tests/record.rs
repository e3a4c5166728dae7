//! The example of a record is one that today's program could have written.

use std::collections::BTreeMap;

use segring_benches::data::Data;
use segring_benches::workload::{Latency, Memory, Resize, Sample, Stalled};
use serde::de::DeserializeOwned;
use serde_json::Value;

const EXAMPLE: &str = include_str!("data/example.jsonl");

fn lines() -> BTreeMap<String, Vec<Value>> {
    let mut lines: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in EXAMPLE.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        lines.entry(line["kind"].as_str().unwrap().to_owned()).or_default().push(line);
    }
    lines
}

/// Reads the part of that name in every line of a kind.
fn read<T: DeserializeOwned>(kind: &str, part: &str) -> Vec<T> {
    let read = |line: &Value| serde_json::from_value(line[part].clone()).unwrap();
    lines()[kind].iter().map(read).collect()
}

#[test]
fn every_kind_of_line_is_read_back() {
    let latencies: Vec<Latency> = read("latency", "latency");
    for latency in &latencies {
        for times in [&latency.push, &latency.pop, &latency.transit] {
            assert_eq!(times.count, times.counts.iter().map(|(_, count)| count).sum::<u64>());
            assert!(times.p50 <= times.p99 && times.p99 <= times.max, "{times:?}");
        }
    }
    let resizes: Vec<Resize> = read("resize", "resize");
    assert!(resizes.iter().any(|resize| resize.closing.count > 0));
    let memories: Vec<Memory> = read("memory", "memory");
    assert!(memories.iter().all(|memory| memory.points.len() > 10));
    let stalled: Vec<Stalled> = read("stalled", "stalled");
    assert!(stalled.iter().all(|stalled| stalled.trials > 0));
    let samples: Vec<Sample> = read("sample", "sample");
    let controls: Vec<Sample> = read("control", "sample");
    assert!(samples.iter().chain(&controls).all(|sample| !sample.preempted.is_empty()));
}

#[test]
fn every_kind_of_line_is_there() {
    let lines = lines();
    let wanted = [
        "run", "peer", "probe", "sample", "control", "latency", "resize", "memory", "stalled",
        "burst", "cell", "failed", "checks", "target", "contest", "end",
    ];
    for kind in wanted {
        assert!(lines.contains_key(kind), "there is no {kind}");
    }
    assert_eq!(lines["run"][0]["version"], segring_benches::record::VERSION);
}

#[test]
fn claims_pass_over_what_they_do_not_know() {
    let newer = format!("{EXAMPLE}{{\"kind\":\"hologram\"}}\n");
    let data = Data::parse("example".to_owned(), &newer).whole().unwrap();
    assert!(data.case("pair").is_some() && !data.bursts.is_empty());
}
