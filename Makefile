# Every command a person or CI runs. Times are for two cores, first build included.
#
#   make soak    the main job: contended runs, checked and compared   about 4 min
#   make test    all tests, models included                           about 10 min
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CARGO ?= cargo
LOGS  := target/logs
# Other flags get other target directories, so that nothing is built twice in turn.
FLAGS_LOOM    := --cfg segring_loom
FLAGS_SHUTTLE := --cfg segring_shuttle
FLAGS_SMALL   := --cfg segring_small --cfg segring_fences
FLAGS_HOOKS   := --cfg segring_hooks
# The tests that have something to show with those.
SMALL  := $(addprefix --test=,conformance iterators bounded batch mpsc owned_handle drops no_memory first_ring)
HOOKED := $(addprefix --test=,stall interleave retention no_memory)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /\1\t/' | expand -t 14

# ---- The two commands ----

.PHONY: soak
soak: ## contended runs: checked for linearizability, compared with peers, recorded (SOAK_SECONDS, SOAK_SEED) 4 min
	@$(CARGO) run --locked --release --quiet -p segring-benches --bin soak

.PHONY: test
test: test-plain test-small test-stall freeze models ## everything that tests; ends with the tally                             10 min
	@scripts/tally $(LOGS)/test-*.log

# ---- What `test` is made of ----

$(LOGS):
	@mkdir -p $@

.PHONY: test-plain
test-plain: | $(LOGS) ## unit, integration and documentation tests, and those of the benches                3 min
	@$(CARGO) test --locked --all-features -p segring -p segring-benches -p segring-instructions 2>&1 | tee $(LOGS)/test-plain.log

.PHONY: test-small
test-small: | $(LOGS) ## the same with counters that soon end or wrap, and with fences for barriers           1 min
	@RUSTFLAGS="$(FLAGS_SMALL)" $(CARGO) test --locked --target-dir target/small --lib $(SMALL) 2>&1 \
		| tee $(LOGS)/test-small.log

.PHONY: test-stall
test-stall: | $(LOGS) ## threads parked for ever in the middle of operations, others go on                  1 min
	@RUSTFLAGS="$(FLAGS_HOOKS)" $(CARGO) test --locked --target-dir target/hooks $(HOOKED) 2>&1 \
		| tee $(LOGS)/test-stall.log

.PHONY: freeze
freeze: | $(LOGS) ## a thread stopped for ever at every step of every operation, others go on             2 min
	@RUSTFLAGS="$(FLAGS_SHUTTLE)" $(CARGO) test --locked --target-dir target/shuttle -p loom-tests --profile loom \
		--test freeze 2>&1 | tee $(LOGS)/test-freeze.log

.PHONY: models
models: | $(LOGS) ## loom models, preemption bound 2, and the faults they must find                     5 min
	@unset LOOM_MAX_PREEMPTIONS
	scripts/run-models ring queue bounded epochs mpsc batch 2>&1 | tee $(LOGS)/test-models.log
	scripts/count-models $(LOGS)/test-models.log

# ---- More evidence ----

# The linker is rustc's own, and musl comes with the target, so that nothing else is needed.
.PHONY: test-32
test-32: | $(LOGS) ## the tests in 32 bits, on an x86-64 Linux; fetches the target with rustup              3 min
	@rustup target add i686-unknown-linux-musl
	export CARGO_TARGET_I686_UNKNOWN_LINUX_MUSL_LINKER=rust-lld
	$(CARGO) test --locked --target-dir target/32 --target i686-unknown-linux-musl --all-features --tests 2>&1 \
		| tee $(LOGS)/test-32.log
	RUSTFLAGS="$(FLAGS_SMALL)" $(CARGO) test --locked --target-dir target/32-small --target i686-unknown-linux-musl \
		--lib $(SMALL) 2>&1 | tee -a $(LOGS)/test-32.log
	RUSTFLAGS="$(FLAGS_HOOKS)" $(CARGO) test --locked --target-dir target/32-hooks --target i686-unknown-linux-musl \
		$(HOOKED) 2>&1 | tee -a $(LOGS)/test-32.log

.PHONY: loom
loom: | $(LOGS) ## the same with preemption bound 3, and larger models                             30 min
	@unset LOOM_MAX_PREEMPTIONS
	export LOOM_DEEP=1
	scripts/run-models ring queue bounded epochs mpsc batch deep 2>&1 | tee $(LOGS)/loom.log
	scripts/count-models $(LOGS)/loom.log coverage-deep.txt

.PHONY: loom-downstream
loom-downstream: | $(LOGS) ## a package that uses segring model-checks its own code, as in the guide          1 min
	@scripts/check-guide
	cd downstream
	$(CARGO) fmt -- --check
	$(CARGO) test --locked --target-dir ../target/downstream
	export RUSTFLAGS="$(FLAGS_LOOM)"
	$(CARGO) test --locked --target-dir ../target/downstream-loom 2>&1 | tee ../$(LOGS)/downstream.log
	grep -q 'every_letter_is_read ... ok' ../$(LOGS)/downstream.log
	grep -q 'asking_too_late_loses_a_letter - should panic ... ok' ../$(LOGS)/downstream.log

