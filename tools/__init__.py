# SPDX-License-Identifier: Apache-2.0
"""Makes the documents of a checkout from cycle contracts, stored evidence and docstrings; not part of the package."""
