# SPDX-License-Identifier: Apache-2.0
"""Traffic of sector cores."""
