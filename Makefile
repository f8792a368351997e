# Everything a reader or a contributor runs; `make help` lists it.
#
# Every target makes what it needs.  The first makes `.venv` from the lock and adds the package, what goes
# beyond it and the book's own tools; it is made anew only when requirements.txt or a pyproject.toml of these two changes.

VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
COURSE := .venv-course
HTML   := _build/html
PYTEST := $(BIN)/python -m pytest
TIMES  := _build/times
COV    ?= --cov
PUBLIC := $(CURDIR)/_build/public

# Where this is set, each process compiles all that it imports: two seconds for each notebook.
unexport PYTHONDONTWRITEBYTECODE

# The first suitable Python; choose another with `make test PYTHON=/path/to/python`.
SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON   ?= $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	$$name -c "$(SUITABLE)" 2>/dev/null && echo $$name && break; done)

.DEFAULT_GOAL := help
.PHONY: help book live test lowest newest browser pdf screenshots lab outputs course lint types style format bench audit check-all wheels lock clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' Makefile

book: $(READY) ## Build the book, with the outputs that are stored in notebooks/ (HELD=out: no card that waits)
ifeq ($(HELD),out)
	$(BIN)/python scripts/held.py $(PUBLIC)
	test ! -d _build/live || { mkdir -p $(PUBLIC)/_build && ln -s $(CURDIR)/_build/live $(PUBLIC)/_build/live; }
	PYTHONPATH=$(PUBLIC):$(PUBLIC)/beyond:$(PUBLIC)/book $(MAKE) -C $(PUBLIC) book HELD= VENV=$(abspath $(VENV))
else
	rm -rf $(HTML) _build/.doctrees _build/jupyter_execute
	$(BIN)/python scripts/pages.py
	$(BIN)/jupyter-book build . --path-output . -W -n --keep-going
	@echo; echo "Open this page: $(CURDIR)/$(HTML)/index.html"
endif

live: $(READY) ## Fetch Python for the pages (53 MB, or 130: SECURITY.md), so that their cells run; make book takes it along
	$(BIN)/python -m sensitivity_book.live _build/live

test: $(READY) ## Run the tests, the doctests, and every notebook against its stored outputs
	$(PYTEST) tests sensitivity_lab beyond/sensitivity_beyond book/sensitivity_book book/sensitivity_board --ignore tests/browser \
	  --doctest-modules --mpl --mpl-baseline-path tests/baseline --mpl-default-tolerance 5 --mpl-default-backend agg \
	  $(COV) -n auto --dist worksteal -p no:nbval --junitxml $(TIMES)/test.xml
	$(if $(COV),for part in sensitivity_lab beyond; do $(BIN)/coverage report --format total --include "$$part/*" || exit 1; done)
	$(PYTEST) --nbval notebooks -n auto --dist loadscope --junitxml $(TIMES)/notebooks.xml

lowest: ## Test both packages, and three notebooks, with the lowest versions that they declare (Python 3.11)
newest: ## The same with the newest that there are today, which the lock does not know
lowest: RESOLUTION = --resolution lowest-direct
newest: RESOLUTION = --resolution highest --refresh
lowest newest: $(READY)
	$(BIN)/python -m venv --clear $(VENV)-$@
	$(BIN)/uv pip install --quiet --python $(VENV)-$@/bin/python $(RESOLUTION) \
	  -e '.[plot]' -e './beyond[sql,testing]' -e './book[nbval]' "polars>=2" "pyarrow>=26" "pytest-cov>=7" "pytest-mpl>=0.19" "pytest-xdist>=3.8"
	$(VENV)-$@/bin/python -m pytest -n auto tests/core/test_sensitivity.py tests/core/test_properties.py \
	  tests/core/test_universe.py tests/beyond/audit tests/beyond/tables/test_rows.py tests/beyond/sql/test_sql.py
	$(VENV)-$@/bin/python -m pytest --nbval -n auto --dist loadscope \
	  notebooks/04-school.ipynb notebooks/05-vehicle.ipynb notebooks/06-closed-forms.ipynb

browser: $(READY) ## Look at the built book and at JupyterLab in a real Chromium (BROWSERS=all: in Firefox, too)
	$(PYTEST) tests/browser $(if $(BROWSERS),,--ignore tests/browser/test_firefox.py) -n auto --dist loadgroup \
	  -p no:nbval --junitxml $(TIMES)/browser.xml

pdf: $(READY) ## Bind the built book as one PDF, _build/sensitivity-lab.pdf (needs Chromium)
	$(BIN)/python scripts/pdf.py

screenshots: $(READY) ## Keep two pictures of every built page in _build/screenshots
	SCREENSHOTS=1 $(PYTEST) tests/browser/test_book.py -k test_a_page -n auto --dist loadgroup

lab: $(READY) ## Read the book in JupyterLab, in copies that are yours to change (LAB=--allow-root in a container)
	$(BIN)/python scripts/lab.py
	JUPYTER_CONFIG_PATH=$(CURDIR)/scripts:$$JUPYTER_CONFIG_PATH JUPYTER_PATH=$(CURDIR)/scripts:$$JUPYTER_PATH \
	  $(BIN)/jupyter lab _build/lab/00-start.ipynb --LabApp.default_url=/lab/tree/00-start.ipynb $(LAB)

outputs: $(READY) ## Run the chapters' text and write notebooks/ (NOTEBOOKS=... for some; RUN=stored: only what has other code)
	$(BIN)/python scripts/outputs.py $(RUN) $(NOTEBOOKS)

