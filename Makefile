# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. The first one that needs it sets up .venv from requirements.lock.
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
SOC := build/soc
RISCV_GCC := riscv64-unknown-elf-gcc
FUZZ ?= 600
RESULTS := build/tests.json
WITH_RESULTS := build/tests-with.json
ALL_RESULTS := build/test-all.json
STORE := src/wideblock/evidence/results/evidence.jsonl
SBOX = $(BIN)/wideblock list --names --has sbox
NO_SBOX = $$($(BIN)/wideblock list --names | grep -vxFf <($(SBOX)))
ROUTED := --target ecp5 --yosys=-nowidelut
DEEP := --set mult_stages=6
HASHED := fast-brw-1s hmch-brw-3s heh-poly hctr2-1s
GATES := --set sbox=composite,norm --set round_stages=1,2

.PHONY: help demo test tests test-all lint judge linux linux-driver verify netlist prove bench bench-native bench-nbd harden-native mutate-master evidence synth asic soc docs site setup format release lock clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## Encrypt a filesystem image with a simulated core, decrypt it with the specification (IMAGE=FILE).
	$(BIN)/wideblock demo $(if $(IMAGE),--image '$(IMAGE)')

test: $(READY) ## Lint, types, tests that are not marked slow; minutes.
	$(MAKE) -j2 lint tests

tests: $(READY)
	$(BIN)/pytest -q -m 'not slow' --record=$(RESULTS) tests

test-all: $(READY) lint ## The same with every variant of a core that has a test, hours; PART=K/N: a part of them.
	$(BIN)/pytest -q --record=$(ALL_RESULTS) $(if $(PART),--part=$(PART)) tests

lint: $(READY) ## Lint and types alone.
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --check --quiet . || { $(BIN)/ruff format --check .; false; }
	$(BIN)/python -m tests.phrases
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/pyright --pythonpath $(BIN)/python

judge: $(READY) ## Specifications against others' code: HCTR2, by cargo; CAESAR's ciphers if SUPERCOP=FOLDER of a clone.
	$(BIN)/python -m tests.judges.hctr2
	$(if $(SUPERCOP),$(BIN)/python -m tests.judges.caesar '$(SUPERCOP)')

linux: $(READY) ## Images against dm-crypt of Linux in a virtual machine, both directions, and a device of ublk; skipped where packages are missing.
	$(BIN)/python -m tests.judges.linux
	$(BIN)/python -m tests.judges.dm_integrity
	$(BIN)/python -m tests.judges.ublk

linux-driver: $(READY) ## Linux in user mode drives the exported Verilog by drivers/linux; minutes, and some 5 more to build Linux once.
	@$(BIN)/python -m tests.drivers.linux.run build/linux-driver

verify: $(READY) ## Simulate every preset as it ships, SECTORS=10000 random sectors each; hours.
	$(BIN)/wideblock verify --all --sectors $(SECTORS)

netlist: $(READY) ## Synthesise a small core of every family for 7 series and simulate the netlists; an hour.
	for core in "xts-enc --set sector_bytes=32" "hmch-brw-3 --set sector_bytes=96" "fast-horner-1 --set sector_bytes=96" \
			"heh-poly --set sector_bytes=96" "hctr2-1 --set sector_bytes=64" "eme2-1 --set sector_bytes=64" \
			"aez-2t --set sector_bytes=64" "hctr2-any --set longest=64 --set sector_bytes=48"; do \
		$(BIN)/wideblock verify $$core --set sbox=bram --netlist xc7 --sectors 8; done
	for core in scream aes-gcm; do \
		$(BIN)/wideblock verify $$core --set data_bytes=48 --set ad_bytes=32 --netlist xc7 --sectors 8; done

evidence: $(READY) ## Renew evidence that is missing or old, the most worth for its time first; MINUTES=N: no longer than that.
	$(BIN)/wideblock evidence $(if $(MINUTES),--minutes $(MINUTES))

prove: $(READY) ## Prove what the store lacks for every preset; constant time of netlists of small cores, too; an hour.
	$(BIN)/wideblock evidence --kind proof
	for core in "xts-enc --set sector_bytes=32" "hmch-brw-3 --set sector_bytes=96" "fast-horner-1 --set sector_bytes=96" \
			"heh-poly --set sector_bytes=96" "hctr2-1 --set sector_bytes=64" "eme2-1 --set sector_bytes=64" \
			"aez-2-pre --set sector_bytes=64" "hctr2-any --set longest=64 --set sector_bytes=64"; do \
		$(BIN)/wideblock prove $$core --set sbox=bram --netlist xc7 --store $(STORE); done

