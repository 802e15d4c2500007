# make help says what each target does.  One virtual environment, .venv, is made on first use; a stamp file in it
# per set of tools makes every later run quick.  Another interpreter: make PYTHON=python3.12 test.  Fewer processes
# for the tests than there are cores: make JOBS=2 test.  Each process has one thread for linear algebra, so that they
# do not wait for each other; `make kernels` leaves the threads as they are.  A process takes file after file in the
# order of their names: the last are examples of docstrings, so that all processes end at about the same time.  What
# is installed is compiled when it is first imported: most of it never is.  Tools are groups of pyproject.toml, which
# pip installs from version 25.1 on: a new environment gets the pinned pip first.
.POSIX:

PYTHON = python3
VENV = .venv
JOBS = auto
BIN = $(VENV)/bin
PYTEST = OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder
FLOORS = .venv-floors
CELLS = .venv-cells
PIP = python -m pip install --quiet --disable-pip-version-check --no-compile
INSTALL = $(BIN)/$(PIP) -c .ci/constraints-main.txt
CELLS_INSTALL = $(CELLS)/bin/$(PIP) -c .ci/constraints-cells.txt
TESTED = validation,dask,files,foreign
LOOPS = tests/methods/shared/test_engines.py tests/core/test_loops.py tests/methods/sparse_kmeans/test_compiled_lloyd.py tests/methods/skfr/test_skfr_loops.py tests/methods/sparse_kmeans/test_products.py
SETTINGS = pyproject.toml .ci/constraints.txt .ci/constraints-main.txt
# Containers often set this, and then every process compiles all that it imports: five seconds for each of the many
# that the tests start.  make passes the empty value on, which allows Python to keep what it compiled.
PYTHONDONTWRITEBYTECODE =

help:
	@echo "make setup      install what the commands below need into .venv; each also does so by itself"
	@echo "make validate   compare with R's recorded results (and with R itself where it is there): report/index.html"
	@echo "make test       what guards behaviour, with R itself where it is there; README has the times"
	@echo "make test-all   all tests: also papers, pages, packaging, software arithmetic, random live cases"
	@echo "make test-compiled  of all tests those of the loops that numba compiles"
	@echo "make test-floors  the test suite with the oldest versions that pyproject.toml allows"
	@echo "make explore    every test that draws its cases, with new ones (one seed again: make explore SEED=22, more: make explore SEEDS=20)"
	@echo "make kernels    the whole suite under each of OpenBLAS' kernels Haswell, Zen, SkylakeX and Prescott, and without numpy's vector loops"
	@echo "make test-cells  the tests that need anndata or scanpy, beside the newest pandas that both take"
	@echo "make readme     README's commands in a fresh environment with an empty cache, and what they print"
	@echo "make arm64      a third of the recorded cases on 64-bit ARM, emulated by qemu-user"
	@echo "make lint       ruff, mypy, import-linter, prose of the pages, numpydoc validation"
	@echo "make r          install the R packages from CRAN and the rpy2 that fits the installed R"
	@echo "make tables     Tables 1 to 4 of the SKFR paper at full scale: results/tables.html (it shows the time left; other papers: python -m validation tables --help)"
	@echo "make mutants    change single tokens of the code, 300 of them, and list the changes that no test notices"
	@echo "make fuzz       call everything with inputs of every kind for 5 minutes (longer: make fuzz FUZZ='--minutes 60')"
	@echo "make times      time the commands of README in a fresh clone, and write its table"
	@echo "make bench      time sparsek against scikit-learn, and against R where it is there, for docs/speed.md"
	@echo "make docs       build the documentation, with the report of make validate, which it runs if there is none: docs/_build/index.html"
	@echo "make docs-check  build the documentation, follow its links, and measure twelve pages in Chromium where it is there"
	@echo "make clean      remove everything that make made"

$(VENV)/created: .ci/constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
	@touch $@

$(VENV)/validation: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[validation]'
	@touch $@

$(VENV)/test: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[$(TESTED)]' --group test
	@touch $@

$(VENV)/fast: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[fast]'
	@touch $@

$(VENV)/mutants: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[$(TESTED)]' --group mutants
	@touch $@

$(VENV)/lint: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e . --group lint
	@touch $@

# One call of pip is quicker than four.
$(VENV)/all-tests: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[$(TESTED),fast]' --group mutants --group lint
	@touch $(VENV)/test $(VENV)/fast $(VENV)/mutants $(VENV)/lint $@

$(VENV)/docs: $(VENV)/created $(SETTINGS)
	$(INSTALL) -e '.[validation,dask]' --group docs
	@touch $@

setup: $(VENV)/all-tests $(VENV)/validation $(VENV)/docs $(VENV)/compiled rpy2

# Runs every time, because R may come or change after the environment was made; quick once rpy2 is there.
rpy2: $(VENV)/created
	@sh .ci/install-rpy2 $(VENV)

