# SPDX-License-Identifier: Apache-2.0
"""The native twin: every sector scheme in C++ at the speed of the machine, bit-identical to the specification."""
