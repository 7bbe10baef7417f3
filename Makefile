# symgen: every target makes what it needs, in a virtual environment of its own (.venv).
# A machine needs Python >= 3.11, a C compiler and make. PYTHON=... chooses the interpreter.

VENV   := .venv
PY     := $(VENV)/bin/python
CORE   := $(VENV)/.symgen-core
DEV    := $(VENV)/.symgen-dev
SITE   := $(VENV)/.symgen-docs
# Other tools may want other versions of our dependencies: they get an environment of their own.
BENCH  := .venv-bench
PYTEST_ARGS ?= -n 2 --dist worksteal

.PHONY: help demo test test-share test-all test-slow export-tools check docs format bench bench-dynamics bench-transfer \
  bench-controllers generate certificates clean

help:
	@echo "make demo      two mechanisms from file to pictures (installs symgen first)"
	@echo "make test      something of every kind, in minutes; SYMGEN_FORBID_SKIPS=1 makes a skipped test a failure"
	@echo "make test-share  what CI runs: make test, and an eighth of all other tests, with each commit another one"
	@echo "make test-all  the whole test suite"
	@echo "make test-slow every solved type on targets, static analysers, fuzzing: an hour; tools: docs/contributing.md"
	@echo "make export-tools  CasADi and simulators of FMUs, for some tests of exports (240 MB); without them these are skipped"
	@echo "make check     format, lint, types, layering, the site without a warning, regenerate and compare"
	@echo "make docs      build the documentation site: build/docs/index.html"
	@echo "make format    put the sources into the project's format"
	@echo "make bench     measure against other tools, write docs/benchmarks.md"
	@echo "make bench-dynamics  simulate beside other tools, write docs/benchmarks-dynamics.md"
	@echo "make bench-transfer  accelerations of trees beside other tools, write docs/benchmarks-transfer.md"
	@echo "make bench-controllers  exports in an emulator beside CasADi's C, write docs/benchmarks-controllers.md"
	@echo "make generate  write generated/ again"
	@echo "make certificates  derive the library again, compare it with exact values, write its certificates"
	@echo "make clean     remove .venv, caches and the demo's output"

demo: $(CORE)
	$(PY) -m symgen demo

test: $(DEV)
	$(PY) -m pytest $(PYTEST_ARGS)

# About eight commits run every test; a clone without history takes a share by the commit's name. SYMGEN_SHARE=2/8 chooses.
SHARES := 8
test-share: $(DEV)
	commits=$$(git rev-list --count HEAD 2>/dev/null || echo 0); \
	if [ "$$(git rev-parse --is-shallow-repository 2>/dev/null)" = true ]; then \
	  commits=$$((0x$$(git rev-parse --short=7 HEAD | cut -c 1-7))); fi; \
	SYMGEN_SHARE=$${SYMGEN_SHARE:-$$((commits % $(SHARES)))/$(SHARES)} $(PY) -m pytest $(PYTEST_ARGS)

test-all: $(DEV)
	SYMGEN_EVERYTHING=1 $(PY) -m pytest $(PYTEST_ARGS)

# No part of CI: what it needs takes 2 GB, and its tests an hour. Tools that are not there are skipped with a reason.
test-slow: $(DEV)
	SYMGEN_SLOW=1 $(PY) -m pytest -m provers $(PYTEST_ARGS)

# Warnings are errors, and every page is made again: lists in the margin are on all of them. Pictures of the examples are
# kept in build/ until symgen changes.
docs: $(SITE)
	$(PY) -m sphinx -E -a -q -W --keep-going -n -j 4 -d build/doctrees docs build/docs
	@echo "built: build/docs/index.html"

