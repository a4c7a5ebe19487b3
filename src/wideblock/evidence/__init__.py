# SPDX-License-Identifier: Apache-2.0
"""Evidence on cores: one schema and one store for areas, clocks, proofs, checks, measurements and mutation scores."""
