# The same verbs for people and for continuous integration. Everything happens in one environment, $(VENV), made from
# the hash-locked requirements, and on the real wheel, never on the checkout (docs/decisions/0002-root-as-package.md).
#
#   make demo                     make test TESTS=tests/identity ARGS='-k manifest'
#   make bench ARGS=--json        make VENV=/elsewhere PYTHON=python3.12 test

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
TESTS ?= tests

BIN := $(VENV)/bin
BUILD := $(VENV)/build
PIP := $(BIN)/python -m pip -qq # speaks only of failures
FOLDERS := authority cards census cli conformance errors files identity provenance replay runtime samples schemas tracks vectors
PACKAGED := __init__.py py.typed pyproject.toml LICENSE $(wildcard README.md) \
  $(sort $(shell find $(FOLDERS) -type f \( -name '*.py' -o -name '*.json' -o -name '*.md' -o -name '*.yaml' \)))
BESIDE := $(sort $(dir $(wildcard tests/*.py benchmarks/*.py fuzz/*.py docs/*.py schemas_gen/*.py)))
# For what must hold wherever a script goes.
HERE = $$(cd $(VENV) && pwd)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
# Could put the checkout before the installed wheel.
unexport PYTHONPATH
.PHONY: FORCE bench clean demo docs fuzz help install lint lock schemas test

help: ## show these verbs
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1	\2/p' Makefile

demo: install ## manifests, cards and runs before your eyes: made, changed, graded, refused
	@PATH="$(HERE)/bin:$$PATH" sh docs/demo.sh

test: install ## run the tests against the installed wheel, on all processors
	@HYPOTHESIS_STORAGE_DIRECTORY="$(HERE)/hypothesis" \
	  $(BIN)/pytest $(TESTS) -c tests/pytest.ini --rootdir=. -o cache_dir="$(HERE)/pytest" -n auto --dist loadfile $(ARGS)

lint: install ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check --quiet --output-format concise --cache-dir $(VENV)/ruff .
	$(BIN)/ruff format --check --quiet --cache-dir $(VENV)/ruff .
	$(BIN)/mypy --strict --cache-dir $(VENV)/mypy -p operatebench
	$(BIN)/mypy --strict --cache-dir $(VENV)/mypy-beside $(BESIDE)
	$(BIN)/lint-imports --no-logo --cache-dir $(VENV)/imports

bench: install ## print every measured ratio beside its target (ARGS=--json)
	@$(BIN)/python -m benchmarks $(ARGS)

fuzz: install $(VENV)/.fuzz ## coverage-guided fuzzing of parser, validator and command line
	@$(BIN)/python fuzz/run.py $(ARGS)

schemas: install ## write the generated schemas anew
	@$(BIN)/python -m schemas_gen

docs: install ## write the generated pages anew
	@$(BIN)/python docs/generate.py

install: $(VENV)/.installed ## make the environment and install the wheel in it

lock: $(VENV)/.made ## pin the requirements anew, with hashes
	@$(PIP) install --require-hashes -r requirements/lock.txt
	@for name in runtime:pyproject.toml dev:"pyproject.toml requirements/dev.in" fuzz:requirements/fuzz.in lock:requirements/lock.in; do \
	  echo "requirements/$${name%%:*}.txt"; \
	  $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
	    --no-config --no-emit-index-url $${name#*:} --output-file requirements/$${name%%:*}.txt || exit 1; \
	done

clean: ## remove the environment and what builds and checkers left
	@if [ -f $(VENV)/pyvenv.cfg ]; then rm -rf $(VENV); fi
	@rm -rf build dist *.egg-info .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './.*' -prune -exec rm -rf {} +

# The environment: interpreter, then locked packages, then the wheel. Each stamp is written when its step is complete.

$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) here: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: install its venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
	@echo "environment   $(VENV), $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.packages: requirements/dev.txt $(VENV)/.made
	@echo "packages      $< (the first time: a minute or two)"
	@$(PIP) install --require-hashes -r $<
	@touch $@

$(VENV)/.fuzz: requirements/fuzz.txt $(VENV)/.packages
	@echo "packages      $<"
	@$(PIP) install --require-hashes -r $<
	@touch $@

# Names and contents of all packaged files: changed, added and removed ones all show here, whatever their dates say.
$(VENV)/.packaged: FORCE $(VENV)/.packages
	@cksum $(PACKAGED) >$@.now
	@if cmp -s $@.now $@; then rm $@.now; else mv $@.now $@; fi

# Built from a copy, so that nothing an earlier build left, here or in the checkout, gets into the wheel.
$(VENV)/.installed: $(VENV)/.packaged
	@rm -rf $(BUILD)
	@mkdir -p $(BUILD)/source
	@COPYFILE_DISABLE=1 tar -cf - $(PACKAGED) | tar -xf - -C $(BUILD)/source
	@$(PIP) wheel --no-deps --no-build-isolation --no-index --wheel-dir $(BUILD) $(BUILD)/source
	@$(PIP) install --no-deps --no-index --force-reinstall $(BUILD)/*.whl
	@echo "operatebench  $$(cd $(BUILD) && echo *.whl)"
	@touch $@
