# SPDX-License-Identifier: Apache-2.0
"""Settings of every test, and the record of which features the tests showed.

Property tests are reproducible and never fail for being slow on a busy machine. A test that is marked with
``shows(FEATURE, ..)`` counts for these features of ``docs/test-plan.toml``; ``--record=FILE`` writes what each of them
came to, from which ``tests/plan.py`` makes ``docs/test-plan.md``.

A worker builds models with its share of the processors: each further translation unit reads the same headers again.
"""

import json
from collections import Counter
from datetime import date
from pathlib import Path

from hypothesis import settings

from wideblock.simulation import commands, verilator

from .plan import features

settings.register_profile("wideblock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("wideblock")


def pytest_addoption(parser):
    parser.addoption("--record", type=Path, metavar="FILE", help="Result of each feature of the test plan, as JSON.")


def pytest_configure(config):
    config.addinivalue_line("markers", "shows(feature, ...): features of docs/test-plan.toml that the test shows")
    config.addinivalue_line("markers", "slow: one of many variants, which `make test` leaves to `make test-all`")
    if hasattr(config, "workerinput"):  # the other workers have the other processors
        share = max(1, commands.processors() // config.workerinput["workercount"])
        for module in (commands, verilator):
            module.processors = lambda: share


def pytest_collection_modifyitems(items):
    for item in items:
        for marker in item.iter_markers("shows"):
            for feature in marker.args:
                if feature not in features():
                    raise ValueError(f"{item.nodeid} shows {feature!r}, which docs/test-plan.toml does not have")
                item.user_properties.append(("shows", feature))


def pytest_runtest_logreport(report):
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        OUTCOMES[report.outcome] += 1
        for name, feature in report.user_properties:
            if name == "shows":
                SHOWN.setdefault(feature, []).append((report.nodeid.partition("::")[0], report.outcome))


OUTCOMES: Counter[str] = Counter()  # of all tests
SHOWN: dict[str, list[tuple[str, str]]] = {}  # file and outcome of each test of a feature


def pytest_sessionfinish(session):
    file = session.config.getoption("--record")
    if file and not hasattr(session.config, "workerinput"):
        record = {
            "date": date.today().isoformat(),
            "chosen": session.config.getoption("markexpr"),
            "outcomes": dict(OUTCOMES),
            "features": {
                feature: {
                    "files": sorted({path for path, _ in results}),
                    "outcomes": dict(Counter(outcome for _, outcome in results)),
                }
                for feature, results in sorted(SHOWN.items())
            },
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(record, indent=1) + "\n")
