# SPDX-License-Identifier: Apache-2.0
"""An error for the user to mend."""

__all__ = ["UserError"]


class UserError(ValueError):
    """An impossible request; the message is a line with the fault and a right value.

    The command line prints the message alone, as of a missing tool, a missing compiler and an OSError. All further
    exceptions are faults of the code and keep the traceback.
    """
