# SPDX-License-Identifier: Apache-2.0
"""Settings of every test, the choice of a part of the tests, and the record of which features the tests showed.

Property tests are reproducible and never fail for being slow on a busy machine. A test that is marked with
``shows(FEATURE, ..)`` counts for these features of ``docs/test-plan.toml``; ``--record=FILE`` writes the results of
each feature, from which ``tests/plan.py`` makes ``docs/test-plan.md``. ``--part=K/N`` runs the K-th of N parts, and
records it in a file of its own. A test that is marked with ``wants(PROGRAM, ..)`` is skipped where one is missing;
``--skipped-in=RECORD`` runs the cases that were skipped in an earlier run and need not be skipped here.

No test sees the user's terminal, locale, or settings of git, bytecode and buffers, nor the make that started the tests.

A worker builds models with its share of the processors: each further translation unit reads the same headers again.
"""

import gc
import json
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from amaranth import Elaboratable
from hypothesis import settings

from wideblock.simulation import commands, verilator

from . import headers, wants
from .digests import of_file, tree
from .plan import features
from .variants import part_of

for name in tuple(os.environ):
    if name.startswith(("GIT_", "LC_", "MAKE")) or name in (
        "MFLAGS",
        "COLUMNS",
        "LINES",
        "FORCE_COLOR",
        "NO_COLOR",
        "LANG",
        "LANGUAGE",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
    ):
        del os.environ[name]
