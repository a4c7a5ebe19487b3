# SPDX-License-Identifier: Apache-2.0
"""Templates of the files beside a core's Verilog."""

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

__all__ = ["render"]


def render(template: str, **values: Any) -> str:
    """Returns the text of a file of ``templates/``. Raises jinja2.UndefinedError for a value that is not given."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
