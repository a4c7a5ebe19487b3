# SPDX-License-Identifier: Apache-2.0
# make demo | test | verify | bench | synth | docs; the first of them also sets up .venv from requirements.lock.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := demo
MAKEFLAGS += --no-print-directory

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
SECTORS ?= 10000
RESULTS := docs/results
GATES := aes128-pec-composite aes128-pec-composite-r2 aes128-pec-norm aes128-pec-norm-r2

.PHONY: demo test verify bench synth docs setup format lock clean

demo: $(READY)
	$(BIN)/wideblock demo $(if $(IMAGE),--image '$(IMAGE)')

test: $(READY)
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; false; }
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/pytest -q

# Every preset against its specification on SECTORS random sectors: an hour, not part of the tests.
verify: $(READY)
	for preset in $$($(BIN)/wideblock list --names); do \
		$(BIN)/wideblock verify "$$preset" --sectors $(SECTORS); done

# The cycle contract of every preset, measured in simulation.
bench: $(READY)
	for preset in $$($(BIN)/wideblock list --names); do $(BIN)/wideblock measure "$$preset"; done

# What the documents report: areas on the papers' devices, clocks on ECP5; hours on two cores.
synth: $(READY)
	$(BIN)/wideblock synth --all --target xc7 --target xc5v --save $(RESULTS)
	$(BIN)/wideblock synth xts-both --set key_bits=256 --target xc7 --save $(RESULTS)
	$(BIN)/wideblock synth $(GATES) --target ecp5 --yosys=-nowidelut --save $(RESULTS)
	$(BIN)/wideblock synth fast-brw-1 --set sbox=composite --target ecp5 --yosys=-nowidelut --mhz 120 --save $(RESULTS)

docs: $(READY)
	$(BIN)/python -m wideblock.evaluate.tables $(RESULTS) README.md

setup: $(READY)

format: $(READY)
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

$(READY): requirements.lock pyproject.toml
	@[ -n "$(PYTHON)" ] || { echo "wideblock needs Python 3.11 or newer on PATH, or PYTHON=/path/to/python3.11" >&2; exit 1; }
	@command -v "$${CXX:-g++}" >/dev/null || { echo "wideblock needs a C++ compiler: g++ on PATH, or CXX=..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@total=$$(grep -c == requirements.lock); n=0; \
	$(BIN)/pip install --disable-pip-version-check --no-color --progress-bar off --require-hashes --only-binary :all: \
		-r requirements.lock | while read -r word package _; do \
			case $$word in \
				Collecting) n=$$((n + 1)); \
					if [ -t 1 ]; then printf '\r\033[Kset-up: %d of %d packages, %s' $$n $$total "$${package%%==*}"; fi ;; \
				Installing) if [ -t 1 ]; then printf '\r\033[K'; fi; echo "set-up: installing $$n packages" ;; \
			esac; done
	@$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Needs `uv` on PATH.
lock:
	{ sed -n '/^#/p;/^[^#]/q' requirements.lock; \
		uv pip compile --quiet --no-config --no-header --upgrade --generate-hashes --all-extras --group test --group build \
			--python-version 3.11 --python-platform x86_64-manylinux_2_35 pyproject.toml; } > requirements.new
	mv requirements.new requirements.lock

clean:
	rm -rf $(VENV) build .pytest_cache .hypothesis .ruff_cache
