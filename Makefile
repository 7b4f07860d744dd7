# `make demo` and `make test` do everything on a machine with python3 >= 3.11, venv and make.
PYTHON ?= python3
BIN := .venv/bin
# One BLAS thread per test worker: more would only fight for the cores.
ONE_THREAD := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
# Compile a module once, not in each of the hundred processes that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-lowest lint unit golden exactness browser validity bench bench-check calibration docs dist-check reproduce clean

.venv/installed: pyproject.toml src/edgewise/_version.py
	$(PYTHON) -c 'import sys; sys.exit("edgewise needs Python 3.11 or newer, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[all]'
	touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev-all]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'anndata>=0.12' # see pyproject.toml
	touch $@

.venv/installed-docs: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'anndata>=0.12' 'scanpy>=1.11' # see pyproject.toml
	touch $@

.venv/installed-bench: .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

demo: .venv/installed
	$(BIN)/edgewise demo

test: lint unit

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/line_cap.py
	$(BIN)/python tools/word_cap.py

unit: .venv/installed-dev
	$(ONE_THREAD) $(BIN)/pytest -n 2 --dist worksteal --durations=10

# The core of the tests on the lowest versions that pyproject.toml allows, without pandas. The archive
# that NumPy 2.1 could not write, as on a full disk, complains once more when it is collected.
test-lowest:
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-lowest/bin/uv pip install --quiet --python .venv-lowest/bin/python --resolution lowest-direct -e '.[dev]'
	$(ONE_THREAD) .venv-lowest/bin/pytest -q -n 2 --dist worksteal -W ignore::DeprecationWarning -W ignore::pytest.PytestUnraisableExceptionWarning $(addprefix tests/,tables sums estimate inference methods results api)

# Every number of every method against tests/reference/golden.npz, to 1e-9; half a minute.
golden: .venv/installed-dev
	$(ONE_THREAD) $(BIN)/python tests/golden.py

# Equal bit by bit, or nearly so; with OPENBLAS_CORETYPE=Nehalem, say, on the arithmetic of another CPU.
exactness: .venv/installed-dev
	$(ONE_THREAD) $(BIN)/pytest -q -n 2 --dist worksteal -m exactness tests

# The page of a result in a real browser, in every detail; `make test` has the most important part.
browser: .venv/installed-dev
	$(ONE_THREAD) $(BIN)/pytest -q -n 2 --dist worksteal -m browser tests

# The slow proofs of error control, of which `make test` runs a smaller part, and the studies at the
# scale of the paper, calibration pages and benchmarks, of which it runs none.
validity: .venv/installed-dev
	$(ONE_THREAD) EDGEWISE_VALIDITY=full $(BIN)/pytest -n 2 --dist worksteal tests/statistical
	$(ONE_THREAD) $(BIN)/pytest -n 2 --dist worksteal -m validity tests

# All of it takes about an hour on a quiet machine, and a busy one is refused unless ANYWAY=1;
# `make bench SECTIONS="peers scaling"` refreshes only these.
bench: .venv/installed-bench
	$(BIN)/python -m benchmarks $(SECTIONS)

# Fails if something takes more than 1.15 times as long as at the commit that made the tables, or at
# BASE=revision; five minutes.
bench-check: .venv/installed-bench
	$(BIN)/python -m benchmarks.check $(BASE)

# The page "our ladder and the peers on ten distributions"; about an hour on 2 cores.
calibration: .venv/installed-bench
	$(BIN)/python -m benchmarks.calibration

# The paper's figures, its other studies and its proof, with fewer draws than in the paper; about ten
# minutes. SCALE=paper has as many.
reproduce: .venv/installed
	$(ONE_THREAD) $(BIN)/python -m reproduction all --scale $(or $(SCALE),quick)

# The site, with warnings as errors, and a check of all links within it.
docs: .venv/installed-docs
	$(ONE_THREAD) $(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	$(BIN)/python docs/check_links.py docs/_build/html

# Builds what would be uploaded, into dist/, and tries it in two empty environments; a few minutes.
dist-check: .venv/installed-dev
	$(BIN)/python tools/dist_check.py

clean:
	rm -rf .venv .venv-lowest docs/_build docs/api/generated docs/auto_examples docs/reproduction build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
