# SPDX-License-Identifier: BSD-3-Clause

# make build · demo · test · test-all · sanitize · lint · tidy · coverage · docs · install, uninstall PREFIX=… · clean
#
# One CMake folder, build/, serves the library, the tests, the interposers and the Python extension: scikit-build-core
# configures it, and `make build` afterwards only compiles what changed.

PYTHON  ?= python3
PREFIX  ?= /usr/local
PREPARE ?= scripts/prepare
# The exact versions of the tools in Python; /dev/null: whatever is newest.
LOCK    ?= scripts/development-packages.lock

VENV   := .venv
PIP    := $(VENV)/bin/python -m pip --quiet --disable-pip-version-check
STAMPS := $(VENV)/.stamps
CMAKE_FILES := $(shell find CMakeLists.txt cmake src tests $(wildcard examples labs) -name CMakeLists.txt -o -name '*.cmake')
# pip registers the package folder but builds and installs next to nothing: `make build` shows its progress, and puts
# the extension and the interposers into the package folder.
# pip 23.0, Debian's, does not know the short form, -C.
SKBUILD := --config-settings build.targets=thalweg_base --config-settings install.components=none \
  --config-settings cmake.define.THALWEG_TESTS=ON --config-settings cmake.define.THALWEG_EXAMPLES=ON \
  --config-settings cmake.define.THALWEG_MPIABI_INCLUDE_DIR=$(CURDIR)/.mpi/mpich5/include
# How much debuggers are told: -g1 (stacks with lines) compiles a fifth faster. It counts when build/ is configured first.
DEBUG ?=
ifdef DEBUG
SKBUILD += --config-settings cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 $(DEBUG) -DNDEBUG"
endif

# Hundreds of commands start in the tests: Python is to keep what it compiled, whatever images of containers say.
unexport PYTHONDONTWRITEBYTECODE

# Tests run three at a time, as jobs wait for their launchers a part of the time that two processors could use.
# pytest-xdist keeps those of a group on one worker, as they share what takes long to make.
CTEST  := ctest --test-dir build --parallel 3 --output-on-failure --no-tests=error
PYTEST := $(VENV)/bin/python -m pytest --numprocesses 3 --dist loadgroup --durations 20 --junitxml build/pytest.xml

.PHONY: build demo test test-all tidy coverage sanitize sanitize-gate sanitize-objects checked lint format install uninstall clean prepare docs man stub house debian lock license interfaces

build: $(STAMPS)/package
	cmake --build build
	@cmake --install build --component python --prefix python >build/install-python.log

prepare:
	@$(PREPARE)

$(STAMPS)/venv: | prepare
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/tools: $(STAMPS)/venv pyproject.toml scripts/development-packages $(LOCK)
	$(VENV)/bin/python scripts/development-packages | $(PIP) install --no-compile --constraint $(LOCK) --requirement /dev/stdin
	@touch $@

# Newer tools, after which the gate has to pass (docs/hacking.md).
lock: | $(STAMPS)/venv
	$(VENV)/bin/python scripts/development-packages | $(VENV)/bin/python scripts/lock-packages >$(LOCK).new
	mv $(LOCK).new $(LOCK)

# MPICH 5 brings the header of the MPI-5 standard ABI, which is no Debian package yet.
$(STAMPS)/mpiabi: scripts/mpis/install.sh | prepare $(STAMPS)/venv
	PYTHON=$(PYTHON) scripts/mpis/install.sh mpich5
	@touch $@

# Also where somebody has removed the folder alone.
$(STAMPS)/package: $(if $(wildcard build/CMakeCache.txt),,no-build)
.PHONY: no-build
no-build:

$(STAMPS)/package: $(STAMPS)/tools $(STAMPS)/mpiabi pyproject.toml labs/pyproject.toml $(CMAKE_FILES) | prepare
	$(PIP) install --no-build-isolation --no-deps $(SKBUILD) --editable .
	$(PIP) install --no-build-isolation --no-deps --editable labs
	@touch $@

demo: build
	$(VENV)/bin/python -m thalweg_labs.demo

# The gate: what every change has to pass (docs/hacking.md says what it leaves to `make test-all`).
test test-all: SHELL := /bin/bash
test test-all: .SHELLFLAGS := -o pipefail -ec
test: build
	THALWEG_PROOFS="$$($(VENV)/bin/python scripts/proofs-of-the-gate)" $(CTEST) --label-exclude exhaustive | tee build/ctest.log
	$(PYTEST) | tee build/pytest.log
	scripts/retries

# What a release has to pass: everything, whatever it takes.
test-all: build
	cmake --build build --target release_programs
	THALWEG_TEST_PROGRAMS=10000 THALWEG_TEST_EFFORT=50 $(CTEST) | tee build/ctest.log
	THALWEG_TEST_EFFORT=50 THALWEG_TEST_CALLS=100000 $(PYTEST) --exhaustive | tee build/pytest.log
	scripts/retries
	$(MAKE) checked sanitize debian

