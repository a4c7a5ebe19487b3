# SPDX-License-Identifier: Apache-2.0
"""Hardware.

A core may be asked for the timing and never built. A file that makes unused parts begins with a line against Amaranth's
warning.
"""
