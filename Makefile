# make build · demo · test · sanitize · lint · install PREFIX=… · clean
#
# One CMake folder, build/, serves the library, the tests, the interposers and the Python extension: scikit-build-core
# configures it, and `make build` afterwards only compiles what changed.

PYTHON  ?= python3
PREFIX  ?= /usr/local
PREPARE ?= scripts/prepare

VENV   := .venv
PIP    := $(VENV)/bin/python -m pip --quiet --disable-pip-version-check
STAMPS := $(VENV)/.stamps
CMAKE_FILES := $(shell find CMakeLists.txt cmake src tests $(wildcard examples) -name CMakeLists.txt -o -name '*.cmake')
# pip registers the package folder but builds and installs next to nothing: `make build` shows its progress, and puts
# the extension and the interposers into the package folder.
SKBUILD := -C build.targets=thalweg_core -C install.components=none -C cmake.define.THALWEG_TESTS=ON -C cmake.define.THALWEG_EXAMPLES=ON \
  -C cmake.define.THALWEG_MPIABI_INCLUDE_DIR=$(CURDIR)/.mpi/mpich5/include

.PHONY: build demo test sanitize lint format install clean prepare man

build: $(STAMPS)/package
	cmake --build build
	@cmake --install build --component python --prefix python >build/install-python.log

prepare:
	@$(PREPARE)

$(STAMPS)/venv: | prepare
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/tools: $(STAMPS)/venv pyproject.toml scripts/development-packages
	$(VENV)/bin/python scripts/development-packages | $(PIP) install --requirement /dev/stdin
	@touch $@

# MPICH 5 brings the header of the MPI-5 standard ABI, which is no Debian package yet.
$(STAMPS)/mpiabi: scripts/mpis/install.sh | prepare $(STAMPS)/venv
	PYTHON=$(PYTHON) scripts/mpis/install.sh mpich5
	@touch $@

$(STAMPS)/package: $(STAMPS)/tools $(STAMPS)/mpiabi pyproject.toml $(CMAKE_FILES) | prepare
	$(PIP) install --no-build-isolation --no-deps $(SKBUILD) --editable .
	@touch $@

demo: build
	$(VENV)/bin/python -m thalweg.demo

test: build
	ctest --test-dir build --parallel 2 --output-on-failure --no-tests=error
	$(VENV)/bin/python -m pytest

# AddressSanitizer with UndefinedBehaviorSanitizer over the C++ tests, ThreadSanitizer over the engine's and the transports'.
sanitize: | prepare
	cmake --preset asan && cmake --build --preset asan && ctest --preset asan
	cmake --preset tsan && cmake --build --preset tsan && ctest --preset tsan

lint: $(STAMPS)/package
	$(VENV)/bin/ruff check python tests scripts
	$(VENV)/bin/mypy
	git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs $(VENV)/bin/clang-format --dry-run -Werror

format: $(STAMPS)/tools
	git ls-files '*.cpp' '*.hpp' '*.c' '*.h' | xargs $(VENV)/bin/clang-format -i

man: $(STAMPS)/package
	$(VENV)/bin/python -m thalweg.documentation docs
	$(VENV)/bin/python -m thalweg.settings.tables src/mpi/state

install: build
	scripts/install "$(PREFIX)"

clean:
	rm -rf build build-asan build-tsan $(VENV) python/thalweg/_core*.so python/thalweg/lib
