# SPDX-License-Identifier: Apache-2.0
"""The master around an engine: rings of jobs in memory, bursts that fetch units, and bursts that write results."""
