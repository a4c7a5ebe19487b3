# SPDX-License-Identifier: Apache-2.0
"""Renewal of evidence: questions that are open, their cost, runs that answer them, pages that show the answers."""
