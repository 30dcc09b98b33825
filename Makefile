# Each target works as the first command on a fresh clone: it makes .venv, installs the pinned
# versions of constraints.txt, and then does its job. A second call installs nothing.

PYTHON ?= $(shell for p in python3 python3.11 python3.12 python3.13 python; do \
	$$p -c 'import platform, sys; intel = (platform.system(), platform.machine()) == ("Darwin", "x86_64"); \
	sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 11 if intel else 13))' 2>/dev/null \
	&& echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -q -c constraints.txt
UV := $(BIN)/python -m uv pip install -q -c constraints.txt --python $(BIN)/python --compile-bytecode
STAMPS := .venv/.stamp
# How many processes run tests at a time. Three use two cores better, but need 12 GB of memory
PROCESSES ?= 2

export TF_CPP_MIN_LOG_LEVEL ?= 3

.PHONY: course lab test test-all test-release test-interop notebooks mutants bench lint constraints clean

course: $(STAMPS)-lab  ## run the solution notebooks on real data and write build/
	$(BIN)/siamese-course run

lab: $(STAMPS)-lab  ## open the learner's notebooks in JupyterLab
	$(BIN)/siamese-course lab

test: $(STAMPS)-dev  ## the quicker tests, including nbval on the solution of notebook 01
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal --durations=20

test-all: test  ## make test, then the slow tests, many of which spend their time waiting
	$(BIN)/python -m pytest -n 3 --dist worksteal --durations=20 -m "slow and not release"

test-release: $(STAMPS)-dev  ## the lower bounds, a fresh clone, whole made-up classes, the longest answers, all mutants
	$(BIN)/python -m pytest -n 3 --dist worksteal --durations=20 -m release
	$(BIN)/python tools/mutants.py

test-interop: $(STAMPS)-interop  ## embeddings beside those of sentence-transformers, which it installs
	$(BIN)/python -m pytest -m "" --durations=20 tests/backbones/test_hugging_face.py

# make notebooks NUMBERS=03 builds one of them
notebooks: $(STAMPS)-dev  ## learner and solution notebooks from notebooks/source
	$(BIN)/siamese-course notebooks $(NUMBERS)

# make mutants ROWS="--show 01.knn" for one exercise, with what survives
mutants: $(STAMPS)-dev  ## count how many small changes of right answers the checks notice
	$(BIN)/python tools/mutants.py $(ROWS)

# PyTorch as pip finds it; its CPU build is smaller: PIP_EXTRA_INDEX_URL=... make bench
bench: $(STAMPS)-bench  ## measure, or some rows of it: make bench ROWS="losses search"
	$(BIN)/python -m benchmarks.run $(ROWS)

lint: $(STAMPS)-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/deptry siamese_course benchmarks tools
	$(BIN)/mypy

constraints:  ## pin what a fresh installation without pins picks today
	$(PYTHON) -m venv build/pins
	build/pins/bin/pip install -q .[bench,dev,interop,teachers]
	build/pins/bin/pip list --format=freeze --exclude siamese-course --exclude pip --exclude setuptools | sed 's/+cpu$$//' > build/pins.txt
	build/pins/bin/python tools/platforms.py --pins build/pins.txt

clean:
	rm -rf .venv build

.venv/bin/python:
	@$(or $(PYTHON),false) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { echo "Python 3.11, 3.12 or 3.13 is needed and was not found$(if $(PYTHON), ($(PYTHON) is not one of these)). Install it, or name it: make PYTHON=/path/to/python course"; exit 1; }
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo "On Debian and Ubuntu the venv module is a package of its own: apt install python3-venv"; exit 1; }

# uv takes a fraction of pip's time; pip is the fallback, for example with a registry that only pip is configured for
$(STAMPS)-lab: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) uv && $(UV) -e '.[lab]' || $(PIP) -e '.[lab]'
	@touch $@

$(STAMPS)-dev: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) uv && $(UV) -e '.[dev]' || $(PIP) -e '.[dev]'
	@touch $(STAMPS)-lab $@

$(STAMPS)-interop: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[dev,bench,interop]'
	@touch $(STAMPS)-lab $(STAMPS)-dev $(STAMPS)-bench $@

# What tools/distill.py and tools/silver.py need: 500 MB of encoders
$(STAMPS)-teachers: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[teachers]'
	@touch $(STAMPS)-lab $(STAMPS)-bench $@

$(STAMPS)-bench: .venv/bin/python pyproject.toml constraints.txt
	$(PIP) -e '.[bench]'
	@touch $(STAMPS)-lab $@
