# SPDX-License-Identifier: Apache-2.0
"""Hardware. A core may be asked for its timing and never built, which Amaranth would warn of."""

import warnings

from amaranth.hdl import UnusedElaboratable

warnings.filterwarnings("ignore", category=UnusedElaboratable)
