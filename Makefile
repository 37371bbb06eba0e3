# The two commands to know: `make demo` and `make test`. Needs git, make and Python 3.11 or newer; the rest is installed into .venv.

VENV := .venv
BIN := $(VENV)/bin
MINUTES ?= 2

.PHONY: demo test test-agents lint bench chaos rules fmt docs clean

demo: $(VENV)/installed
	@$(BIN)/officectl demo

test: $(VENV)/installed-dev
	@$(BIN)/python tools/run_tests.py

# Downloads the agent programs first, and so is no part of `make test`.
test-agents: $(VENV)/installed-dev
	@$(BIN)/python tools/run_agents.py

lint: $(VENV)/installed-dev
	@$(BIN)/python tools/lint.py

bench: $(VENV)/installed-dev
	@$(BIN)/python bench/run.py $(ARGS)

chaos: $(VENV)/installed-dev
	@PYTHONPATH=bench $(BIN)/python -m chaos --minutes $(MINUTES) $(ARGS)

# Reads files only: any Python will do, and nothing is installed for it.
rules:
	@python3 tools/rules.py

fmt: $(VENV)/installed-dev
	@$(BIN)/ruff check --quiet --fix-only . && $(BIN)/ruff format --quiet . && $(BIN)/sqlfluff fix --quiet sql

docs: $(VENV)/installed-dev
	@$(BIN)/python tools/sql_reference.py

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist python/*.egg-info

$(VENV)/installed: pyproject.toml
	@tools/install.sh $(VENV) .
	@touch $@

$(VENV)/installed-dev: pyproject.toml
	@tools/install.sh $(VENV) '.[test,lint]'
	@touch $(VENV)/installed $@
