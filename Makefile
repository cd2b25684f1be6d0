# Thin wrapper round Meson: the drop-in library is build/lib/libgomp.so.1, the command build/bin/forestgomp.
BUILD := build
MESON := meson
prefix := /usr/local
JOBS := $(shell nproc)

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j $(JOBS)

$(BUILD)/build.ninja:
	@command -v $(MESON) >/dev/null || { echo "make: there is no $(MESON). scripts/install-deps installs what the build needs on Debian 12." >&2; exit 1; }
	$(MESON) setup $(BUILD) --prefix=$(prefix)

deps:
	scripts/install-deps build test page numa package

# All suites of tests/run. What cannot be installed is told, and what needs it is left out: an error with TEST_OPTIONS=--no-skips, as in CI.
test:
	@scripts/install-deps build test page numa package || echo "going on without"
	@# Meson looks for cmocka only when it configures.
	@[ ! -f $(BUILD)/build.ninja ] || [ -e $(BUILD)/tests/unit_machine ] || $(MESON) setup --reconfigure $(BUILD) >/dev/null
	@$(MAKE) --no-print-directory all
	@scripts/fetch_kernel $(BUILD)/numa || echo "going on without"
	@tests/run $(TEST_OPTIONS) $(BUILD)

# On an emulated machine of 4 nodes; `make test` runs a part of it.
test-numa: all
	scripts/install-deps numa
	tests/numa/run_on_qemu.py --some --times --limit 1800 --lib $(BUILD)/lib --build $(BUILD)/numa

# All programs of tests/programs on that machine: an hour or two.
test-numa-all: all
	scripts/install-deps numa
	tests/numa/run_on_qemu.py --all --slow 4 --times --limit 14400 --lib $(BUILD)/lib --build $(BUILD)/numa

# All of gcc's own tests in every mode: some minutes the first time; goes on where it was ended.
test-gcc: all
	@scripts/install-deps test || echo "going on without"
	@tests/libgomp/run_all_modes.py --jobs $(JOBS) --json $(BUILD)/libgomp-tests.json $(BUILD)

demo:
	@scripts/install-deps build demo || echo "going on without"
	@$(MAKE) --no-print-directory all
	@examples/mpu/demo.sh $(BUILD)

# The page of a run in which a team ends and its PUs go to another team.
demo-forest:
	@scripts/install-deps build || echo "going on without"
	@$(MAKE) --no-print-directory all
	@examples/forest/demo.sh $(BUILD)

# The page of a program whose memory comes to its threads, on a machine with several NUMA nodes or an emulated one.
demo-memory:
	@scripts/install-deps build numa || echo "going on without"
	@$(MAKE) --no-print-directory all
	@examples/memory/demo.py $(BUILD)

# The drawing of what the members of a program share, and where they sit by compact and as planned.
demo-pin:
	@scripts/install-deps build || echo "going on without"
	@$(MAKE) --no-print-directory all
	@examples/pin/demo.sh $(BUILD)

# The page of four programs at a time, without and with FGOMP_SHARE=on.
demo-share:
	@scripts/install-deps build || echo "going on without"
	@$(MAKE) --no-print-directory all
	@examples/share/demo.py $(BUILD)

install: $(BUILD)/build.ninja
	@$(MESON) configure $(BUILD) --prefix=$(prefix)
	@$(MAKE) --no-print-directory all
	$(MESON) install -C $(BUILD) --no-rebuild

# The sources of the last commit, with their checksum: build/meson-dist/forestgomp-VERSION.tar.xz.
dist: all
	@$(MESON) dist -C $(BUILD) --no-tests

# A Python wheel of this build, for this machine: pip install build/wheel/*-linux_*.whl.
wheel: all
	@scripts/wheel $(BUILD)

# The wheel that others get: for each x86-64 system from glibc 2.28 on. ziglang is installed beside it, for the link.
wheels: all
	@scripts/install-deps build wheel || echo "going on without"
	@[ -x $(BUILD)/wheel/python/bin/python ] || python3 -m venv $(BUILD)/wheel/python
	@$(BUILD)/wheel/python/bin/pip install -q --disable-pip-version-check ziglang auditwheel
	@scripts/wheel --manylinux --python $(abspath $(BUILD))/wheel/python/bin/python $(BUILD)
	@$(BUILD)/wheel/python/bin/auditwheel show $(BUILD)/wheel/forestgomp-*-manylinux_*.whl

# The same for aarch64, cross-built.
wheels-aarch64: wheels
	@scripts/wheel_aarch64 $(BUILD)-aarch64 $(BUILD) $(abspath $(BUILD))/wheel/python/bin/python

# A Debian package of this build, for this release of Debian, and what lintian says of it.
packages: $(BUILD)/build.ninja
	@scripts/install-deps build package || echo "going on without"
	@$(MESON) configure $(BUILD) --prefix=/usr
	@$(MAKE) --no-print-directory all
	@scripts/deb $(BUILD)
	@lintian $(BUILD)/packages/forestgomp_*.deb || echo "lintian has complaints (DEBFULLNAME and DEBEMAIL name the maintainer)"

# The interface of this build against that of the last release.
abi: all
	@scripts/install-deps package || echo "going on without"
	@scripts/check_abi.py $(BUILD)

asan:
	scripts/sanitize $(BUILD)-asan address,undefined
tsan:
	scripts/sanitize $(BUILD)-tsan thread

# Programs built with a sanitizer, on the ordinary library: all that go with one.
sanitize: all
	tests/sanitize/run_sanitized.py --lib $(BUILD)/lib --build $(BUILD)/sanitize --all

# The library with its assertions, among them the order of locks, under the programs that use it.
debug:
	@[ -f $(BUILD)-debug/build.ninja ] || $(MESON) setup $(BUILD)-debug -Db_ndebug=false
	@ninja -C $(BUILD)-debug -j $(JOBS)
	@tests/run --only unit,command,env,programs,limits,libgomp $(BUILD)-debug

# Interleavings for hours: EACH seconds of CPU time for the random ones of a scenario, up to ten times that for the exhaustive ones.
explore:
	tests/interleave/run --deep --seconds $(or $(EACH),100) --build $(BUILD)-explore

soak: all
	tests/soak/soak.py --lib $(BUILD)/lib --minutes $(or $(MINUTES),10) --keep $(BUILD)/soak --hostile
fuzz:
	scripts/install-deps fuzz
	scripts/fuzz $(BUILD)-fuzz $(or $(MINUTES),10)

aarch64:
	scripts/aarch64 $(BUILD)-aarch64

format:
	scripts/format
format-check:
	scripts/format --check

# docs/drawings/*.svg from the texts beside them. The pictures are in the repository, so readers need no graphviz.
drawings:
	@scripts/install-deps drawings || echo "going on without"
	@scripts/drawings.py

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-debug $(BUILD)-explore $(BUILD)-fuzz $(BUILD)-aarch64

.PHONY: all deps test test-numa test-numa-all test-gcc demo demo-forest demo-memory demo-pin demo-share install dist wheel wheels wheels-aarch64 packages abi asan tsan sanitize debug explore soak fuzz aarch64 format format-check drawings clean