# A part of it: make validate REPORT="--papers student --cases=-0", as for the pages of continuous integration.
validate: $(VENV)/validation rpy2
	$(BIN)/python -m validation report $(REPORT)

# Python compiles a file when it is first imported, and numba a loop when it first runs: once here, by one process,
# what several processes would compile at the same time.  What fails here is no error before the tests run.
$(VENV)/compiled: $(VENV)/test $(VENV)/fast
	-@$(BIN)/python -m pytest -q --collect-only >/dev/null 2>&1
	-@$(BIN)/python -m pytest -q -m "not thorough" $(LOOPS) >/dev/null 2>&1
	@touch $@

# The validation report shows the outcomes of the tests beside the requirements.
test: $(VENV)/compiled rpy2
	$(PYTEST) --junitxml=report/tests.xml -m "not slow and not thorough"

test-all: $(VENV)/compiled $(VENV)/mutants rpy2
	$(PYTEST) --junitxml=report/tests.xml -m "not slow"

# The tests of the loops that numba compiles; with numba there `make test` and `make test-all` run them too.
test-compiled: $(VENV)/compiled rpy2
	$(PYTEST) -m compiled

# The oldest direct dependencies beside the newest of theirs: those warn of each other, so deprecations are no errors here.
$(FLOORS)/test: pyproject.toml
	$(PYTHON) -m venv $(FLOORS)
	$(FLOORS)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(FLOORS)/bin/uv pip install --quiet --python $(FLOORS)/bin/python --resolution lowest-direct -e '.[$(TESTED)]' --group test
	@touch $@

test-floors: $(FLOORS)/test
	$(FLOORS)/bin/python -m pytest -q -n $(JOBS) --dist loadfile -W default::DeprecationWarning -W default::PendingDeprecationWarning

# anndata takes no pandas 3, so its tests have pins of their own.  Where it or scanpy cannot be imported, this fails.
$(CELLS)/test: pyproject.toml .ci/constraints.txt .ci/constraints-cells.txt
	$(PYTHON) -m venv $(CELLS)
	$(CELLS_INSTALL) --upgrade pip
	$(CELLS_INSTALL) -e '.[$(TESTED),anndata]' --group cells
	@touch $@

test-cells: $(CELLS)/test
	$(CELLS)/bin/python -c "import anndata, scanpy"
	$(CELLS)/bin/python -m pytest -q tests/package/test_anndata.py tests/package/test_environments.py

# README's own line of pip with the pinned versions; the last commit is what is installed.
readme: $(VENV)/test
	SPARSEK_FRESH=1 $(BIN)/python -m pytest -q tests/docs/test_newcomer.py -k "fresh and README"

# Left out: eigenvectors, which differ there (deviation EIG-1), and the dip test, whose package has no wheel for ARM.
arm64:
	PYTHON=$(PYTHON) bash .ci/arm64 parity --cases '^(?!test_multimod|eigen|prcomp|mvrnorm|rmvnorm|Clest).*[0-4]$$'

# Choose settings and tests by KERNELS, for example KERNELS="--others 2 tests/methods".
kernels: $(VENV)/test rpy2
	$(BIN)/python -m validation kernels --n-jobs $(JOBS) $(KERNELS)

# SEED is the first seed, SEEDS how many there are; choose tests by EXPLORE, for example EXPLORE=tests/methods.
explore: $(VENV)/test $(VENV)/fast rpy2
	$(BIN)/python -m validation explore $${SEED:+--seed $$SEED} $${SEEDS:+--seeds $$SEEDS} --n-jobs $(JOBS) $(EXPLORE)

lint: $(VENV)/lint $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python docs/check_prose.py
	$(BIN)/python -m pytest -q tests/docs/test_docs.py -k numpydoc

r: rpy2
	Rscript r_reference/install.R

tables: $(VENV)/validation rpy2
	$(BIN)/python -m validation tables --scale full

bench: $(VENV)/validation $(VENV)/fast rpy2
	$(BIN)/python -m validation speed --large
	$(BIN)/python validation/benchmarks/scale/growth.py --record

times: $(VENV)/validation rpy2
	$(BIN)/python -m validation times --output validation/results
	$(BIN)/python -m validation statements

mutants: $(VENV)/mutants
	$(BIN)/python -m validation mutants

fuzz: $(VENV)/test
	$(BIN)/python -m validation fuzz $(FUZZ)

docs: $(VENV)/docs
	@test -f report/sbom.json || $(MAKE) validate
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build
	@echo "docs/_build/index.html"

docs-check: docs
	$(BIN)/python docs/check_links.py
	$(BIN)/python docs/check_layout.py

clean:
	rm -rf $(VENV) $(FLOORS) $(CELLS) .arm64 build dist report docs/_build docs/_made docs/api docs/r-functions.md docs/auto_examples .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup rpy2 validate test test-all test-compiled test-floors test-cells explore readme kernels arm64 lint r tables times mutants fuzz bench docs docs-check clean
