# Every target sets itself up on a fresh machine (tools/setup: Python, packages, Java, TLC).
# PYTHON=/path/to/python chooses the interpreter; ARGS="..." is passed on to the tool or to pytest.

ARGS =
# A part of `make nightly`; empty: all. NIGHT=2/7 is another night of the week.
PART =
# For how many minutes `make fuzz` runs; empty: every campaign once.
MINUTES =
RUN = PYTHONHASHSEED=0 .venv/bin/python -m
# A process of the suite keeps what it has compiled, whatever the environment says: otherwise each
# of the hundreds that it starts would compile the tool and the packages for itself.
TESTED = HYPOTHESIS_PROFILE=fast PYTHONDONTWRITEBYTECODE= $(RUN) pytest
# Tests of one file stay in one process; "auto" is one process more than there are cores, "logical"
# one for each (tests/conftest.py). ARGS="-n 0" runs all of them in one.
SIDE_BY_SIDE = -n auto --maxprocesses 4

.DEFAULT_GOAL = help
.PHONY: help setup setup-data setup-kafka setup-dev setup-docs setup-test verify prove lint test \
	mutate \
	nightly fuzz trace bench-timer bench-traces races finding d1 demo demo-controller elections \
	zookeeper replay-zookeeper chaos real starve watch docs doctor clean

help:
	@echo 'make verify    check every mechanism: spec, model and implementation (fast profile)'
	@echo 'make prove     prove the theorems alone: ARGS="T6 --seeds 20" names some, and how hard'
	@echo 'make lint      check format, style, sizes, names, types and imports, or some of these:'
	@echo '               ARGS="style types"'
	@echo 'make test      run the test suite (short Hypothesis profile)'
	@echo 'make fuzz      run the Hypothesis campaigns (long profile); for a time, in rounds:'
	@echo '               MINUTES=30'
	@echo 'make mutate    change all artefacts systematically, 300 changes of impl, 200 of the tool,'
	@echo '               100 of each other; or as in ARGS="timing_wheel --artefact impl --count 100"'
	@echo 'make trace     record traces of lists, wheels, timer and operations and of their mutants,'
	@echo '               check and shrink them'
	@echo 'make bench-timer   measure what expiry costs, beside asyncio and sched: ARGS=100000'
	@echo 'make bench-traces  measure the trace pipeline beside DuckDB; sizes: ARGS="1000000 10000000"'
	@echo 'make races         run checkers on known races of packages and of Python, an hour or more;'
	@echo '               some of them: ARGS="--rows kafka_future --seconds 5"'
	@echo 'make finding   show a race of a released package or of Kafka, or that its fix removes it:'
	@echo '               ARGS=stale_load, ARGS="pykka_ask_stop --fixed"'
	@echo 'make d1        make a timer of released Kafka late, or run the fix: ARGS="--fixed"'
	@echo 'make demo      tell how produce, fetch and join requests wait in a purgatory, as a timeline'
	@echo 'make demo-controller  tell how a controller dies and another one takes over; or count the'
	@echo '               events of watches: ARGS=--herd'
	@echo 'make elections  elect partition leaders by released Kafka too, and compare:'
	@echo '               ARGS="--release 3.9.0 --replicas 4"'
	@echo 'make zookeeper  compare the ZooKeeper in memory with a real one, and find faults of it:'
	@echo '               ARGS="--operations 10000 --seed 2"'
	@echo 'make replay-zookeeper'
	@echo '               run the elector on three nodes of a real ZooKeeper beside its model:'
	@echo '               ARGS="--paths 20 --seed 2", "--path FILE"'
	@echo 'make chaos     run the elector on three real ZooKeepers, with faults, and electors without'
	@echo '               a decision: ARGS="--seconds 60 --seed 2", ARGS="--without NoFence"'
	@echo 'make real      record the timer and the purgatory of released Kafka, and check that:'
	@echo '               ARGS="load --seconds 10", "--engine spark"'
	@echo 'make starve    record load beside busy processes, again and again: ARGS="--runs 200"'
	@echo 'make watch     start a broker of Kafka, record a load into it, and watch that on a page:'
	@echo '               ARGS="--port 9750 --adds 50"'
	@echo 'make nightly   the large configurations and the tests that are too long for `make test`;'
	@echo '               or one of its parts (tests/README.md): PART=classes'
	@echo 'make docs      build the site of the documentation in build/site'
	@echo 'make doctor    show which Python, Java and TLC are used'
	@echo 'make clean     remove build/ and what the tests leave; .venv and the cached TLC stay'
	@echo
	@echo 'Each sets itself up. PYTHON=... chooses the interpreter, ARGS="..." is passed on.'

