# SPDX-License-Identifier: Apache-2.0
"""Settings of every test: property tests are reproducible and never fail for being slow on a busy machine."""

from hypothesis import settings

settings.register_profile("wideblock", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("wideblock")
