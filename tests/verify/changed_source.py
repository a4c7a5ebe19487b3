# SPDX-License-Identifier: Apache-2.0
"""Faults put by hand into the sources of real cores."""

import inspect
from types import ModuleType


def changed(of, name, before, after):
    """``name`` of module ``of`` with ``before`` in its source, which has it once, made ``after``."""
    source = inspect.getsource(of)
    assert source.count(before) == 1, (of.__name__, before, source.count(before))
    made = ModuleType(of.__name__)
    made.__dict__.update(__file__=of.__file__, __package__=of.__package__)
    exec(compile(source.replace(before, after), of.__file__, "exec"), made.__dict__)
    return getattr(made, name)
