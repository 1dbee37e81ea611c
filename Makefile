# Both commands set up everything they need: a virtual environment, the dependencies, the kernels.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled to bytecode when they are first imported, not all of them now.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
SOURCES := $(BIN)/python pyproject.toml setup.py $(wildcard src/wordorder/kernels/*.py)

.PHONY: demo test test-engines test-integrations docs clean

demo: $(VENV)/.installed
	$(BIN)/wordorder demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

# Needs Java, for Spark. The last figures are kept in benchmarks/results/engines.json.
test-engines: $(VENV)/.test-engines
	$(BIN)/python -m pytest -W ignore -o filterwarnings=default tests/engines_of_others.py
	$(BIN)/python benchmarks/engines.py

# Needs torch, which is large.
test-integrations: $(VENV)/.test-integrations
	$(BIN)/python -m pytest tests/integrations tests/parsing/adapters

docs: $(VENV)/.docs
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# The kernels are compiled outside pip, which would show no progress.
define install
	@echo "installing what $(1) needs"
	@$(PIP) 'setuptools>=77'
	@WORDORDER_NO_COMPILE=1 $(PIP) --no-build-isolation --editable '.$(2)'
	@$(BIN)/python setup.py --quiet build_ext --inplace
endef

$(VENV)/.installed: $(SOURCES)
	$(call install,wordorder)
	@touch $@

# Installs the package too: once is enough for both.
$(VENV)/.test: $(SOURCES)
	$(call install,the test suite,[test])
	@touch $(VENV)/.installed $@

$(VENV)/.test-engines: $(VENV)/.test
	@$(PIP) 'dask[dataframe,distributed]' ray pyspark pyarrow polars pandas datasets
	@touch $@

$(VENV)/.test-integrations: $(VENV)/.test
	@$(PIP) spacy stanza evaluate torch torchmetrics compare-mt
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@WORDORDER_NO_COMPILE=1 $(PIP) --no-build-isolation --editable '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info src/wordorder/kernels/*.so