check: $(DEV) docs
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	@set -e; echo "types, and the layers beside them"; \
	$(PY) -m mypy & types=$$!; \
	$(PY) -m pytest -q tests/test_architecture.py || { wait $$types; exit 1; }; \
	wait $$types
	SYMGEN_EVERY_UNIT=1 $(PY) -m pytest -q $(PYTEST_ARGS) tests/generated_code/test_strict_compile.py
	@set -e; folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	echo "make what is made on first use, and test it"; \
	rare=$$($(PY) -c 'from symgen.library.first_use import ON_FIRST_USE; print(*ON_FIRST_USE)'); \
	$(PY) -m symgen generate $$rare --out "$$folder/rare"; \
	SYMGEN_EVERY_UNIT=1 SYMGEN_TESTED_MODULES="$$folder/rare" $(PY) -m pytest -q $(PYTEST_ARGS) tests/solvers \
	  tests/generated_code/test_strict_compile.py tests/generated_code/test_backends_agree.py \
	  tests/generated_code/test_float_bounds.py; \
	echo "make a few that call <math.h>, and test them"; \
	$(PY) -m symgen generate dyad_rrr driven_u_3d loop_rss triad_rr_rr_rr --math libm --out "$$folder/libm"; \
	SYMGEN_EVERY_UNIT=1 SYMGEN_TESTED_MODULES="$$folder/libm" $(PY) -m pytest -q $(PYTEST_ARGS) \
	  tests/solvers/test_solver_positions.py tests/generated_code/test_strict_compile.py \
	  tests/generated_code/test_backends_agree.py; \
	echo "regenerate with PYTHONHASHSEED=0 and 1, compare with generated/"; \
	pids=""; \
	for seed in 0 1; do \
	  PYTHONHASHSEED=$$seed $(PY) -m symgen generate engines --out "$$folder/$$seed" & pids="$$pids $$!"; \
	done; \
	for pid in $$pids; do wait $$pid; done; \
	for seed in 0 1; do \
	  PYTHONHASHSEED=$$seed $(PY) -m symgen generate --all --out "$$folder/$$seed"; \
	  diff -r --exclude=.keep --exclude=__pycache__ --exclude=*.certificate.json generated "$$folder/$$seed" \
	    || { echo "generated/ is not what the sources generate: make generate, look at the diff, commit both"; exit 1; }; \
	done

format: $(DEV)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

bench: $(BENCH)/.symgen-peers
	$(BENCH)/bin/python -m benchmarks

bench-dynamics: $(BENCH)/.symgen-dynamics-peers
	$(BENCH)/bin/python -m benchmarks dynamics

bench-transfer: $(BENCH)/.symgen-transfer-peers
	$(BENCH)/bin/python -m benchmarks transfer

bench-controllers: $(BENCH)/.symgen-peers
	$(BENCH)/bin/python -m benchmarks controllers

generate: $(CORE)
	$(PY) -m symgen generate --all --force --out generated
	$(PY) -m symgen generate engines --force --out generated

certificates: $(CORE)
	$(PY) -m symgen check --library --certify

clean:
	rm -rf $(VENV) $(BENCH) .pytest_cache .mypy_cache .ruff_cache .hypothesis demo build dist docs/made
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment. A stamp is older than pyproject.toml when its extras may have changed.

$(PY):
	@python=""; \
	for candidate in $(or $(PYTHON),python3 python3.11 python3.12 python3.13 python3.14 python); do \
	  if "$$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then python="$$candidate"; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "symgen needs Python 3.11 or newer; found: $$(python3 --version 2>&1 || echo none)." >&2; \
	  echo "Install it, or name it: make PYTHON=/path/to/python3.11 ..." >&2; exit 2; \
	fi; \
	if ! "$$python" -m venv $(VENV); then \
	  rm -rf $(VENV); \
	  echo "$$python cannot make a virtual environment (Debian and Ubuntu: apt-get install python3-venv)." >&2; exit 2; \
	fi

$(CORE): pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(DEV): pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(CORE) $@

$(SITE): pyproject.toml $(DEV)
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $(CORE) $(DEV) $@

# Without the dependencies that only their own programs need (CMake alone is 90 MB).
export-tools: $(DEV)
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps 'fmpy>=0.3.20,<0.4' 'libcosimpy==0.0.6' casadi
	$(PY) -m pip install --quiet --disable-pip-version-check attrs lxml msgpack

# A peer that cannot be installed is left out of the table, with the reason; it stops nothing.
define install_peers
@for peer in $(1); do \
  $(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check "$$peer" \
    || echo "peer $$peer cannot be installed here: left out"; \
done
@touch $@
endef

$(BENCH)/.symgen-peers: $(BENCH)/.symgen-core
	$(call install_peers,casadi numba symengine pydy heyoka networkx pylinkage)

$(BENCH)/.symgen-dynamics-peers: $(BENCH)/.symgen-core
	$(call install_peers,mujoco exudyn pin)

$(BENCH)/.symgen-transfer-peers: $(BENCH)/.symgen-core
	$(call install_peers,mujoco pin drake)

$(BENCH)/.symgen-core: pyproject.toml | $(PY)
	$(PY) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@
