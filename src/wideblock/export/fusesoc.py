# SPDX-License-Identifier: Apache-2.0
"""FuseSoC description of an exported core."""

import json

from wideblock import __version__
from wideblock.export.contract import Contract
from wideblock.export.render import render

__all__ = ["fusesoc"]


def fusesoc(core: Contract, *, bench: bool) -> str:
    """Returns a CAPI2 ``.core`` file with targets lint and synth, and with ``bench`` also sim, for the files beside it.

    The library is the kind of the core. Source: CAPI2 reference of FuseSoC. Strings are quoted as JSON, which YAML
    contains.
    """
    return render("fusesoc.core.jinja", core=core, version=__version__, summary=json.dumps(core.summary), bench=bench)
