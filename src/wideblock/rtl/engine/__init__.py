# SPDX-License-Identifier: Apache-2.0
"""The engine around a core with slots: registers, commands, policy, a window for sectors, and the self-test."""
