# Two commands for a fresh clone: `make demo` and `make test`. Each does all of its own set-up; `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test test-core test-floor lint bench clean

# The newest Python we support that really runs here: a version manager may leave a launcher on the PATH that only prints an
# error, and the interpreter itself beside it. $(1) is what it must also be able to import.
find_python = for version in 3.13 3.12 3.11; do \
    for candidate in "python$$version" "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$version.*/bin/python$$version python3 python; do \
      if "$$candidate" -c "import sys, $(1); sys.exit('%d.%d' % sys.version_info[:2] != '$$version')" >/dev/null 2>&1; then \
        echo "$$candidate"; exit; fi; done; done
RUNNABLE := $(shell $(call find_python,json))
BUILDER := $(shell $(call find_python,ensurepip; import venv))
UV := $(shell command -v uv 2>/dev/null)

need_python = test -n "$(RUNNABLE)" || { echo "missing: Python 3.13, 3.12 or 3.11 (none found on the PATH or under pyenv)" >&2; exit 2; }
need_venv = test -n "$(BUILDER)$(and $(UV),$(RUNNABLE))" || { \
    echo "missing: Python 3.13, 3.12 or 3.11 with its venv and ensurepip modules (on Debian and Ubuntu: apt-get install python3-venv)" >&2; exit 2; }

# $(1): the folder, $(2): what to install into it. The checkout itself goes in as an editable install, so an edit needs no
# second one; tests/test_packaging.py builds the wheel. The end of the log is shown if an install fails.
ifdef UV
make_venv = rm -rf $(1) && $(UV) venv -q --python "$(or $(RUNNABLE),$(BUILDER))" $(1) && $(UV) pip install -q --python $(1)/bin/python $(2)
else
make_venv = rm -rf $(1) && $(BUILDER) -m venv $(1) && $(1)/bin/python -m pip install -q --disable-pip-version-check $(2)
endif
comma := ,
build_venv = $(need_venv); started=$$SECONDS; echo "$(1): installing (several minutes the first time for the adapters, once per change of pyproject.toml)"; \
    ( $(call make_venv,$(1),$(2)) ) >$(1).log 2>&1 || { tail -n 15 $(1).log >&2; rm -rf $(1); exit 1; }; \
    mv $(1).log $(1)/install.log; touch $@; echo "$(1): installed in $$((SECONDS - started)) s"

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The scribe needs LangChain: it runs in the environment of `make test` if that is there, else in a small one of its own.
SCRIBE_VENV := $(if $(wildcard .venv/.stamp),.venv,.venv-scribe)
demo:  ## a PASS, a FAIL and an ABSTAIN with their evidence pages; then a scribe in LangChain on recorded replies
	@$(need_python)
	@$(RUNNABLE) -m medfence_guard demo
	@echo; $(MAKE) --no-print-directory $(SCRIBE_VENV)/.stamp && $(SCRIBE_VENV)/bin/python examples/scribe/scribe.py --brief || \
	 { echo "The scribe did not run. What is above needs no installation; the scribe needs LangChain from a package index."; exit 1; }

# The suite in two halves that together are all of it, side by side: one names folders, the other takes whatever is not in them.
JUDGING := $(addprefix tests/,checks golden metamorphic property refdata)
test: .venv/.stamp  ## lint, types and every test, adapters included, on two cores; a skipped test is a failure
	@started=$$SECONDS; export MEDFENCE_REQUIRE_ALL=1; \
	 echo "lint, types and $(JUDGING) run beside the tests below, and are shown after them"; \
	 ( $(MAKE) --no-print-directory lint && .venv/bin/python -m pytest -q -p no:cacheprovider $(JUDGING) ) >.venv/test.log 2>&1 & \
	 beside=$$!; trap 'trap - TERM; kill 0' INT TERM; \
	 .venv/bin/python -m pytest -q $(addprefix --ignore=,$(JUDGING)); here=$$?; \
	 wait $$beside; beside=$$?; cat .venv/test.log; \
	 test $$here -eq 0 && test $$beside -eq 0 && echo "make test: $$((SECONDS - started)) s after set-up"

lint: .venv/.stamp  ## ruff and mypy --strict
	@.venv/bin/ruff check .
	@.venv/bin/mypy

test-core: .venv-core/.stamp  ## core, properties and golden, with pytest and hypothesis only: about a minute
	@started=$$SECONDS; .venv-core/bin/python -m pytest -q $(addprefix tests/,core checks property metamorphic golden test_architecture.py) && \
	 echo "make test-core: $$((SECONDS - started)) s after set-up"

