# SPDX-License-Identifier: Apache-2.0
"""Measured points, published figures, and tables of both."""
