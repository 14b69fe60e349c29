# make demo: set up and run the main job on built-in data (demo-networks: with torch).   make test: set up and run every check.   make bench: the benchmark.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')
# The tools that build the kernel live in the environment, so that a change of one file does not fetch them again.
BUILD_TOOLS := "scikit-build-core>=0.11" "nanobind>=2.2" "cmake>=3.18" ninja
TEST_TOOLS := "pytest>=8" "pytest-xdist>=3.6" "hypothesis>=6.100" "mypy>=1.11" "ruff>=0.6" "import-linter>=2.0" "pandas>=2.2" "pyarrow>=17" "scikit-learn>=1.6" "pyod>=2.0" "torchmetrics>=1.4" "scikit-posthocs>=0.9" "autorank>=1.2" "quickjs>=1.19" "playwright>=1.45" "axe-playwright-python>=0.1.4"
# In an environment of their own: the site is built from pages that the tests have checked already.
SITE_TOOLS := "mkdocs>=1.6,<2" "mkdocs-material>=9.5,<10" "latex2mathml>=3.77"
# The CPU build of torch, before the package asks for any torch: that would pull gigabytes.
TORCH := "torch==2.13.0"
PRELOAD = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libstdc++.so)

.PHONY: demo demo-networks test lint types tests sanitize portable wheels every-wheel mutants fuzz bench pictures sample paper leaderboard training site clean

demo: $(VENV)/light
	$(BIN)/rangewise demo --out build/demo --force

demo-networks: $(VENV)/installed
	$(BIN)/rangewise demo --out build/demo --force

test: lint types tests sanitize

lint: $(VENV)/test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/test-tools
	$(BIN)/mypy

tests: $(VENV)/test-tools
	@$(BIN)/python tests/browser.py
	$(BIN)/python -m pytest -n auto tests README.md docs
	$(BIN)/python -m pytest --pyargs rangewise --doctest-modules

# The tests that reach the kernel, once more with AddressSanitizer and UndefinedBehaviorSanitizer watching;
# portable: without what only some compilers have (128-bit integers, AVX2), as others build it. That one is no part of make test.
sanitize portable: %: build/%/site/installed
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(PRELOAD)" PYTHONPATH=build/$@/site HYPOTHESIS_PROFILE=quick \
		$(BIN)/python -m pytest -p no:cacheprovider -m kernel tests

# Breaks the code in 210 places, one at a time, and counts what the tests notice. It takes long; no part of make test.
mutants: $(VENV)/test-tools
	$(PIP) "coverage>=7.6"
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tools/mutants.py --python 170 --cpp 40

# Ten minutes of mutated files through the command line; make test has forty seconds of it.
fuzz: $(VENV)/test-tools
	RANGEWISE_FUZZ_SECONDS=$${RANGEWISE_FUZZ_SECONDS:-600} $(BIN)/python -m pytest -q tests/test_fuzz.py

# The sdist and the wheels of this machine in dist/, checked in fresh environments of every Python that is found (about ten minutes, the first time more).
# WHEELS="--compiler system --python python3.12": see tools/wheels.py --help.
wheels:
	$(PYTHON) tools/wheels.py $(WHEELS)

# What CI runs on each kind of machine: cibuildwheel as pyproject.toml sets it up. On Linux it needs docker or podman.
every-wheel:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check cibuildwheel
	$(PYTHON) -m cibuildwheel --output-dir dist

bench: $(VENV)/test-tools
	$(BIN)/python -m benchmarks

pictures: $(VENV)/installed
	$(BIN)/python docs/make/pictures.py
	$(BIN)/python docs/make/gallery.py
	$(BIN)/python docs/make/detectors.py
	$(BIN)/python docs/make/paper_series.py
	$(BIN)/python docs/make/choices.py
	$(BIN)/python docs/make/rankings.py
	$(BIN)/python docs/make/vus_sampling.py
	$(BIN)/python docs/make/laws.py
	$(BIN)/python docs/make/notebooks.py

# The sample of `rangewise report` in docs/, and its screenshot: needs NAB's results and chromium.
sample: $(VENV)/test-tools
	$(BIN)/python docs/make/sample_page.py

# The page on the paper: every figure, table and claim, and our own detectors (about four minutes).
paper: $(VENV)/installed
	$(BIN)/rangewise paper --out build/paper --trained --force
	$(BIN)/python docs/make/paper.py build/paper

# Our detectors on NAB and on the paper's series (about ten minutes; what is done is kept in build/bench).
leaderboard: $(VENV)/installed
	$(BIN)/python docs/make/leaderboard.py

# Does it help to train for the model? docs/training.md (about twenty minutes; what is done is kept in build/training.json).
training: $(VENV)/test-tools
	$(BIN)/python -m benchmarks.training

# The site, in build/site/html: every page, searchable, with the reference of names and commands. A broken link is an error.
site: $(VENV)/installed build/site-tools/installed
	$(BIN)/python docs/make/site.py
	NO_MKDOCS_2_WARNING=1 build/site-tools/bin/mkdocs build --quiet --strict -f build/site/mkdocs.yml
	@echo "build/site/html: look at it with $(PYTHON) -m http.server -d build/site/html"

build/site-tools/installed: Makefile
	$(PYTHON) -m venv build/site-tools
	build/site-tools/bin/python -m pip install --quiet --disable-pip-version-check $(SITE_TOOLS)
	touch $@

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) $(BUILD_TOOLS)
	touch $@

# What the demo needs: no torch, which is most of what everything else takes to fetch.
$(VENV)/light: $(VENV)/created $(SOURCES)
	$(PIP) --no-build-isolation ".[files,plots,report]"
	touch $@

# The package itself is there: this adds what its extras need, without building it a second time.
$(VENV)/installed: $(VENV)/light
	$(PIP) $(TORCH)
	$(PIP) "rangewise[files,plots,detectors,training,report,bench,dask]"
	touch $@

$(VENV)/test-tools: $(VENV)/installed
	test -e $@ || $(PIP) $(TEST_TOOLS)
	touch $@

build/portable/site/installed: PORTABLE := -C cmake.define.RANGEWISE_PORTABLE=ON
build/sanitize/site/installed build/portable/site/installed: build/%/site/installed: $(VENV)/test-tools
	rm -rf build/$*/site
	$(PIP) --no-build-isolation --no-deps --target build/$*/site -C cmake.define.RANGEWISE_SANITIZE=ON $(PORTABLE) \
		-C build-dir=build/$*/cmake -C install.strip=false .
	touch $@

clean:
	rm -rf $(VENV) build
