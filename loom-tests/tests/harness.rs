//! What runs the models must let nothing pass that it should not. `make mutants` breaks it in many
//! places, and each time one of these has to fail, or a model's fault is no longer found.
#![cfg(segring_loom)]

use std::collections::BTreeSet;

use loom_tests::{check, kills};

#[test]
#[should_panic(expected = "outcomes never seen")]
fn a_model_that_has_not_been_everywhere() {
    check("not everywhere", Some(&BTreeSet::from([0, 1])), || 0);
}

#[test]
#[should_panic(expected = "outcomes that must not happen")]
fn an_outcome_that_must_not_happen() {
    check("astray", Some(&BTreeSet::from([0])), || 1);
}

#[test]
#[should_panic(expected = "not what coverage.txt asks for")]
fn a_model_without_a_record() {
    check::<u8>("without a record", None, || 0);
}

#[test]
#[should_panic(expected = "SURVIVED")]
fn a_fault_that_is_not_found() {
    kills(&["no-such-fault"], "nothing", || 0);
}
