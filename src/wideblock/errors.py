# SPDX-License-Identifier: Apache-2.0
"""An error for the user to mend."""

__all__ = ["UserError"]


class UserError(ValueError):
    """Something that was asked for cannot be; the message is a line with the fault and a right value.

    The command line prints the message alone. Any other exception is a fault of the code and keeps its traceback.
    """
