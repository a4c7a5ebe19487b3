# SPDX-License-Identifier: Apache-2.0
"""``wideblock native``."""

from pathlib import Path
from typing import Annotated

import typer

from wideblock import __version__
from wideblock.cli.app import stages
from wideblock.cli.display import out
from wideblock.native.library import install, library_file, schemes, widths

EXAMPLE = "Example: [b]wideblock native --install /usr/local[/b]"


def native(
    prefix: Annotated[
        Path | None,
        typer.Option(
            "--install", metavar="PREFIX", help="Directory such as /usr/local; lib, include, share go below it."
        ),
    ] = None,
) -> None:
    """Build the native library, and install it for C, C++, Rust and Go.

    Without --install the file is shown, with the widths of the processor and the schemes.
    """
    with stages("building the native library"):
        built = library_file()
    if prefix is None:
        out.print(f"wideblock {__version__}: {built}")
        out.print(f"widths: {', '.join(widths())}")
        out.print(f"schemes: {', '.join(schemes())}")
        return
    install(prefix)
    out.print(f"installed below {prefix}; programs find it by pkg-config wideblock, or CMake's find_package(wideblock)")
