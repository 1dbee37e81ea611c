# Both commands set up everything they need: a virtual environment, the dependencies, the kernels.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Modules are compiled to bytecode when they are first imported, not all of them now.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
PYTEST := $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile
SOURCES := $(BIN)/python pyproject.toml setup.py $(wildcard src/wordorder/kernels/*.py)

.PHONY: demo test test-slow test-engines test-integrations check-results docs clean

demo: $(VENV)/.installed
	$(BIN)/wordorder demo

test: $(VENV)/.test
	$(PYTEST) -m "not slow"

# Kills, little memory, bombs, pages in a browser.
# Only the files that have some: collecting all would take as long as many of them.
test-slow: $(VENV)/.test
	$(PYTEST) -m slow tests/browser $$(grep -rl --include='*.py' 'mark\.slow' tests)

# Needs Java, for Spark. The last figures are kept in benchmarks/results/engine_tables.json.
test-engines: $(VENV)/.test-engines
	$(BIN)/python -m pytest -W ignore -o filterwarnings=default tests/engines_of_others.py \
	  tests/scale/test_live_sessions.py
	$(BIN)/python benchmarks/engines.py

# Needs torch, which is large; where pip finds it, its build for the CPU.
test-integrations: $(VENV)/.test-integrations
	$(BIN)/python -m pytest tests/integrations tests/parsing/adapters

# Names kept results that are older than the code, or the version, that they measure.
check-results: $(VENV)/.test
	$(BIN)/python benchmarks/run_all.py --check
	$(BIN)/python -m papers.run_all

# A package for each language of a folder of UD treebanks: make models UD=FOLDER
models: $(VENV)/.installed
	@test -n "$(UD)" || { echo "make models UD=FOLDER, a folder of UD treebanks" >&2; exit 2; }
	$(BIN)/python tools/models.py $(UD)

docs: $(VENV)/.docs
# The theme speaks of the next version of its builder whenever it is imported.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# What is begun and cannot be finished does not stay: a second run would find it there, without pip.
$(BIN)/python:
	@if [ -e $(VENV) ]; then begun=; else begun=$(VENV); fi; \
	said=$$($(PYTHON) -m venv $(VENV) 2>&1) && exit; rm -rf $$begun; \
	if $(PYTHON) -c '' && ! $(PYTHON) -c 'import ensurepip'; then \
	  said="$(PYTHON) cannot make virtual environments: its module ensurepip is missing."; \
	  said="$$said On Debian and Ubuntu: apt install python3-venv"; \
	fi 2> /dev/null; echo "$$said" >&2; exit 1

# The kernels are compiled outside pip, which would show no progress.
define install
	@$(BIN)/python -m pip --version > /dev/null 2>&1 || \
	  { echo "$(VENV) has no pip: make clean removes it" >&2; exit 1; }
	@echo "installing what $(1) needs"
	@$(PIP) 'setuptools>=77' 'cython>=3.1'
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
	@$(PIP) spacy stanza evaluate torch==2.13.0 torchmetrics compare-mt
	@$(PIP) pandas pyyaml tqdm tornado textgrid 'moto[server]' s3fs aiohttp
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	@WORDORDER_NO_COMPILE=1 $(PIP) --no-build-isolation --editable '.[docs]'
	@touch $@

clean:
	rm -rf $(VENV) build dist site src/*.egg-info src/wordorder/kernels/*.so
