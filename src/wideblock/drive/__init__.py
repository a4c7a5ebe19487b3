# SPDX-License-Identifier: Apache-2.0
"""Traffic of cores in simulation: sectors, messages and keys to words, and records of words back."""
