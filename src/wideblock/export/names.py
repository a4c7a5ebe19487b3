# SPDX-License-Identifier: Apache-2.0
"""Names of modules: by a core's name and parameters, or chosen by a user."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from wideblock.errors import UserError

__all__ = ["checked", "module_name"]

VERILATOR_TOP = "TOP"
"""Name that Verilator keeps for itself."""

# IEEE 1800-2017, annex B: the words of Verilog and of SystemVerilog
RESERVED = frozenset(
    """accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin
    bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos
    config const constraint context continue cover covergroup coverpoint cross deassign default defparam design
    disable dist do edge else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup
    endinterface endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask
    enum event eventually expect export extends extern final first_match for force foreach forever fork forkjoin
    function generate genvar global highz0 highz1 if iff ifnone ignore_bins illegal_bins implements implies import
    incdir include initial inout input inside instance int integer interconnect interface intersect join join_any
    join_none large let liblist library local localparam logic longint macromodule matches medium modport module
    nand negedge nettype new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed
    parameter pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup
    pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real realtime ref reg
    reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 s_always s_eventually s_nexttime
    s_until s_until_with scalared sequence shortint shortreal showcancelled signed small soft solve specify
    specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on sync_reject_on table
    tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg
    type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void wait
    wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor""".split()
)


LONGEST = 100
"""Letters of a module's name at most: in the place of some 127 Verilator has a hash."""


def module_name(name: str, changed: Mapping[str, Any]) -> str:
    """The name of the module of preset or part ``name`` with ``changed`` parameters.

    A name of more than :data:`LONGEST` letters is cut, and ends with a digest of the whole.
    """
    words = [name, *(f"{parameter}_{value}" for parameter, value in changed.items())]
    whole = "_".join(words).replace("-", "_").lower()
    if len(whole) <= LONGEST:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[: LONGEST - 9].rstrip('_')}_{digest}"


def checked(name: str) -> str:
    """``name``, if a module can have it in Verilog, in Tcl and in a file system.

    Two underscores in a row separate the parts of submodules' names. Raises UserError for any other.
    """
    if not isinstance(name, str) or not re.fullmatch(rf"(?!\w*__)[A-Za-z_]\w{{0,{LONGEST - 1}}}", name, re.ASCII):
        raise UserError(
            f"the name of a module has letters, digits and single underscores, at most {LONGEST}, and does not begin "
            f"with a digit; got {name!r}"
        )
    if name in RESERVED or name == VERILATOR_TOP:
        raise UserError(f"the name of a module must be no word of Verilog, SystemVerilog or Verilator, got {name!r}")
    return name
