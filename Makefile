# A thin cover over Meson; `make help` says what there is.
BUILD ?= build
prefix ?= /usr/local
libdir ?= lib
DESTDIR ?=
T ?=
B ?=
FUZZ_SECONDS ?= 60
SOAK_SECONDS ?= 1800
REPETITIONS ?= 20
RUNS ?= 10
TORTURE_ROUNDS ?= 1000
TORTURE_SEED ?=

MESON = meson
NINJA = ninja -C $(BUILD)

.DEFAULT_GOAL := build
.PHONY: all build demo test cross bench install check format fuzz seeds soak agree balanced torture pictures dist deb clean help

all: build

help:
	@echo 'make            build into $(BUILD)/; $(BUILD)/fathom works from there'
	@echo 'make demo       install what is missing, build, measure a small ocean model, show its report and its timers'
	@echo 'make test       install what is missing, build, run every test; T=merge runs those with that in their name'
	@echo 'make cross      build what needs libc alone for the other architecture and run all its tests there, under qemu-user'
	@echo 'make bench      what Fathom costs, as ratios measured in one run; B="--quick calls" runs a part of it'
	@echo 'make check      format, lint and layer checks'
	@echo 'make format     put the C sources into the common format'
	@echo 'make fuzz       feed damaged profiles, segments, records and addresses to their readers for FUZZ_SECONDS=$(FUZZ_SECONDS) each'
	@echo 'make soak       everything at once under 5,000 samples a second, for SOAK_SECONDS=$(SOAK_SECONDS)'
	@echo 'make agree      shares of modules by attach, from segments and from profiles, in REPETITIONS=$(REPETITIONS) runs'
	@echo 'make balanced   RUNS=$(RUNS) runs of each of several balanced programs, which must draw no finding'
	@echo 'make torture    TORTURE_ROUNDS=$(TORTURE_ROUNDS) jobs killed at random moments; TORTURE_SEED=N repeats a run'
	@echo 'make seeds      write what fuzzing starts from anew, after a change of the format of profiles or segments'
	@echo 'make install    into prefix=$(prefix), under DESTDIR= if given; libdir=$(libdir) is relative to prefix'
	@echo 'make pictures   take the pictures of web pages in doc/images anew'
	@echo 'make dist       a release tarball of the last commit in $(BUILD)/, with the web pages built'
	@echo 'make deb        Debian packages fathom and fathom-site of what is built, in $(BUILD)/'
	@echo 'make clean      remove $(BUILD)/'

$(BUILD)/build.ninja:
	@mkdir -p $(BUILD)
	@$(MESON) setup $(BUILD) --prefix $(abspath $(prefix)) --libdir $(libdir) >$(BUILD)/setup.log 2>&1 || \
	    { cat $(BUILD)/setup.log; exit 1; }

build: $(BUILD)/build.ninja
	@$(NINJA) product

demo:
	@tools/setup.sh build run
	@$(MAKE) --no-print-directory build
	@BUILD=$(BUILD) tools/demo.sh

test:
	@tools/setup.sh
	@$(MAKE) --no-print-directory build
	@$(NINJA) unit-tests
	@BUILD=$(BUILD) tests/run $(T)

cross:
	@tools/setup.sh
	@$(MAKE) --no-print-directory build
	@BUILD=$(BUILD) CROSS=all tests/run architectures

bench:
	@tools/setup.sh
	@$(MAKE) --no-print-directory build
	@BUILD=$(BUILD) bench/run $(B)

install: build
	@$(MESON) configure $(BUILD) -Dprefix=$(abspath $(prefix)) -Dlibdir=$(libdir)
	@$(NINJA) --quiet product
	@DESTDIR=$(DESTDIR) $(MESON) install -C $(BUILD) --no-rebuild --quiet

check:
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build
	@BUILD=$(BUILD) tools/check.sh

format:
	@tools/check.sh --format

fuzz: build
	@BUILD=$(BUILD) FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz.sh

soak: build
	@SOAK_SECONDS=$(SOAK_SECONDS) FATHOM_BUILD=$(abspath $(BUILD)) tests/runtime/soak_test.py

agree: build
	@BUILD=$(BUILD) REPETITIONS=$(REPETITIONS) LIMIT_S=7200 tests/run attach_agree

balanced: build
	@BUILD=$(BUILD) RUNS=$(RUNS) LIMIT_S=7200 tests/run balanced_runs

torture: build
	@BUILD=$(BUILD) TORTURE_ROUNDS=$(TORTURE_ROUNDS) $(if $(TORTURE_SEED),TORTURE_SEED=$(TORTURE_SEED)) LIMIT_S=36000 \
	    LIVE=1 tests/run torture

seeds: $(BUILD)/build.ninja
	@$(NINJA) --quiet tests/fuzz-seeds
	@$(BUILD)/tests/fuzz-seeds tests/fuzz/corpus

pictures:
	@tools/setup.sh
	@$(MAKE) --no-print-directory build
	@FATHOM_BUILD=$(abspath $(BUILD)) tools/pictures.py

dist: build
	@BUILD=$(BUILD) tools/dist.sh

deb: build
	@BUILD=$(BUILD) tools/deb.sh

clean:
	rm -rf $(BUILD)
