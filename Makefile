# make demo: set up and run the main job on built-in data.   make test: set up and run every check.
# make test-full: the same with more random examples, as CI has it.   make bench: the benchmark.
# make bench-quick: two minutes, before and after a change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# --no-compile: Python compiles what it imports; compiling all of torch takes longer and more disk than that.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-compile
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')
# The tools that build the kernel live in the environment, so that a change of one file does not fetch them again. A machine's own cmake
# and ninja do as well: cmake from 3.18 on.
BUILD_TOOLS := "scikit-build-core>=0.11" "nanobind>=2.2" \
	$(shell cmake --version 2>/dev/null | grep -qE 'version (3\.(1[89]|[2-9][0-9])|[4-9])' || echo '"cmake>=3.18"') $(if $(shell command -v ninja),,ninja)
TEST_TOOLS := "pytest>=8" "pytest-xdist>=3.6" "hypothesis>=6.100" "mypy>=1.11" "ruff>=0.6" "import-linter>=2.0" "pandas>=2.2" "pyarrow>=17" "scikit-learn>=1.6" "torchmetrics>=1.4" "quickjs>=1.19" "jsonschema>=4.20"
# 0.4 GB that few tests need: programs that the statistics are compared with, and PyOD with its compiler (numba).
FULL_TOOLS := "scikit-posthocs>=0.9" "autorank>=1.2" "pyod>=2.0" "duckdb>=1.0"
# 0.2 GB that only serve where there is a browser to drive.
BROWSER := $(shell for name in "$$CHROME" chromium chromium-browser google-chrome google-chrome-stable; do command -v "$$name"; done 2>/dev/null; true)
BROWSER_TOOLS := "playwright>=1.45" "axe-playwright-python>=0.1.4"
# In an environment of their own: the site is built from pages that the tests have checked already.
SITE_TOOLS := "mkdocs>=1.6,<2" "mkdocs-material>=9.5,<10" "latex2mathml>=3.77"
# On Linux, the ordinary build of torch brings 2.7 GB of CUDA libraries; the CPU build is 0.2 GB to download. Where the configured index
# has only the ordinary one, name PyTorch's index of CPU builds: make test TORCH_INDEX=URL.
TORCH := torch==2.13.0
TORCH_INDEX ?=
# CI=1 runs everything: more examples of hypothesis, more mutated files.
FULL ?= $(filter-out 0 false,$(CI))
export HYPOTHESIS_PROFILE ?= $(if $(FULL),full,quick)
export RANGEWISE_FUZZ_INPUTS ?= $(if $(FULL),2000,1500)
PRELOAD = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libstdc++.so)

.PHONY: demo test test-full lint types tests migration sanitize portable wheels every-wheel recipe wasm mutants explore fuzz bench bench-quick assets names pictures sample paper leaderboards coverage training site clean

demo: $(VENV)/light
	$(BIN)/rangewise demo --out build/demo --force

test: lint types tests sanitize

test-full:
	$(MAKE) test FULL=1

lint: $(VENV)/test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/test-tools
	$(BIN)/mypy

tests: $(VENV)/test-tools $(if $(FULL),$(VENV)/full-tools) $(if $(BROWSER),$(VENV)/browser-tools)
	$(BIN)/python -m pytest -n auto tests README.md docs
	$(BIN)/python -m pytest --pyargs rangewise --doctest-modules

# The calls of other programs in docs/migration.md, run in environments of their own in benchmarks/.envs (about 3 GB).
migration: $(VENV)/test-tools
	RANGEWISE_INSTALL_PEERS=1 $(BIN)/python -m pytest tests/docs/test_migration.py

# The tests that reach the kernel, once more with AddressSanitizer and UndefinedBehaviorSanitizer watching;
# portable: without what only some compilers have (128-bit integers, AVX2), as others build it. That one is no part of make test.
sanitize portable: %: build/%/site/installed
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(PRELOAD)" PYTHONPATH=build/$@/site HYPOTHESIS_PROFILE=quick \
		$(BIN)/python -m pytest -n auto -p no:cacheprovider -m kernel tests

# Breaks the code in 210 places, one at a time, and counts what the tests notice. It takes long; no part of make test.
mutants: $(VENV)/test-tools
	$(PIP) --quiet "coverage>=7.6"
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python tools/mutants.py --python 170 --cpp 40

# The random tests with other examples each time, a thousand per property. A failure prints the example: keep it as an @example.
explore: $(VENV)/test-tools
	HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest -n auto -m "hypothesis and not slow" tests

# Mutated files through the command line: other ones each time, about half an hour of them. A failure names its seed: make fuzz RANGEWISE_FUZZ_SEED=...
fuzz: export RANGEWISE_FUZZ_INPUTS = 60000
fuzz: $(VENV)/test-tools
	RANGEWISE_FUZZ_SEED=$${RANGEWISE_FUZZ_SEED:-$$(date +%s)} $(BIN)/python -m pytest -q tests/test_fuzz.py

# The sdist and the wheels of this machine in dist/, checked in fresh environments of every Python that is found (about ten minutes, the first time more).
# WHEELS="--compiler system --python python3.12": see tools/wheels.py --help.
wheels:
	$(PYTHON) tools/wheels.py $(WHEELS)

