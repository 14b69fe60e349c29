# make demo: set up and run the main job on built-in data.   make test: set up and run every check.   make bench: the benchmark.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := pyproject.toml CMakeLists.txt README.md $(shell find cpp src -type f -not -name '*.pyc')
# The tools that build the kernel live in the environment, so that a change of one file does not fetch them again.
BUILD_TOOLS := "scikit-build-core>=0.10" "nanobind>=2.2" "cmake>=3.18" ninja
TEST_TOOLS := "pytest>=8" "hypothesis>=6.100" "mypy>=1.11" "ruff>=0.6" "import-linter>=2.0" "pandas>=2.2" "pyarrow>=17" "scikit-learn>=1.5"
# The CPU build of torch, before the package asks for any torch: that would pull gigabytes.
TORCH := "torch==2.13.0"
SANITIZED := build/sanitize/site
PRELOAD = $(shell $(CXX) -print-file-name=libasan.so):$(shell $(CXX) -print-file-name=libstdc++.so)

.PHONY: demo test lint types tests sanitize bench pictures paper clean

demo: $(VENV)/installed
	$(BIN)/rangewise demo --out build/demo --force

test: lint types tests sanitize

lint: $(VENV)/test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/test-tools
	$(BIN)/mypy

tests: $(VENV)/test-tools
	$(BIN)/python -m pytest tests README.md docs
	$(BIN)/python -m pytest --pyargs rangewise --doctest-modules

# The tests that reach the kernel, once more with AddressSanitizer and UndefinedBehaviorSanitizer watching.
sanitize: $(SANITIZED)/installed
	ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD="$(PRELOAD)" PYTHONPATH=$(SANITIZED) HYPOTHESIS_PROFILE=quick \
		$(BIN)/python -m pytest -p no:cacheprovider -m kernel tests

bench: $(VENV)/test-tools
	$(BIN)/python -m benchmarks

pictures: $(VENV)/installed
	$(BIN)/python docs/pictures.py
	$(BIN)/python docs/gallery.py
	$(BIN)/python docs/detectors.py

# The page on the paper: every figure, table and claim, and our own detectors (about four minutes).
paper: $(VENV)/installed
	$(BIN)/rangewise paper --out build/paper --trained --force
	$(BIN)/python docs/paper.py build/paper

$(VENV)/created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) $(BUILD_TOOLS)
	touch $@

$(VENV)/installed: $(VENV)/created $(SOURCES)
	$(PIP) $(TORCH)
	$(PIP) --no-build-isolation ".[files,plots,detectors]"
	touch $@

$(VENV)/test-tools: $(VENV)/installed
	test -e $@ || $(PIP) $(TEST_TOOLS)
	touch $@

$(SANITIZED)/installed: $(VENV)/test-tools
	rm -rf $(SANITIZED)
	$(PIP) --no-build-isolation --no-deps --target $(SANITIZED) -C cmake.define.RANGEWISE_SANITIZE=ON \
		-C build-dir=build/sanitize/cmake -C install.strip=false .
	touch $@

clean:
	rm -rf $(VENV) build