course: $(COURSE)/.ready ## Build what people teach from (SEED=... for marked numbers, CHECK=1 to try all of it)
	PATH="$(CURDIR)/$(COURSE)/bin:$$PATH" $(COURSE)/bin/python scripts/course.py $(SEED)
	$(if $(CHECK),PATH="$(CURDIR)/$(COURSE)/bin:$$PATH" $(COURSE)/bin/python -m pytest -q book/course/check_built.py)

lint: types style ## Check style and types (-j2: both at once)

types: $(READY)
	$(BIN)/mypy

style: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxlint book
	$(BIN)/python scripts/budget.py

format: $(READY) ## Put the code in the one style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(READY) ## Time the package against a naive enumeration
	$(BIN)/python benchmarks/bench.py $(BENCH)
	$(BIN)/python benchmarks/scale.py $(BENCH)

audit: $(READY) ## Ask other libraries again, each in its own environment, and say what changed
	$(BIN)/python -u -m sensitivity_board.audit $(LIBRARIES)

check-all: lint ## The slow checks: long fuzzing, three Pythons, lowest and newest versions, two identical builds, a browser
	ORACLE_CASES=1000 $(PYTEST) tests/core/methods/test_walk_and_sweep.py -n auto
	CHECK_ALL=1 FAULT_CASES=10000 $(PYTEST) tests/beyond/test_faults.py -n auto
	CHECK_ALL=1 SQL_CASES=1000 $(PYTEST) tests/beyond/sql/test_sql_fuzz.py -n auto
	RECORDS_CASES=40 VECTOR_CASES=300 $(PYTEST) tests/beyond/tables/test_records.py tests/beyond/tables/test_people_vectors.py -n auto
	ASK_CASES=1000 $(PYTEST) tests/beyond/ask -n auto
	CHECK_ALL=1 SOLVER_RECORDS=5 SOLVER_CASES=1000 $(PYTEST) tests/beyond/proofs tests/core/proved -n auto
	CHECK_ALL=1 $(MAKE) test VENV=.venv-3.11 PYTHON=python3.11
	for version in 3.12 3.13; do \
	  $(MAKE) test VENV=.venv-$$version PYTHON=python$$version || exit 1; done
	$(MAKE) lowest newest VENV=.venv-3.11 PYTHON=python3.11
	$(MAKE) live book
	rm -rf _build/first && cp -r $(HTML) _build/first
	$(MAKE) outputs book
	git diff --exit-code --stat notebooks && diff -rq _build/first $(HTML) && \
	  echo "The notebooks answer what is stored, and two builds are identical."
	CHECK_ALL=1 $(MAKE) browser BROWSERS=all
	$(MAKE) course CHECK=1

wheels: $(READY) ## Build three wheels in _build/wheels: the package, what goes beyond it, the book's tools
	rm -rf _build/wheels
	for part in . beyond book; do \
	  $(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir _build/wheels $$part && \
	  rm -rf $$part/build || exit 1; done
	@ls _build/wheels/*.whl; echo "In Colab, beside an uploaded notebook and these: %pip install *.whl"

lock: $(READY) ## Resolve requirements.in into requirements.txt (UPGRADE=--upgrade for news)
	$(BIN)/uv pip compile requirements.in --output-file requirements.txt --quiet $(UPGRADE) \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras
	$(BIN)/uv pip compile book/course/requirements.in --constraint requirements.txt --quiet $(UPGRADE) \
	  --universal --python-version 3.11 --generate-hashes --no-header --no-strip-extras \
	  | awk '/^[a-z0-9]/ { keep = !(NR != FNR && $$1 in known); if (NR == FNR) known[$$1] } NR != FNR && keep' \
	    requirements.txt - > book/course/requirements.txt

clean: ## Remove what was built and installed
	rm -rf _build .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage build */build *.egg-info */*.egg-info

# The course's own: the book's lock, and above it what the course alone asks for.
$(COURSE)/.ready: $(READY) book/course/requirements.txt
	$(BIN)/python -m venv --clear $(COURSE)
	$(BIN)/uv pip install --quiet --python $(COURSE)/bin/python --require-hashes -r requirements.txt -r book/course/requirements.txt
	$(BIN)/uv pip install --quiet --python $(COURSE)/bin/python --no-deps --no-build-isolation -e . -e beyond -e book
	@touch $@

# pip brings uv, which brings the rest in a seventh of pip's time.  What knows addresses in every script leaves
# again: jsonschema does without, and else each process that opens a notebook reads its grammar, for 1.3 s.
# Matplotlib lists the machine's fonts on its first import, and says so; better here than in a notebook.
$(READY): requirements.txt beyond/pyproject.toml book/pyproject.toml
	@$(PYTHON) -c "$(SUITABLE)" 2>/dev/null || { \
	  echo "Sensitivity Lab needs Python 3.11, 3.12 or 3.13; '$(PYTHON)' is none of them." >&2; \
	  echo "Install one, or name one that you have: make $(MAKECMDGOALS) PYTHON=/path/to/python3.12" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	sed -n '/^uv==/,/# via/p' requirements.txt > $(VENV)/uv.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(VENV)/uv.txt
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt
	$(BIN)/uv pip uninstall --quiet --python $(BIN)/python rfc3987-syntax
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . -e beyond -e book
	$(BIN)/python -c "import matplotlib.font_manager"
	@touch $@
