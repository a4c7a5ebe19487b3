# SPDX-License-Identifier: Apache-2.0
"""Faults put by hand change sources as they are: each text stands once in its module."""

import inspect
from types import ModuleType

import pytest

from .engine import test_concurrent, test_suite
from .formal import test_key_registers
from .sector import test_planted

pytestmark = pytest.mark.shows("mutation")

TABLES = (test_concurrent.FAULTS, test_suite.FAULTS, test_key_registers.LEAKS, test_planted.FAULTS)


def planted(table):
    """Module and text of each fault anywhere in a table: user, name, module, text before and after."""
    for each in table:
        each = getattr(each, "values", each)  # of a parameter of pytest
        if isinstance(each, tuple) and len(each) >= 5 and isinstance(each[2], ModuleType):
            yield each[2], each[3]
        elif isinstance(each, tuple):
            yield from planted(each)


def test_each_text_that_a_fault_changes_stands_once_in_its_module():
    found = [fault for table in TABLES for fault in planted(table.values())]
    counts = {(of.__name__, text): inspect.getsource(of).count(text) for of, text in found}
    assert len(counts) > 40 and {fault: count for fault, count in counts.items() if count != 1} == {}
