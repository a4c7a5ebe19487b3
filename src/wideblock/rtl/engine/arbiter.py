# SPDX-License-Identifier: Apache-2.0
"""The arbiter of the passage: self-test and window, one at a time."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, Signature

__all__ = ["MessageArbiter"]

_SHARED = ("index", "result_index", "result", "aborted", "fault", "cause")
_GATED = ("granted", "taken", "done")


class MessageArbiter(wiring.Component):
    """Gives the passage to one of two clients, the self-test first, until the client releases the passage.

    test, window: in, messages of self-test and window, links ``messages``
    passage:      out, messages of the client that has the passage

    Paths: between each client and the passage.
    Cost:  a flip-flop and the multiplexers of a message's request.
    """

    def __init__(self, messages: Signature):
        super().__init__({"test": In(messages), "window": In(messages), "passage": Out(messages)})

    def elaborate(self, platform):
        m = Module()
        test, window, passage = self.test, self.window, self.passage
        of_test = Signal()
        with m.If(~passage.granted):
            m.d.sync += of_test.eq(test.request)
        either = test.request | window.request
        m.d.comb += passage.request.eq(Mux(passage.granted, Mux(of_test, test.request, window.request), either))
        for name in ("send", "slot", "decrypt", "size", "tweak", "tweak_size", "word"):
            m.d.comb += getattr(passage, name).eq(Mux(of_test, getattr(test, name), getattr(window, name)))
        for client, mine in ((test, of_test), (window, ~of_test)):
            m.d.comb += [getattr(client, name).eq(getattr(passage, name) & mine) for name in _GATED]
            m.d.comb += client.ready.eq(passage.granted & mine & passage.ready)
            m.d.comb += [getattr(client, name).eq(getattr(passage, name)) for name in _SHARED]
        return m