bench: $(READY) ## Measure the cycle contract of every preset in simulation.
	for preset in $$($(BIN)/wideblock list --names); do $(BIN)/wideblock measure "$$preset"; done

bench-native: $(READY) ## Measure every width of the native library, beside peers: LIBCRYPTO=FILE ISAL=FILE HCTR2=FOLDER FAST=FOLDER; minutes.
	$(BIN)/python -m tests.bench_native $(if $(LIBCRYPTO),--libcrypto '$(LIBCRYPTO)') $(if $(ISAL),--isal '$(ISAL)') \
		$(if $(HCTR2),--hctr2 '$(HCTR2)') $(if $(FAST),--fast '$(FAST)')

bench-nbd: $(READY) ## Measure the block device beside nbdkit's memory plugin and luks filter, by nbdcopy and fio; minutes.
	$(BIN)/python -m tests.bench_nbd

mutate-master: $(READY) ## Count the mutants of the master of AXI4 that its tests and its formal rules find; an hour.
	$(BIN)/python -m tests.rtl.dma.mutants

harden-native: $(READY) ## Fuzz the native library under sanitizers, FUZZ=600 seconds; valgrind and MemorySanitizer look for uses of secrets; clang++, valgrind.
	$(BIN)/python -m tests.native.harden $(FUZZ)

synth: $(READY) ## Measure the areas and clocks that the documents show and the store lacks; hours.
	$(BIN)/wideblock sweep --all --target xc7 --store $(STORE)
	$(BIN)/wideblock sweep --published Virtex-6 --target xc6v --store $(STORE)
	$(BIN)/wideblock sweep --published Virtex-5 --target xc5v --store $(STORE)
	$(BIN)/wideblock sweep xts-both --set key_bits=256 --target xc7 --store $(STORE)
	$(BIN)/wideblock sweep aes128-pec $(GATES) $(ROUTED) --store $(STORE)
	$(BIN)/wideblock sweep aes128-pec --set sbox=norm $(ROUTED) --mhz 140 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep aes128-pec --set sbox=norm --set round_stages=2 $(ROUTED) --mhz 200 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep aes128-pec --set sbox=norm --set round_stages=3,4 $(ROUTED) --mhz 250 --seeds 3 --store $(STORE)
	for stages in "1 --mhz 140" "2 --mhz 200"; do \
		$(BIN)/wideblock sweep aes128-pdc aes128-both aes128-sec aes128-sdc --set sbox=norm --set round_stages=$$stages \
			$(ROUTED) --seeds 3 --store $(STORE); done
	$(BIN)/wideblock sweep aes128-sec aes128-sdc --set sbox=norm --set round_stages=3 $(ROUTED) --mhz 200 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep karatsuba --set mult_stages=2,4,6,8 $(ROUTED) --mhz 250 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep xts-enc xts-both $(HASHED) --set sbox=norm $(ROUTED) --mhz 140 --seeds 2 --store $(STORE)
	$(BIN)/wideblock sweep fast-brw-2s eme2-1s --set sbox=norm $(ROUTED) --mhz 140 --store $(STORE)
	$(BIN)/wideblock sweep xts-enc xts-both --set sbox=norm --set round_stages=2 $(ROUTED) --mhz 200 --seeds 2 --store $(STORE)
	for core in "$(filter-out heh-poly,$(HASHED)) $(DEEP)" "heh-poly heh-polys --set mult_stages=8"; do \
		$(BIN)/wideblock sweep $$core --set sbox=norm --set round_stages=2 $(ROUTED) --mhz 200 --seeds 2 --store $(STORE); done
	$(BIN)/wideblock sweep $(NO_SBOX) $(ROUTED) --mhz 120 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep aes-gcm aes-gcm-p aez5 aez41 aez5-p poet --set sbox=norm $(ROUTED) --mhz 120 --seeds 3 --store $(STORE)
	$(BIN)/wideblock sweep fast-brw-1 --set sbox=composite $(ROUTED) --mhz 120 --store $(STORE)
	for core in xts-enc eme2-1s aez-2s "fast-brw-1s $(DEEP)" "hctr2-1s $(DEEP)" "hmch-brw-3s $(DEEP)" "xcb-1s $(DEEP)" \
			"heh-polys --set mult_stages=8"; do \
		$(BIN)/wideblock sweep $$core --set sbox=norm --set round_stages=1,2 $(ROUTED) --mhz 200 \
			--best throughput-per-lut --store $(STORE); done
	$(BIN)/wideblock sweep aes128-pec --set sbox=norm --set round_stages=1,2,3,4 $(ROUTED) --mhz 200 \
		--best throughput-per-lut --store $(STORE)

