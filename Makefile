# SPDX-License-Identifier: MIT
# Each target first installs what it needs (`make setup`); all of them can be run again at any time.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.PHONY: help setup build wheel demo check test lint format bench bench-compare accuracy docs gpu-bundle gpu-test gpu-bench gpu-arrays gpu-lines gpu-random gpu-sanitize packages random clean

python := .venv/bin/python
build := build
jobs ?= $(shell nproc)
cmake_flags ?=

help:
	@echo "make demo        builds Treadle and runs programs of each kind on this machine, with or without a GPU"
	@echo "make build       the libraries and the Python package ($(python) -c 'import treadle')"
	@echo "make wheel       dist/treadle-*.whl, for the Python of $(python)"
	@echo "make check       builds and tests what a change touches, in three minutes; base=COMMIT: since then"
	@echo "make test        everything CI runs; one part: make test parts='ctest pytest'"
	@echo "make lint        formatting, includes between rooms, sizes, names, types; make format fixes the formatting"
	@echo "make bench       benchmarks on this machine"
	@echo "make bench-compare base=COMMIT   compares the benchmarks of this tree and a commit, row by row"
	@echo "make accuracy    CUDA's functions of one float on the CPU device, for all arguments; words='sin cos' step=256: fewer"
	@echo "make packages    tests of packages of others on Treadle's faces, from PyPI (some GB); words='loopy reikna': of those"
	@echo "make random      random tests with new seeds, for minutes=60; words='numpy branches': of those kinds"
	@echo "make docs        docs/_build/html"
	@echo "make gpu-bundle  packs .gpu-bundle/ for a machine with a GPU and no network, where make gpu-test"
	@echo "                 and gpu-sanitize run, and gpu-random on its cores; with for=bench where gpu-bench, gpu-arrays and gpu-lines run;"
	@echo "                 make gpu-test half=1 and half=2 take less than nine minutes each"

# tools/setup.sh says what each stamp file means; it is made again when a list of packages changes.
setup: .venv/.ready-build
.venv/.ready-%: tools/setup.sh tools/requirements-build.txt tools/requirements-test.txt tools/requirements-docs.txt
	@tools/setup.sh $*

configure = cmake --preset release -DTREADLE_UNITY=ON -DTREADLE_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(abspath $(python)) \
            -DPython3_EXECUTABLE=$(abspath $(python)) $(cmake_flags)

# The demo and the tests share the build folder; without .ready-test it is configured without tests, which need GoogleTest.
$(build)/.configured: .venv/.ready-build
	@mkdir -p $(build)
	@$(configure) -DTREADLE_BUILD_TESTS=$(if $(wildcard .venv/.ready-test),ON,OFF) \
	  >$(build)/configure.log 2>&1 || { cat $(build)/configure.log; exit 1; }
	@touch $@

build: $(build)/.configured
	@cmake --build $(build) -j $(jobs) --target all $(targets)
	@$(python) tools/link_package.py $(build)/python

# From the build folder: what `make build` compiled is not compiled again.
wheel: build
	@rm -f dist/treadle-*.whl
	@$(python) -m pip wheel -q --disable-pip-version-check --no-deps --no-build-isolation \
	  --config-settings=build-dir=$(build) -w dist . && ls dist/treadle-*.whl

# An OpenCL platform first: a program of each run-time system is shown.
demo: .venv/.ready-demo
	@$(MAKE) --no-print-directory build targets=example_tiled_product
	@$(python) examples/run_demo.py --binaries $(build)/examples/cpp

# Not in CI: it installs packages from PyPI into .cache/packages.
packages: .venv/.ready-test build
	@$(python) tools/run_packages.py $(words)

# Not in CI: it draws new cases for as long as somebody wants.
random: .venv/.ready-test build
	@$(python) tools/random_runs.py --jobs $(jobs) $(if $(minutes),--minutes $(minutes)) $(words)

check: .venv/.ready-test
	@$(python) tools/run_check.py --jobs $(jobs) $(if $(base),--base $(base))

test: .venv/.ready-test
	@$(python) tools/run_tests.py --jobs $(jobs) $(parts)

lint: .venv/.ready-test
	@$(python) tools/run_tests.py lint

format: .venv/.ready-test
	@$(python) tools/run_tests.py format

bench: build
	@cmake -DTREADLE_BUILD_BENCHMARKS=ON $(build) >/dev/null && cmake --build $(build) -j $(jobs)
	@$(python) benchmarks/run.py cpu --binaries $(build)/benchmarks

# make bench-compare base=COMMIT [head=COMMIT] [rows=Launch]; without head this tree is compared.
bench-compare: build
	@test -n "$(base)" || { echo "usage: make bench-compare base=COMMIT [head=COMMIT] [rows=TEXT]"; exit 2; }
	@cmake -DTREADLE_BUILD_BENCHMARKS=ON $(build) >/dev/null && cmake --build $(build) -j $(jobs)
	@$(python) benchmarks/compare.py cpu --base $(base) --jobs $(jobs) \
	  $(if $(head),--head $(head)) $(if $(rows),--only "$(rows)")

# Not in CI: all arguments of all functions take eight hours of a core.
accuracy: .venv/.ready-test build
	@TREADLE_LIBRARY_DIR=$(abspath $(build))/lib $(python) benchmarks/float_accuracy.py --jobs $(jobs) \
	  $(if $(step),--step $(step)) $(words)

docs: .venv/.ready-docs
	@.venv/bin/sphinx-build -q -W --keep-going -b html docs docs/_build/html && echo "docs/_build/html/index.html"

gpu-bundle: .venv/.ready-test
	@$(python) tools/gpu_bundle.py $(for)

# These run on the machine with the GPU, which has no network and no .venv, by its own python3.
# make gpu-test half=1, half=2, or words="pyopencl/ tests/treadle_array_test": parts whose names contain one of them;
# words=@FILE: those of a list, such as the again.txt of an earlier run. make gpu-random seconds=500 jobs=24.
gpu-test gpu-bench gpu-arrays gpu-lines gpu-random gpu-sanitize:
	@python3 tools/gpu_run.py $(@:gpu-%=%) $(if $(half),half=$(half)) $(if $(seconds),seconds=$(seconds)) \
	  $(if $(filter command,$(origin jobs)),jobs=$(jobs)) $(words)

clean:
	rm -rf build build-* dist .venv .venv-gpu .gpu-bundle docs/_build
