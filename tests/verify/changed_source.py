# SPDX-License-Identifier: Apache-2.0
"""Faults put by hand into the sources of real cores, and the check that must find one."""

import inspect
from types import ModuleType

import pytest

from wideblock.export.verilog import FILE, generate


def changed(of, name, before, after):
    """``name`` of module ``of``, or the method ``name`` of a class of it, with ``before`` in its source made ``after``.

    The source has ``before`` once.
    """
    source = inspect.getsource(of)
    assert source.count(before) == 1, (of.__name__, before, source.count(before))
    made = ModuleType(of.__name__)
    made.__dict__.update(__file__=of.__file__, __package__=of.__package__)
    exec(compile(source.replace(before, after), of.__file__, "exec"), made.__dict__)
    owners = (each for each in vars(made).values() if isinstance(each, type) and name in vars(each))
    return getattr(made, name) if hasattr(made, name) else getattr(next(owners), name)


def expect_found(suite, core, check, words, amount=16, seed=1):
    """The check of a suite fails on a core as its sources are now, not as it is kept, and says ``words``, a pattern.

    amount, seed: as of :meth:`~wideblock.verify.core.suite.Suite.verify`
    """
    text = generate(core.module, core.shell, core.header)[FILE]
    with suite.simulation(core, verilog=[text]) as simulation:
        failure = suite.verify(core, amount=amount, seed=seed, checks=[check], simulation=simulation).failure
    assert failure is not None
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(failure.difference)