# Real jobs over interposers that check themselves: with assertions on, then under AddressSanitizer + UBSan.
CHECKED := tests/run/mpi/test_conformance.py tests/run/mpi/test_strategies.py
checked: build
	cmake --preset assertions && cmake --build --preset assertions
	THALWEG_INTERPOSERS=$(CURDIR)/build-assertions $(PYTEST) $(CHECKED) --exhaustive -k 'openmpi4 or mpich4'
	cmake --preset asan && cmake --build --preset asan-interposers
	THALWEG_INTERPOSERS=$(CURDIR)/build-asan THALWEG_PRELOAD_FIRST=$$($(CXX) -print-file-name=libasan.so) \
	  $(PYTEST) $(CHECKED) --exhaustive -k '(openmpi4 or mpich4) and not native'

# AddressSanitizer with UndefinedBehaviorSanitizer over the C++ tests, ThreadSanitizer over the engine's and the transports'.
sanitize: | prepare
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

# Of these what finds most in little time: shared memory and routes.
sanitize-gate: | prepare
	cmake --preset tsan && cmake --build --preset tsan-gate && ctest --preset tsan-gate

# Objects, their jobs and their examples under AddressSanitizer + UBSan, by hand. Leaks are not looked for, as MPI libraries have some.
SANITIZED_JOBS := $(foreach job,brackets calls errors failures moving together,objects-$(job)-openmpi) \
  $(foreach job,brackets calls moving,objects-$(job)-mpich) \
  $(foreach example,density diffusion_mc_objects molecules radix_sort_objects stencil3d_objects,$(example)-openmpi)
sanitize-objects: | prepare
	cmake --preset asan -B build-asan-jobs -DTHALWEG_SANITIZED_JOBS=ON -DTHALWEG_EXAMPLES=ON
	cmake --build build-asan-jobs --target test_objects $(SANITIZED_JOBS)
	build-asan-jobs/tests/api/test_objects
	ASAN_OPTIONS=detect_leaks=0 ctest --test-dir build-asan-jobs --output-on-failure \
	  -R '^objects\.((brackets|calls|moving)\.[0-9]*\.mpich|(brackets|calls|errors|failures|moving|together)\.[0-9]*\.openmpi)$$|^examples\.(.*_objects|density|molecules)\..*openmpi$$'

$(STAMPS)/nightly: $(STAMPS)/tools
	$(VENV)/bin/python scripts/development-packages nightly | $(PIP) install --no-compile --requirement /dev/stdin
	@touch $@

$(STAMPS)/docs: $(STAMPS)/tools
	$(VENV)/bin/python scripts/development-packages docs | $(PIP) install --no-compile --requirement /dev/stdin
	@touch $@

# The site of the documentation: build/site/html/index.html, from the pages, the headers and the docstrings.
docs: build $(STAMPS)/docs
	PYTHONPATH=scripts $(VENV)/bin/python -m website build/site

# clang-tidy by .clang-tidy over every C++ source, or over those that FILES= names; an hour on two cores.
FILES ?= $(shell git ls-files 'src/*.cpp')
tidy: build $(STAMPS)/nightly
	cmake --preset dev && cmake --build --preset dev --target generated_sources
	printf '%s\n' $(FILES) | xargs --max-procs=$$(nproc) --max-args=1 $(VENV)/bin/clang-tidy -p build-dev --quiet

# Which lines of the sources the C++ tests run: build-coverage/index.html, and totals by folder here.
coverage: build $(STAMPS)/nightly
	cmake --preset coverage && cmake --build --preset coverage && ctest --preset coverage
	$(VENV)/bin/gcovr --root . --filter src/ --html-details build-coverage/index.html --txt-summary build-coverage

lint: $(STAMPS)/package
	$(VENV)/bin/ruff check interfaces python labs tests scripts src
	$(VENV)/bin/ruff format --check interfaces python labs tests scripts src
	$(VENV)/bin/mypy
	git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs $(VENV)/bin/clang-format --dry-run -Werror

format: $(STAMPS)/tools
	git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs $(VENV)/bin/clang-format -i

# The license's line at the head of every source.
license:
	scripts/license

man: $(STAMPS)/package
	$(VENV)/bin/python -m thalweg.documentation docs
	$(VENV)/bin/python -m thalweg.settings.tables src/run/mpi/state

# Structures of the C interfaces in headers, libraries and Python, from their one description.
interfaces: $(STAMPS)/tools
	$(VENV)/bin/python interfaces/generate.py

stub: build
	$(VENV)/bin/python -m nanobind.stubgen --quiet --module thalweg._core --output-file python/thalweg/_core.pyi

# How large, tangled and readable the sources are: docs/results/house.md has its answer of a day.
house: $(STAMPS)/package
	@PYTHONPATH=scripts $(VENV)/bin/python -m house $(if $(JSON),--json)

install: build
	scripts/install "$(PREFIX)"

uninstall:
	scripts/uninstall "$(PREFIX)"

# Debian's packages of the last commit, in build-debian/, and a check of them.
debian:
	$(PREPARE) debhelper lintian
	rm -rf build-debian && mkdir -p build-debian/thalweg
	git archive HEAD | tar -x -C build-debian/thalweg
	cd build-debian/thalweg && DEB_BUILD_OPTIONS="nocheck parallel=$$(nproc)" dpkg-buildpackage -us -uc -b
	tests/install/debian build-debian

clean:
	rm -rf build build-asan build-asan-jobs build-assertions build-tsan build-debian $(foreach preset,coverage dev walk core run api nic sim,build-$(preset)) $(VENV) python/thalweg/_core*.so python/thalweg/lib