# each extra by itself at the oldest release it names; 1.5.0 of langchain brings the langchain-core it was released with
FLOOR_CORE := langchain-core==1.4.0
FLOOR_AGENTS := langchain==1.5.0
test-floor: .venv-floor-core/.stamp .venv-floor-agents/.stamp  ## the LangChain adapter at the oldest releases it declares
	@.venv-floor-core/bin/python -m pytest -q tests/adapters/langchain
	@MEDFENCE_REQUIRE_ALL=1 .venv-floor-agents/bin/python -m pytest -q tests/adapters/langchain

# the measured peers, in an environment of their own
PEERS := medfence==0.1.0 rapidfuzz==3.14.6 langextract==1.7.1
bench: .venv-bench/.stamp  ## the time of verify(): growth, multiple of the floor, and the predecessor as a measured peer
	@.venv-bench/bin/python -m benchmarks.verify

.venv/.stamp: pyproject.toml
	@$(call build_venv,.venv,-e ".[dev$(comma)all]")
.venv-core/.stamp: pyproject.toml
	@$(call build_venv,.venv-core,-e ".[test]")
.venv-floor-core/.stamp: pyproject.toml Makefile
	@$(call build_venv,.venv-floor-core,-e ".[test]" "$(FLOOR_CORE)")
.venv-floor-agents/.stamp: pyproject.toml Makefile
	@$(call build_venv,.venv-floor-agents,-e ".[test]" "$(FLOOR_AGENTS)")
.venv-scribe/.stamp: pyproject.toml
	@$(call build_venv,.venv-scribe,-e ".[langchain$(comma)examples]")
.venv-bench/.stamp: pyproject.toml Makefile
	@$(call build_venv,.venv-bench,$(PEERS))

# Everything docs/evidence.md is made of, measured anew and dated DAY. The pages are those an engine has read before.
.PHONY: evidence evidence-ocr evidence-peers
DAY := $(shell date +%F)
RESULTS := benchmarks/results
evidence: evidence-ocr evidence-peers  ## measure anew and write docs/evidence.md: under half an hour on two cores
	@.venv-bench/bin/python -m benchmarks.grid --json $(RESULTS)/grid.json
	@.venv-bench/bin/python -m benchmarks.evidence --stamp $(DAY) "python -m benchmarks.grid" $(RESULTS)/grid.json
	@.venv-bench/bin/python -m benchmarks.evidence --write

evidence-ocr: .venv-bench/.stamp  ## recognised pages: faithful extractions, faults, review load, gates
	@.venv-bench/bin/python -m benchmarks.ocr --json $(RESULTS)/ocr.json --date $(DAY)

evidence-peers: .venv-bench/.stamp  ## what people would use instead, on the same pages
	@.venv-bench/bin/python -m benchmarks.peers --json $(RESULTS)/peers.json --date $(DAY)

clean:  ## remove every environment and cache made here
	rm -rf .venv* .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: demo-scribe
demo-scribe: $(SCRIBE_VENV)/.stamp  ## the scribe in full: each note, what became of it, an evidence page for each that was held
	@$(SCRIBE_VENV)/bin/python examples/scribe/scribe.py

.PHONY: golden grid sweep fuzz deep
golden: .venv-bench/.stamp  ## the golden gate's table, and the predecessor's own figures beside ours
	@.venv-bench/bin/python -m benchmarks.golden

grid: .venv-core/.stamp  ## every fault on every clean document in every layout: about five minutes on one core
	@.venv-core/bin/python -m benchmarks.grid

sweep: .venv-core/.stamp  ## every vector that passes, corrupted: one corruption in eight, some three minutes
	@.venv-core/bin/python -m benchmarks.sweep

FUZZ_SECONDS ?= 60
fuzz: .venv-core/.stamp  ## broken inputs for FUZZ_SECONDS (60); a crash is written as a vector
	@.venv-core/bin/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

deep: .venv-core/.stamp  ## the property laws with a thousand examples each
	@.venv-core/bin/python -m pytest -q --hypothesis-profile=evidence tests/property

# cosmic-ray and not mutmut: it makes one mutant of a text at a time through a documented call, so that a sample can be drawn and judged
# by the rows that run through the line; and it leaves strings alone, which here are messages, rule ids and lexicon keys. mutmut wraps
# functions only, and does not touch the tables of a module.
MUTATION := cosmic-ray==8.7.0
.PHONY: mutation
mutation: .venv-mutation/.stamp  ## a sample of mutants of the core, judged by rows and tests; needs Python 3.12
	@.venv-mutation/bin/python -m benchmarks.mutation --jobs 2 --json $(RESULTS)/mutation.json --date $(DAY)

.venv-mutation/.stamp: pyproject.toml Makefile
	@$(call build_venv,.venv-mutation,-e ".[test]" $(MUTATION))
