# SPDX-License-Identifier: Apache-2.0
"""Ports of a part that pass unchanged through a component around the part."""

from collections.abc import Collection
from typing import Any

from amaranth import Module
from amaranth.lib.wiring import Flow, connect, flipped

__all__ = ["pass_ports"]


def pass_ports(m: Module, inner: Any, outer: Any, *, but: Collection[str]) -> None:
    """Connects each channel and control of ``inner`` with the member of ``outer`` of the same name.

    but: names of channels and controls that the component does not pass unchanged
    """
    for channel in inner.interface.channels:
        if channel.name not in but:
            connect(m, getattr(inner, channel.name), flipped(getattr(outer, channel.name)))
    for control in inner.interface.controls:
        if control.name not in but:
            inside, outside = getattr(inner, control.name), getattr(outer, control.name)
            m.d.comb += inside.eq(outside) if control.flow is Flow.In else outside.eq(inside)
