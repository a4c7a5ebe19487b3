# SPDX-License-Identifier: Apache-2.0
"""Parts of the catalogue that load hardware descriptions: imported when a component is made, not before."""
