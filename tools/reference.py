# SPDX-License-Identifier: Apache-2.0
"""Reference of public names as Markdown, from their docstrings."""

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

__all__ = ["body"]


def body(module: ModuleType) -> str:
    """Markdown: each name of the module's ``__all__`` and each member, with signature and docstring."""
    parts = (f"\n### {name}\n\n{''.join(_entry(name, getattr(module, name)))}" for name in sorted(module.__all__))
    return "".join(parts)


def _entry(name: str, value: Any) -> Iterator[str]:
    yield _described(name, value)
    if not inspect.isclass(value) or issubclass(value, Exception):
        return
    own = [each for each in reversed(value.__mro__) if each is value or each.__name__.startswith("_")]
    for member, found in {name: found for each in own for name, found in vars(each).items()}.items():
        if member.startswith("_") or not hasattr(found, "__get__") or not inspect.getdoc(found):
            continue  # private, or a field's default, which has the docstring of its type
        found = found.__func__ if isinstance(found, classmethod) else found
        yield f"\n{_described(f'{name}.{member}', found)}"


def _described(name: str, value: Any) -> str:
    """Signature and docstring; the docstring as text, for unchanged columns."""
    signature = ""
    if inspect.isfunction(value):
        signature = str(inspect.signature(value)).replace("self, ", "").replace("(self)", "()").replace("'", "")
        signature = "".join(str(signature).split("typing.")).replace("collections.abc.", "")
    return f"`{name}{signature}`\n\n```text\n{inspect.getdoc(value)}\n```\n"