.PHONY: soak-long
soak-long: ## the checks of the soak alone, half an hour (SOAK_SECONDS)                        30 min
	@SOAK_SECONDS=$${SOAK_SECONDS:-1800} $(CARGO) run --locked --release --quiet -p segring-benches --bin soak -- --checks

.PHONY: soak-peers
soak-peers: ## the same checks over the peers: what they find there                            5 min
	@SOAK_SECONDS=$${SOAK_SECONDS:-300} $(CARGO) run --locked --release --quiet -p segring-benches --bin soak -- --checked-peers

# How to add a fault stands in loom-tests/mutants.txt.
.PHONY: mutants
mutants: | $(LOGS) ## faults planted in the code and in the checks, one by one: each must be found     25 min
	@scripts/mutants 2>&1 | tee $(LOGS)/mutants.log

.PHONY: mutants-quick
mutants-quick: | $(LOGS) ## those that are found within seconds                                               3 min
	@scripts/mutants quick 2>&1 | tee $(LOGS)/mutants-quick.log

.PHONY: soak-mutant
soak-mutant: | $(LOGS) ## the soak over a queue with a planted fault: it must find it                     2 min
	@! RUSTFLAGS="--cfg segring_mutants" SEGRING_MUTANT=give-up-unmarked SOAK_SECONDS=20 $(CARGO) run --locked \
		--release --quiet --target-dir target/mutants -p segring-benches --bin soak | tee $(LOGS)/soak-mutant.log
	scripts/found-violation $(LOGS)/soak-mutant.log

.PHONY: bench-all
bench-all: ## every case by every peer, into one record; goes on where it was interrupted (BENCH=options)   70 min
	@$(CARGO) run --locked --release --quiet -p segring-benches --bin bench_all -- $(BENCH)

.PHONY: record
record: ## the same, and what to do with the record: for whoever has a larger machine         70 min
	@$(MAKE) --no-print-directory bench-all
	echo "to send it: attach the file that the line above names to an issue; benches/README.md says what is in it"

.PHONY: aa
aa: ## a queue against itself, 20 times: how many intervals hold 1                        2 min
	@$(CARGO) run --locked --release --quiet -p segring-benches --bin bench_all -- --aa 20 --case 'pairs 2' --peer 'segring Handle' $(BENCH)

.PHONY: instructions
instructions: ## instructions of single operations: at most 2 % more than accepted; needs valgrind    3 min
	@scripts/instructions check

.PHONY: instructions-accept
instructions-accept: ## accepts them as they are now
	@scripts/instructions accept

.PHONY: report
report: ## a record as one page of HTML: the newest, or RECORD=...; prints its path
	@$(CARGO) run --locked --release --quiet -p segring-benches --bin report

