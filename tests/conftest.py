# SPDX-License-Identifier: Apache-2.0
"""Settings of every test, the choice of a part of the tests, and the record of which features the tests showed.

Property tests are reproducible and never fail for being slow on a busy machine. A test that is marked with
``shows(FEATURE, ..)`` counts for these features of ``docs/test-plan.toml``; ``--record=FILE`` writes the results of
each feature, from which ``tests/plan.py`` makes ``docs/test-plan.md``. ``--part=K/N`` runs the K-th of N parts, and
records it in a file of its own.

A worker builds models with its share of the processors: each further translation unit reads the same headers again.
"""

import json
import os
import re
import subprocess
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import settings

from wideblock.simulation import commands, verilator

from .plan import features
from .variants import part_of

EVERY = 10
"""Seconds after which the record of a run is written again: a run that is killed leaves that."""

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
    parser.addoption("--part", metavar="K/N", help="The K-th of N parts of the tests, which together are all of them.")


def pytest_configure(config):
    config.addinivalue_line("markers", "shows(feature, ...): features of docs/test-plan.toml that the test shows")
    config.addinivalue_line("markers", "slow: one of many variants, which `make test` leaves to `make test-all`")
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
    if config.getoption("--part"):
        chosen = part_of(items, *part(config.getoption("--part")), slow=lambda item: item.get_closest_marker("slow"))
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen


class Record:
    """The results of the tests by feature, written as they come."""

    def __init__(self, config):
        self.file, self.part = config.getoption("--record"), config.getoption("--part")
        if self.part:
            k, n = part(self.part)
            self.file = self.file.with_stem(f"{self.file.stem}-{k}-of-{n}")
        self.chosen = config.getoption("markexpr")
        self.began, self.commit = datetime.now().isoformat(" ", "seconds"), commit()
        self.written, self.collected = 0.0, 0
        self.outcomes: Counter[str] = Counter()  # of all tests
        self.shown: dict[str, list[tuple[str, str]]] = {}  # file and outcome of each test of a feature

    def pytest_collection_finish(self, session):
        self.collected = max(self.collected, len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        self.collected = len(ids)

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed" and report.when == "setup" or report.outcome == "failed":
            self.outcomes[report.outcome] += 1
            for name, feature in report.user_properties:
                if name == "shows":
                    self.shown.setdefault(feature, []).append((report.nodeid.partition("::")[0], report.outcome))
        if time.monotonic() - self.written > EVERY:
            self.write()

    def pytest_sessionfinish(self):
        self.write()

    def write(self):
        record = {
            "began": self.began,
            "commit": self.commit,
            "chosen": self.chosen,
            "part": self.part,
            "collected": self.collected,
            "outcomes": dict(self.outcomes),
            "features": {
                feature: {
                    "files": sorted({path for path, _ in results}),
                    "outcomes": dict(Counter(outcome for _, outcome in results)),
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