asic: $(READY) requirements-asic.lock ## Measure every preset on standard cells, S-boxes in gates; hours.
	$(BIN)/pip install --disable-pip-version-check --quiet --no-deps --require-hashes -r requirements-asic.lock
	$(BIN)/wideblock sweep $(NO_SBOX) --target nangate45 --store $(STORE)
	$(BIN)/wideblock sweep $$($(SBOX)) --set sbox=composite --target nangate45 --store $(STORE)
	$(BIN)/wideblock sweep aes128-pec aes128-pdc aes128-both aes128-sec aes128-sdc $(GATES) --target nangate45 \
		--store $(STORE)
	$(BIN)/wideblock sweep karatsuba --set mult_stages=2,4,6,8 --target nangate45 --store $(STORE)

soc: ## Run firmware that uses an engine by its driver, on a LiteX SoC with VexRiscv, in simulation; minutes.
	@command -v $(RISCV_GCC) >/dev/null || { echo "make soc needs $(RISCV_GCC), in Debian's package gcc-riscv64-unknown-elf" >&2; exit 1; }
	@$(MAKE) --silent $(READY) $(SOC)/venv/ready
	@$(BIN)/python drivers/soc/run.py $(or $(SOC_FOLDER),$(SOC)) --litex $(SOC)/venv/bin/python $(SOC_OPTIONS)

$(SOC)/venv/ready: requirements-soc.lock
	@$(PYTHON) -m venv --clear $(SOC)/venv
	@$(SOC)/venv/bin/pip install --disable-pip-version-check --quiet --no-deps --require-hashes --only-binary :all: \
		-r requirements-soc.lock
	@touch $@

docs: $(READY) $(RESULTS) ## Renew tables and plots of the documents from measured results and the last test run.
	$(BIN)/python -m tools docs --circuits .
	$(BIN)/python -m tests.plan docs/test-plan.md docs/test-all.json $(RESULTS) $(wildcard $(WITH_RESULTS) $(ALL_RESULTS:.json=*.json))

site: $(READY) ## Make the documents a site below build/site; links are checked.
	@rm -rf build/pages build/site
	@mkdir -p build
	@cp -r docs build/pages
	@cp CONTRIBUTING.md SECURITY.md CHANGELOG.md build/pages
	@sed 's#](docs/#](#g' README.md > build/pages/index.md
	@sed -i 's#](docs/#](#g' build/pages/{CONTRIBUTING,SECURITY,CHANGELOG}.md
	@sed -i 's#](../README.md#](index.md#g; s#](../\([A-Z]*\.md\)#](\1#g' build/pages/*.md
	@sed -i 's#](../../\([A-Z]*\.md\)#](../\1#g' build/pages/families/*.md
	@$(BIN)/mkdocs build --quiet --config-file docs/mkdocs.yml

$(RESULTS):
	$(MAKE) tests

setup: $(READY) ## Set up .venv from requirements.lock.

format: $(READY) ## Format the code.
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

release: $(READY) ## Make wheel and source distribution of the last commit, and try both with every Python on PATH; half an hour.
	rm -rf build/release
	$(BIN)/python -m tests.release build/release $(foreach p,python3.11 python3.12 python3.13,$(shell $p -c '' 2>/dev/null && echo $p))

lock: ## Renew requirements.lock; needs uv on PATH.
	{ sed -n '/^#/p;/^[^#]/q' requirements.lock; \
		uv pip compile --quiet --no-config --no-header --upgrade --generate-hashes --all-extras --group test --group site --group build \
			--python-version 3.11 --python-platform x86_64-manylinux_2_35 pyproject.toml; } > requirements.new
	mv requirements.new requirements.lock

clean: ## Remove .venv, build and caches.
	rm -rf $(VENV) build .pytest_cache .hypothesis .ruff_cache
