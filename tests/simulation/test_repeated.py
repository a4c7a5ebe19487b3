# SPDX-License-Identifier: Apache-2.0
"""Inputs that a model keeps: those of modules with several instances, directly or by the modules around them."""

from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.simulation.repeated import kept_inputs

from ..image.subject import SUBJECT

TEXT = """
module top(clk, a, o);
  input clk ;
  input [7:0] a;
  output [7:0] o;
  half half0 (
    .a(a[3:0])
  );
  half half1 (
    .a(a[7:4])
  );
  once once0 (
    .b(a)
  );
endmodule

module half(a);
  input [3:0] a;
  bit_of \\bit (
    .\\a.b (a[0])
  );
endmodule

module bit_of(\\a.b );
  input \\a.b ;
endmodule

module once(b);
  input [7:0] b;
endmodule
"""


def test_inputs_of_modules_with_several_instances_are_kept():
    kept = 'public_flat_rd -module "half" -var "a"\npublic_flat_rd -module "bit_of" -var "a.b"\n'
    assert kept_inputs(TEXT) == kept


def test_rounds_of_a_core_are_found():
    lines = kept_inputs(SUBJECT.verilog).splitlines()
    assert {line.rsplit(" ", 1)[1] for line in lines if "__round1" in line} >= {'"i"', '"key"'}


def test_models_that_are_open_together_are_closed_in_any_order():
    """A model that is closed leaves the context of its thread, which may be that of a model that is gone."""
    first, second = SectorSimulation(SUBJECT), SectorSimulation(SUBJECT)
    second.close()
    first.close()
