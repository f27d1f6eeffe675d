# SPDX-License-Identifier: BSD-3-Clause
# A thin layer over CMake that does all set-up by itself. `make help` explains.
BUILD ?= build
CMAKE_FLAGS ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PREFIX ?= /usr/local
DEVICE ?= cuda
GPU_FLAGS ?=
MAKEFLAGS += --no-print-directory

.PHONY: all build configure demo check check-gpu python peers install format clean help
all: build

configure = tool/configure $(BUILD) $(CMAKE_FLAGS)
compile = cmake --build $(BUILD) -j $(JOBS)

build:
	@tool/setup build
	@$(configure)
	@$(compile)

configure:
	@$(configure)

# Builds what it needs, which is not the tests.
demo:
	@tool/setup demo
	@$(configure)
	@test -x $(BUILD)/ek || echo 'evenkeel: compiling the library and the tool, some minutes'
	@$(compile) --target ek_installable >$(BUILD)/make.log 2>&1 || { cat $(BUILD)/make.log; exit 1; }
	@tool/demo $(BUILD)

check:
	@tool/setup check
	@$(configure)
	@$(compile)
	@tool/check $(BUILD) $(JOBS)

check-gpu:
	@tool/setup check
	@$(configure)
	@$(compile)
	@tool/check-gpu $(GPU_FLAGS) $(BUILD) $(DEVICE)

python:
	@tool/setup python
	@python/check

peers:
	@tool/setup build
	@BUILD=$(BUILD) sh bench/peers/install.sh
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS)
	@$(compile)

# Installs what there is: no package is fetched, and in a folder that is configured nothing is looked
# for (root may see other things), nor is any test built.
install:
	@test -f $(BUILD)/found.txt || $(configure)
	@$(compile) --target ek_installable
	cmake --install $(BUILD) --prefix $(PREFIX)

format:
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cpp' ':!src/base/for_each*.h' ':!src/simd/*.h')

clean:
	rm -rf $(BUILD)

help:
	@echo 'make           install what is missing, configure, build (folder: $(BUILD))'
	@echo 'make demo      the same, then measure products of several shapes and make a page of charts;'
	@echo '               EK_MATRICES=FOLDER adds real matrices (.mtx, .mtx.gz) from there'
	@echo 'make check     the same, then all tests, and what was left out (with CI set: a failure);'
	@echo '               EK_TEST_TIER=full for the long ones'
	@echo 'make check-gpu the same, then the tests of devices on DEVICE=$(DEVICE)'
	@echo 'make python    build the Python package (build-python/wheel), and test it'
	@echo 'make peers     install the libraries that ek bench can compare with, then build again'
	@echo 'make install   library and tool to PREFIX=$(PREFIX); builds no tests, fetches no packages'
	@echo 'make configure run CMake again if something that it looks for came or went'
	@echo 'make format    clang-format on all sources'
	@echo 'make clean     remove the build folder'
	@echo 'Variables: BUILD=folder JOBS=n CMAKE_FLAGS="-DEK_WERROR=ON ..." EK_NO_APT=1 (install nothing)'
	@echo '  GPU_FLAGS: options of tool/check-gpu, such as "-t 500 -p" (the papers'"'"' matrices, for 500 seconds)'