os.environ |= {"TERM": "dumb", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
os.environ["GIT_CEILING_DIRECTORIES"] = tempfile.gettempdir()

EVERY = 10
"""Seconds after which the record of a run is written again: a run that is killed leaves that."""

gc.freeze()
gc.set_threshold(100_000, 20, 20)  # netlists are millions of objects, in which a search for garbage finds little
Elaboratable._MustUse__silence = True  # a test that asks a core only for its contract never elaborates it

settings.register_profile("wideblock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("wideblock")


def part(text):
    """K and N of ``K/N``."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise pytest.UsageError(f"a part is K/N with 1 <= K <= N, such as 2/5, got {text!r}")
    return int(found[1]), int(found[2])


def pytest_addoption(parser):
    parser.addoption("--record", type=Path, metavar="FILE", help="Result of each feature of the test plan, as JSON.")
    parser.addoption("--skipped-in", type=Path, metavar="RECORD", help="Cases skipped in a run that can run here.")
    parser.addoption("--part", metavar="K/N", help="The K-th of N parts of the tests, which together are all of them.")


def pytest_configure(config):
    config.addinivalue_line("markers", "shows(feature, ...): features of docs/test-plan.toml that the test shows")
    config.addinivalue_line("markers", "wants(name, ...): programs and other things of tests/wants.py")
    config.addinivalue_line("markers", "slow: one of many variants, which `make test` leaves to `make test-all`")
    headers.precompile()
    if hasattr(config, "workerinput"):  # the other workers have the other processors
        share = max(1, commands.processors() // config.workerinput["workercount"])
        for module in (commands, verilator):
            module.processors = lambda: share
    elif config.getoption("--record"):
        config.pluginmanager.register(Record(config), "record")


@pytest.hookimpl(trylast=True)  # of the tests that -m leaves
def pytest_collection_modifyitems(config, items):
    for item in items:
        for marker in item.iter_markers("shows"):
            for feature in marker.args:
                if feature not in features():
                    raise ValueError(f"{item.nodeid} shows {feature!r}, which docs/test-plan.toml does not have")
                item.user_properties.append(("shows", feature))
        wants.checked(wanted(item))
    if config.getoption("--skipped-in"):
        before = json.loads(config.getoption("--skipped-in").read_text())["skipped"]
        choose(config, items, [item for item in items if item.nodeid in before and not wants.lacking(wanted(item))])
    if config.getoption("--part"):
        k, n = part(config.getoption("--part"))
        choose(config, items, part_of(items, k, n, slow=lambda item: item.get_closest_marker("slow")))


def choose(config, items, chosen):
    """Leaves the ``chosen`` ones of ``items``."""
    config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
    items[:] = chosen


def wanted(item):
    """The names that a test wants."""
    return [name for marker in item.iter_markers("wants") for name in marker.args]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if names := wants.lacking(wanted(item)):
        pytest.skip(wants.reason(names))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and not wants.missing(report):
        report.outcome, report.longrepr = "failed", f"a skipped test must name what it wants, got {report.longrepr!r}"
    return report


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    if config.getoption("--skipped-in") and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        terminalreporter.write_line("nothing to run: no program that a skipped case wants is here")
    for line in wants.count(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(line)


def pytest_sessionfinish(session, exitstatus):
    """No test of an earlier run that can run here is no fault."""
    if session.config.getoption("--skipped-in") and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK


class Record:
    """The results of the tests by feature, written as they come."""

    def __init__(self, config):
        self.file, self.part = config.getoption("--record"), config.getoption("--part")
        if self.part:
            k, n = part(self.part)
            self.file = self.file.with_stem(f"{self.file.stem}-{k}-of-{n}")
        self.chosen = config.getoption("markexpr")
        self.began, self.commit = datetime.now().isoformat(" ", "seconds"), commit()
        self.start, self.written, self.collected = time.monotonic(), 0.0, 0
        self.outcomes: Counter[str] = Counter()  # of all tests
        self.shown: dict[str, list[tuple[str, str, bool]]] = {}  # file, outcome, slow or not of each test of a feature
        self.tree, self.slow = tree(), {}  # digests of src and tests, and of each file whose slow tests ran
        self.skipped: dict[str, list[str]] = {}  # names that each skipped test wants
        self.wants: dict[str, Counter[str]] = {}  # outcomes of the tests that were skipped for want of each name
        earlier = config.getoption("--skipped-in")
        self.earlier = json.loads(earlier.read_text()) if earlier else None

    def pytest_collection_finish(self, session):
        self.collected = max(self.collected, len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.collected = len(ids)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed" and report.when == "setup" or report.outcome == "failed":
            self.outcomes[report.outcome] += 1
            if names := wants.missing(report):
                self.skipped[report.nodeid] = names
            for name in self.earlier["skipped"].get(report.nodeid, []) if self.earlier else names:
                self.wants.setdefault(name, Counter())[report.outcome] += 1
            path, slow = report.nodeid.partition("::")[0], "slow" in report.keywords
            if slow and path not in self.slow:
                self.slow[path] = of_file(path)
            for name, feature in report.user_properties:
                if name == "shows":
                    self.shown.setdefault(feature, []).append((path, report.outcome, slow))
        if time.monotonic() - self.written > EVERY:
            self.write()

    def pytest_sessionfinish(self):
        self.write()

    def write(self):
        record = {
            "began": self.began,
            "commit": self.commit,
            "tree": self.tree,
            "seconds": round(time.monotonic() - self.start),
            "chosen": self.chosen,
            "part": self.part,
            "collected": self.collected,
            "outcomes": dict(self.outcomes),
            "after": self.earlier and self.earlier["began"],
            "skipped": self.skipped,
            "slow": dict(sorted(self.slow.items())),
            "wants": {name: dict(outcomes) for name, outcomes in sorted(self.wants.items())},
            "features": {
                feature: {
                    "files": sorted({path for path, _, _ in results}),
                    "outcomes": dict(Counter(outcome for _, outcome, _ in results)),
                    "slow": sum(slow for *_, slow in results),
                }
                for feature, results in sorted(self.shown.items())
            },
        }
        self.file.parent.mkdir(parents=True, exist_ok=True)
        whole = self.file.with_suffix(".new")
        whole.write_text(json.dumps(record, indent=1) + "\n")
        os.replace(whole, self.file)
        self.written = time.monotonic()


def commit():
    """The commit under test, with "-dirty" if a file was changed since; None outside a repository."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    try:
        found = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return found.stdout.strip() or None
