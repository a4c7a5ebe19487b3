# SPDX-License-Identifier: Apache-2.0
"""Area and clock of an emitted core on named devices, and the papers' own figures to hold them against."""
