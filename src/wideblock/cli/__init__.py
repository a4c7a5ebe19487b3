# SPDX-License-Identifier: Apache-2.0
"""The command line: one module a subcommand; what they do lives in the packages they call."""

import sys

from wideblock.cli.app import app, one_line
from wideblock.cli.signals import Stopped, stopping

__all__ = ["main"]


def main() -> None:
    """Runs the command line of this process."""
    with stopping():
        try:
            app(prog_name="wideblock")
        except Stopped as stop:
            print(f"wideblock: {one_line(stop)}", file=sys.stderr)
            raise
