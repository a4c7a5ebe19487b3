# SPDX-License-Identifier: Apache-2.0
"""Names of modules: by a core's name and parameters, or chosen by a user."""

import re
from collections.abc import Mapping
from typing import Any

from wideblock.errors import UserError

__all__ = ["checked", "module_name"]

# IEEE 1364-2005, annex B
RESERVED = frozenset(
    """always and assign automatic begin buf bufif0 bufif1 case casex casez cell cmos config deassign default defparam
    design disable edge else end endcase endconfig endfunction endgenerate endmodule endprimitive endspecify endtable
    endtask event for force forever fork function generate genvar highz0 highz1 if ifnone incdir include initial inout
    input instance integer join large liblist library localparam macromodule medium module nand negedge nmos nor
    noshowcancelled not notif0 notif1 or output parameter pmos posedge primitive pull0 pull1 pulldown pullup
    pulsestyle_onevent pulsestyle_ondetect rcmos real realtime reg release repeat rnmos rpmos rtran rtranif0 rtranif1
    scalared showcancelled signed small specify specparam strong0 strong1 supply0 supply1 table task time tran tranif0
    tranif1 tri tri0 tri1 triand trior trireg unsigned use uwire vectored wait wand weak0 weak1 while wire wor xnor
    xor""".split()
)


def module_name(name: str, changed: Mapping[str, Any]) -> str:
    """The name of the module of preset or part ``name`` with ``changed`` parameters."""
    words = [name, *(f"{parameter}_{value}" for parameter, value in changed.items())]
    return "_".join(words).replace("-", "_").lower()


def checked(name: str) -> str:
    """``name``, if a module can have it in Verilog, in Tcl and in a file system.

    Two underscores in a row separate the parts of submodules' names. Raises UserError for any other.
    """
    if not re.fullmatch(r"[A-Za-z_]\w{0,199}", name, re.ASCII) or "__" in name:
        raise UserError(
            "the name of a module has letters, digits and single underscores, at most 200, and does not begin with a "
            f"digit; got {name!r}"
        )
    if name in RESERVED:
        raise UserError(f"the name of a module must not be a word of Verilog, got {name!r}")
    return name
