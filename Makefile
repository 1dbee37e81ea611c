# Both commands set up everything they need: a virtual environment, the dependencies, the kernels.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test docs clean

demo: $(VENV)/.installed
	$(BIN)/wordorder demo

test: $(VENV)/.test
	$(BIN)/python -m pytest

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml setup.py $(wildcard src/wordorder/kernels/*.py)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# Installs the package too: once is enough for both.
$(VENV)/.test: $(BIN)/python pyproject.toml setup.py $(wildcard src/wordorder/kernels/*.py)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $(VENV)/.installed $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info src/wordorder/kernels/*.so
