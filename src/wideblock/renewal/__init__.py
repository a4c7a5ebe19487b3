# SPDX-License-Identifier: Apache-2.0
"""Renewal of evidence: open questions, their cost, runs for the answers, pages with the answers."""
