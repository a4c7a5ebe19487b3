# SPDX-License-Identifier: Apache-2.0
"""The frame of all checks, whatever the kind of core: suites, reports, and the checks that every kind has."""
