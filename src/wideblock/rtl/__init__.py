# SPDX-License-Identifier: Apache-2.0
"""Hardware.

A core may be asked for its timing and never built. A file that makes parts for that begins with a line that tells
Amaranth not to warn of them.
"""