.PHONY: report-check
report-check: ## pages opened in Chromium, as on a phone and on a desk, in light and dark               1 min
	@for record in "$$(printf '%s\n' papers/data/*.jsonl | tail -n 1)" benches/tests/data/*.jsonl; do
		page=$$(RECORD=$$record $(CARGO) run --locked --release --quiet -p segring-benches --bin report | sed -n 's/^report: //p')
		scripts/check-page "$$page"
	done

.PHONY: bench
bench: ## criterion benches; one of them with BENCH="--bench NAME"                        30 min
	@$(CARGO) bench --locked -p segring-benches $(BENCH)

.PHONY: seeds
seeds: ## the sequential rings beside what they replace                                 3 min
	@SEEDS_CRITERION=0 $(CARGO) bench --locked --quiet -p segring-benches --bench seeds
	$(CARGO) run --locked --release --quiet -p segring-benches --bin code_size

.PHONY: targets
targets: ## what is to be reached against the peers, by a record: the newest, or RECORD=...; fails where it is not
	@$(CARGO) run --locked --release --quiet -p segring-benches --bin targets

.PHONY: lines
lines: ## how many cache lines an operation moves, on 2 to 128 simulated cores (LINES_TRANSFER)    2 min
	@RUSTFLAGS="--cfg segring_lines" $(CARGO) run --locked --release --quiet --target-dir target/lines \
		-p segring-benches --bin lines

# Sanitizers are not stable, hence RUSTC_BOOTSTRAP; they need no other toolchain.
.PHONY: sanitize
sanitize: ## AddressSanitizer and ThreadSanitizer, and memcheck where valgrind is installed          10 min
	@export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address"
	export ASAN_OPTIONS=allocator_may_return_null=1 # Some tests ask for more than there is.
	$(CARGO) test --locked --target-dir target/asan --target x86_64-unknown-linux-gnu --all-features --lib \
		$(addprefix --test=,conformance iterators bounded batch mpsc owned_handle rayon 'seq_*') \
		$(addprefix --test=,drops no_memory first_ring races) -- --skip leaks_a_ring
	$(CARGO) test --locked --target-dir target/asan --target x86_64-unknown-linux-gnu -p segring-benches --test short
	unset RUSTC_BOOTSTRAP RUSTFLAGS
	scripts/sanitize-threads
	scripts/memcheck

# ---- The places of crossbeam-queue and concurrent-queue ----

.PHONY: compat
compat: | $(LOGS) ## the originals' own tests against the packages in compat/ (COMPAT_RUNS)              2 min
	@$(CARGO) test --locked --manifest-path compat/Cargo.toml --target-dir target/compat/build 2>&1 \
		| tee $(LOGS)/test-compat.log
	scripts/compat --target-dir target/compat/build 2>&1 | tee -a $(LOGS)/test-compat.log

.PHONY: compat-asan
compat-asan: | $(LOGS) ## the same under AddressSanitizer                                                   3 min
	@RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address" COMPAT_EXAMPLES=no scripts/compat \
		--target-dir target/compat/asan --target x86_64-unknown-linux-gnu 2>&1 | tee $(LOGS)/compat-asan.log

.PHONY: compat-mutant
compat-mutant: | $(LOGS) ## a planted fault: the tests of each original must find it
	@RUSTFLAGS="--cfg segring_mutants" SEGRING_MUTANT=miscount scripts/compat \
		--target-dir target/compat/mutants -- len 2>&1 | tee $(LOGS)/compat-mutant.log

# ---- The paper ----

.PHONY: paper
paper: ## the paper as target/segring.pdf, by a typesetter from the Python package index          1 min
	@scripts/paper target/segring.pdf

.PHONY: claims
claims: ## every measured number of paper and README against the newest record in papers/data
	@$(CARGO) run --locked --quiet -p segring-benches --bin claims -- check

.PHONY: claims-renew
claims-renew: ## writes those numbers, tables and figures anew from that record
	@$(CARGO) run --locked --quiet -p segring-benches --bin claims -- renew

.PHONY: tso
tso: ## every state of a slot, and of the epochs, on a machine with store buffers; needs python3  2 min
	@python3 papers/model/slot.py
	python3 papers/model/epochs.py

# ---- Checks ----

.PHONY: lint
lint: ## formatting, clippy with warnings denied, the project's own rules
	@$(CARGO) fmt --all -- --check
	rustfmt --edition 2024 --check benches/src/peers/*.rs # Most of them are named in a macro, where cargo does not find them.
	$(CARGO) clippy --locked --all-features -p segring -p segring-benches -p segring-instructions --all-targets -- -D warnings
	RUSTFLAGS="$(FLAGS_LOOM)" $(CARGO) clippy --locked --target-dir target/loom -p segring -p loom-tests --all-targets -- -D warnings
	RUSTFLAGS="$(FLAGS_HOOKS)" $(CARGO) clippy --locked --target-dir target/hooks -p segring --tests -- -D warnings
	RUSTFLAGS="$(FLAGS_SHUTTLE)" $(CARGO) clippy --locked --target-dir target/shuttle -p segring -p loom-tests --all-targets -- -D warnings
	$(CARGO) fmt --all --manifest-path compat/Cargo.toml -- --check
	$(CARGO) clippy --locked --manifest-path compat/Cargo.toml --target-dir target/compat/build --all-targets -- -D warnings
	scripts/check-shim
	scripts/check-orderings
	scripts/check-labels
	scripts/mutants check

.PHONY: doc
doc: ## documentation, warnings denied
	@RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --all-features -p segring

.PHONY: package
package: ## what would be published, built from the package alone
	@$(CARGO) package --locked --allow-dirty -p segring
	$(CARGO) package --locked --allow-dirty -p segring --list | scripts/check-package

.PHONY: api
api: ## the public API is what api.txt lists                                         30 s
	@scripts/check-api

.PHONY: api-renew
api-renew: ## writes the public API to api.txt
	@scripts/check-api --renew

.PHONY: examples
examples: ## every example, and that it prints what it should
	@scripts/run-examples

.PHONY: asm
asm: ## one locked instruction in each fast path, none in an only consumer's
	@scripts/check-asm

.PHONY: bench-test
bench-test: ## each criterion bench once, unmeasured
	@$(CARGO) bench --locked -p segring-benches -- --test

.PHONY: ci
ci: ## what CI runs                                                                     35 min
	@$(MAKE) --no-print-directory test
	$(MAKE) --no-print-directory lint doc api package examples loom-downstream asm bench-test instructions claims mutants-quick tso lines
	if command -v chromium >/dev/null; then $(MAKE) --no-print-directory report-check; else \
		echo 'no Chromium here: the page was parsed (benches/tests/page.rs), not opened'; fi
	$(MAKE) --no-print-directory compat compat-mutant
	SOAK_SECONDS=20 $(MAKE) --no-print-directory soak
	$(MAKE) --no-print-directory soak-mutant
	scripts/tally $(LOGS)/test-*.log
