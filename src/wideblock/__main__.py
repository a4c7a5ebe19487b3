# SPDX-License-Identifier: Apache-2.0
"""``python -m wideblock``: the command."""

from wideblock.cli import main

if __name__ == "__main__":
    main()