setup:
	@tools/setup

# With Spark and Parquet, which only the pipeline and its tests need.
setup-data:
	@tools/setup data

# With the client that publishes recordings to a topic, too.
setup-kafka:
	@tools/setup data kafka

# With the packages of `make lint`.
setup-dev:
	@tools/setup dev

setup-test:
	@tools/setup data kafka dev docs

# With mkdocs, which only the site of the documentation needs.
setup-docs:
	@tools/setup docs

verify: setup
	@$(RUN) wheelproof verify $(ARGS)

prove: setup
	@$(RUN) wheelproof prove $(ARGS)

# The types of Spark are those of the installed package, hence the data extra.
lint: setup-test
	@tools/lint $(ARGS)

test: setup-test
	@$(TESTED) $(SIDE_BY_SIDE) $(ARGS)

fuzz: setup-data
ifneq ($(MINUTES),)
	@.venv/bin/python tools/fuzz.py $(MINUTES) $(SIDE_BY_SIDE) $(ARGS)
else
	@HYPOTHESIS_PROFILE=long $(RUN) pytest $(SIDE_BY_SIDE) -m fuzz $(ARGS)
endif

# The counts are those of the table in docs/mutate.md, over all mechanisms together. Each part ends
# after its minutes.
mutate: setup
ifneq ($(ARGS),)
	@$(RUN) wheelproof mutate $(ARGS)
else
	@$(RUN) wheelproof mutate --artefact impl --total 300 --seed 1 --minutes 120 \
		--output build/mutate-impl; impl=$$?; \
	$(RUN) wheelproof mutate --artefact spec,model,harness --total 100 --seed 1 --minutes 120 \
		--output build/mutate-machine; machine=$$?; \
	$(RUN) wheelproof mutate --artefact proofs --total 100 --seed 1 --minutes 120 \
		--output build/mutate-proofs; proofs=$$?; \
	$(RUN) wheelproof mutate --artefact traces,jvm --total 100 --seed 1 --minutes 120 \
		--output build/mutate-traces; traces=$$?; \
	$(RUN) wheelproof mutate --artefact tool --total 200 --seed 1 --minutes 240 \
		--output build/mutate-tool; tool=$$?; \
	[ $$impl -eq 0 ] && [ $$machine -eq 0 ] && [ $$proofs -eq 0 ] && [ $$traces -eq 0 ] && \
		[ $$tool -eq 0 ]
endif

trace: setup
	@$(RUN) wheelproof trace examples --check $(ARGS)

bench-timer: setup
	@PYTHONHASHSEED=0 .venv/bin/python -m benchmarks.expiry $(ARGS)

bench-traces: setup-data
	@PYTHONHASHSEED=0 .venv/bin/python -m benchmarks.bulk $(ARGS)

races: setup
	@PYTHONHASHSEED=0 .venv/bin/python -m benchmarks.races.run $(ARGS)

finding: setup
	@PYTHONHASHSEED=0 .venv/bin/python -m real.findings $(ARGS)

d1: setup
	@$(RUN) real.d1 $(ARGS)

# The broker of the demo needs the standard library alone.
demo: setup
	@$(RUN) demo $(ARGS)

demo-controller: setup
	@$(RUN) demo.controller $(ARGS)

elections: setup
	@$(RUN) real.elections $(ARGS)

zookeeper: setup
	@$(RUN) real.zookeeper $(ARGS)

replay-zookeeper: setup
	@$(RUN) real.replay $(ARGS)

chaos: setup
	@$(RUN) real.chaos $(ARGS)

real: setup
	@$(RUN) real.record $(ARGS)

starve: setup
	@$(RUN) real.record.starved $(ARGS)

# `exec`: a Ctrl-C of make reaches the command alone, which ends the others in their order.
watch: setup-kafka
	@exec env PYTHONHASHSEED=0 .venv/bin/python -m real.live $(ARGS)

# All parts run even where one has a finding; any makes the target fail.
nightly: setup-test
	@.venv/bin/python tools/night.py $(PART)

docs: setup-docs
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build $(ARGS)
	@echo 'build/site/index.html'

doctor: setup
	@$(RUN) wheelproof doctor $(ARGS)

clean:
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	rm -rf wheelproof.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
