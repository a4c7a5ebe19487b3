# SPDX-License-Identifier: Apache-2.0
"""Traffic of authenticated ciphers behind the CAESAR Hardware API."""