# The recipe for conda-forge with the checksum of the sdist in dist/: build/recipe/recipe.yaml. make wheels calls it too.
recipe:
	$(PYTHON) tools/recipe.py

# Score and curve of the kernel as a WebAssembly module: build/rangewise.wasm. Needs zig, such as that of the package ziglang.
wasm:
	$(PYTHON) tools/wasm.py

# What CI runs on each kind of machine: cibuildwheel as pyproject.toml sets it up. On Linux it needs docker or podman.
every-wheel:
	$(PYTHON) -m pip install --quiet --disable-pip-version-check cibuildwheel
	$(PYTHON) -m cibuildwheel --output-dir dist

bench: $(VENV)/test-tools $(if $(BROWSER),$(VENV)/browser-tools)
	$(BIN)/python -m benchmarks

# Two minutes, before and after a change: prints the ratio of both runs with its spread. The last run is kept in build/bench-quick.json.
bench-quick: $(VENV)/test-tools
	$(BIN)/python -m benchmarks.quick

# The scripts and styles of the report as pages carry them, from the readable ones beside them.
assets: $(VENV)/installed
	$(PIP) --quiet "tdewolff-minify>=2.20"
	$(BIN)/python tools/assets.py

# docs/names.md, the list of public names, from the docstrings.
names: $(VENV)/installed
	$(BIN)/python docs/make/names.py

pictures: $(VENV)/installed
	$(BIN)/python docs/make/badges.py
	$(BIN)/python docs/make/pictures.py
	$(BIN)/python docs/make/tutorial_pictures.py
	$(BIN)/python docs/make/gallery.py
	$(BIN)/python docs/make/detectors.py
	$(BIN)/python docs/make/paper_series.py
	$(BIN)/python docs/make/choices.py
	$(BIN)/python docs/make/rankings.py
	$(BIN)/python docs/make/vus_sampling.py
	$(BIN)/python docs/make/properties.py
	$(BIN)/python docs/make/notebooks.py

# The sample of `rangewise report` in docs/, and its screenshots: needs NAB and chromium.
sample: $(VENV)/test-tools $(VENV)/browser-tools
	$(BIN)/python docs/make/sample_page.py

# The page on the paper: every figure, table and claim, and our own detectors (about four minutes).
paper: $(VENV)/installed
	$(BIN)/rangewise paper --out build/paper --trained --force
	$(BIN)/python docs/make/paper.py build/paper

# The pages on published results, on our detectors and on data sets, from the data in RANGEWISE_DATA (about half an hour; what is done is kept in build/bench).
leaderboards: $(VENV)/installed
	$(BIN)/python docs/make/leaderboards.py
	$(BIN)/python docs/make/audits.py

# How often intervals hold the truth and tests err: docs/coverage.md (about five minutes).
coverage: $(VENV)/installed
	$(BIN)/python docs/make/interval_coverage.py

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
	@echo "== Creating $(VENV) with the tools that build the kernel (up to 30 MB to download)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) $(BUILD_TOOLS)
	touch $@

# What the demo needs: no torch, which is most of what everything else takes to fetch.
$(VENV)/light: $(VENV)/created $(SOURCES)
	@echo "== Compiling the kernel (half a minute, the first time) and installing what the demo needs (95 MB to download; 0.4 GB in $(VENV))"
	$(PIP) --no-build-isolation ".[files,plots,report]"
	touch $@

# The package itself is there: this adds what its extras need, without building it a second time.
$(VENV)/installed: $(VENV)/light
	@echo "== Installing torch and other extras (300 MB to download)"
	test "$$(uname -s)" != Linux || $(PIP) --retries 1 $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) "$(TORCH)+cpu" || \
		echo "== No CPU build of torch was found (TORCH_INDEX=URL names PyTorch's index of CPU builds): the ordinary one brings up to 2.7 GB of CUDA libraries"
	$(PIP) "$(TORCH)"
	$(PIP) "rangewise[files,plots,detectors,training,report,bench,dask]"
	touch $@

$(VENV)/test-tools: $(VENV)/installed
	@test -e $@ || echo "== Installing the tools of the tests (50 MB to download; 1.7 GB in $(VENV) in all)"
	test -e $@ || $(PIP) $(TEST_TOOLS)
	touch $@

$(VENV)/full-tools: | $(VENV)/test-tools
	$(PIP) $(FULL_TOOLS)
	touch $@

$(VENV)/browser-tools: | $(VENV)/test-tools
	$(PIP) $(BROWSER_TOOLS)
	touch $@

build/portable/site/installed: PORTABLE := --config-settings=cmake.define.RANGEWISE_PORTABLE=ON
build/sanitize/site/installed build/portable/site/installed: build/%/site/installed: $(VENV)/test-tools
	@echo "== Compiling the kernel with sanitizers (half a minute)"
	rm -rf build/$*/site
	$(PIP) --quiet --no-build-isolation --no-deps --target build/$*/site --config-settings=cmake.define.RANGEWISE_SANITIZE=ON \
		$(PORTABLE) --config-settings=build-dir=build/$*/cmake --config-settings=install.strip=false .
	touch $@

clean:
	rm -rf $(VENV) build
