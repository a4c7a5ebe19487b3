# SPDX-License-Identifier: Apache-2.0
"""Datasheet and test vectors of an authenticated cipher behind the CAESAR Hardware API."""

import random
from collections.abc import Iterable

from wideblock.catalog import AeadAnswer
from wideblock.drive.aead.caesar import FILES, CaesarFormat, Item, from_text, text
from wideblock.export.caesar_testbench import testbench
from wideblock.export.contract import AeadContract
from wideblock.export.markdown import table
from wideblock.export.sheet import instance, sheet
from wideblock.export.simulators import simulate

__all__ = ["datasheet", "others", "random_answers", "vectors"]

FILED = 8
"""Known answers in the files beside the Verilog."""

RANDOM = 300
"""Bytes of the longest random message."""


def others(core: AeadContract) -> dict[str, str]:
    """Returns the first known answers, as files for the API's test benches and as a test bench that plays them."""
    files = vectors(core, core.known_answers[:FILED])
    if not files:
        return {}
    words = {port: from_text(name, files[name], core.parameters.word_bits) for port, name in FILES.items()}
    return files | {f"{core.module}_tb.v": testbench(core, words)}


def vectors(core: AeadContract, answers: Iterable[AeadAnswer]) -> dict[str, str]:
    """Returns the three text files of messages and of their right output, each answer in both directions.

    A key is activated where it differs from that of the answer before. An answer without a plaintext is one that must
    be rejected.
    """
    api = CaesarFormat.of(core)
    items: dict[str, list[Item]] = {port: [] for port in FILES}
    key = None
    for answer in answers:
        if answer.key != key:
            key = answer.key
            items["pdi"] += api.activate_key()
            items["sdi"] += api.load_key(key)
        if answer.plaintext is not None:
            items["pdi"] += api.encrypt(answer.npub, answer.ad, answer.plaintext)
            items["do"] += api.encrypted(len(answer.plaintext), answer.ciphertext)
        items["pdi"] += api.decrypt(answer.npub, answer.ad, answer.ciphertext)
        items["do"] += api.failed() if answer.plaintext is None else api.decrypted(answer.plaintext)
    if not items["pdi"]:
        return {}
    comment = f"{core.module}: messages of the CAESAR Hardware API and their right output"
    return {name: text(items[port], api.word_bits, comment) for port, name in FILES.items()}


def random_answers(core: AeadContract, n: int, seed: int) -> list[AeadAnswer]:
    """Returns random messages of up to ``RANDOM`` bytes, four under each key; one in four is to be rejected."""
    rng, shape, behaviour = random.Random(seed), core.behaviour.shape, core.behaviour
    found, key = [], b""
    for number in range(n):
        if number % 4 == 0:
            key = rng.randbytes(shape.key)
        npub = rng.randbytes(shape.npub)
        ad, message = (
            rng.randbytes(rng.randint(0, min(RANDOM, most))) for most in (behaviour.ad_bytes, behaviour.data_bytes)
        )
        sealed = core.specification(key).encrypt(npub, ad, message)
        wrong = number % 4 == 3
        if wrong:
            sealed = sealed[:-1] + bytes([sealed[-1] ^ 1 << rng.randrange(8)])
        found.append(AeadAnswer(f"random, seed {seed}", key, npub, ad, None if wrong else message, sealed))
    return found


def datasheet(core: AeadContract, measured: str = "") -> str:
    """Returns the datasheet; ``measured`` is a Markdown table of area and clock, or empty."""
    t, shape = core.timing, core.behaviour.shape
    rate = 8 * shape.block / t.interval
    return sheet(
        core,
        rate=f"{rate:.1f} bits a cycle in a long message: {rate / 10:.1f} Gb/s at 100 MHz.",
        cycles=f"They hold {t.holds}.\n\n{_messages(core)}",
        measured=measured,
        sections={
            "Rules of the ports": _rules(core),
            "How to connect": f"```verilog\n{instance(core)}```\n\n{_connect(core)}",
            "How to simulate": simulate(core, BENCH.format(module=core.module) if core.known_answers else ""),
        },
    )


def _messages(core: AeadContract) -> str:
    """Cycles of whole messages."""
    behaviour, t = core.behaviour, core.timing
    sizes = [n for n in (0, 16, 64, 256, 1024) if n < behaviour.data_bytes] + [behaviour.data_bytes]
    ads = (0, min(16, behaviour.ad_bytes))
    rows = [(str(ad), str(n), str(t.message(ad, n)), str(t.message(ad, n, decrypt=True))) for ad in ads for n in sizes]
    head = ("associated data, bytes", "message, bytes", "encryption, cycles", "decryption, cycles")
    return "Instruction accepted to status accepted:\n\n" + table(head, rows)


def _rules(core: AeadContract) -> str:
    shape, behaviour = core.behaviour.shape, core.behaviour
    gives = ENCRYPTION if shape.online else LATE_ENCRYPTION
    streams = {stream.channel.name: stream for stream in core.shell.streams}
    packets = ""
    if core.parameters.packets:
        packets = PACKETS.format(**{name: stream.port("last") for name, stream in streams.items()})
    return RULES.format(
        gives=gives + (EXPANDED if shape.expands else ""),
        more=f" ({shape.enciphered(behaviour.data_bytes)} of type 5)" if shape.expands else "",
        npub=shape.npub,
        tag=shape.tag,
        key=shape.key,
        block=shape.block,
        ad=behaviour.ad_bytes,
        data=behaviour.data_bytes,
        valid=streams["do"].valid,
        ready=streams["do"].ready,
        end="the end of its packet" if core.parameters.packets else "the end of its segment with Last",
        packets=packets,
    )


def _connect(core: AeadContract) -> str:
    shell = core.shell
    level = "low" if shell.active_low else "high"
    first = "low" if shell.swapped else "high"
    return CONNECT.format(core=core, clock=shell.clock, reset=shell.reset, level=level, first=first)


RULES = """\
- The input may pause between any two words, and the output may be held off at any time. The result is the same.
  `{valid}`, once high, stays until `{ready}`.
- Key: on `pdi` the instruction 7; on `sdi` the instruction 4 and one segment of type C with {key} bytes. A key of
  another form is taken whole and leaves no key.
- Message: the instruction 2 (encrypt) or 3 (decrypt); one segment of type D with {npub} bytes; segments of type 1, at
  most {ad} bytes; segments of type 4 (encrypt) or 5 (decrypt), at most {data} bytes{more}; to decrypt one of type 8
  with {tag} bytes. All segments of a type but the last are whole blocks of {block} bytes; only a type without a byte
  has an empty one. EOT marks the last segment of a type, Last that of the message. EOI is not read.
- {gives}
- Any other message is taken up to {end} and gives the status F; what left before remains. So
  does a message without a key. The next message is right.
{packets}\
- `zeroize` clears keys and everything derived from keys or data. `{valid}` falls in the next cycle. The rest of a
  message that it cuts is dropped without a status.
- No port shows a key, a value derived from it, an input, or a message before its tag was found right, whether `{valid}`
  is high or low. `wideblock verify` looks for them in every cycle: check "secrets on ports".
"""

ENCRYPTION = """\
Encryption gives a segment of type 5 for each of type 4, the tag, and the status E. Decryption gives one segment of
  type 4 and the status E, after the tag was found right; otherwise the status F and nothing else."""

LATE_ENCRYPTION = """\
Encryption gives one segment of type 5 after the whole message was taken, the tag, and the status E. Decryption gives
  one segment of type 4 and the status E, after the tag was found right; otherwise the status F and nothing else."""

EXPANDED = """
- Ciphertext is whole blocks, at least one, and always longer than the message; the last segment of type 5 says so. A
  message whose padding is wrong is rejected like one whose tag is wrong."""

PACKETS = """\
- Each message, each instruction 7 and each key is a packet: `{pdi}` and `{sdi}` mark its last word. `{do}` marks the
  status. A message whose packet ends before it does, or after it, is taken up to the end of its packet and gives the
  status F. A segment of type 5 that was announced by then is filled up with zeros.
- Words are whole, and there is no `tkeep`: an adapter on the way must remove null bytes, and so must it a last beat
  without bytes. A word behind the end of a message is a fault, whatever its bytes are.
"""

CONNECT = """\
All ports are synchronous to `{clock}`. `{reset}` is sampled by `{clock}`: after power-up it must be {level} for at
least one cycle, since registers have no initial value. The first byte of data is in the {first} bits of its
word; instructions, headers and status are the first four bytes.
The Verilog file needs no other file. `component.xml` describes it to Vivado's IP catalogue, `{core.module}.core` to
FuseSoC. `{core.module}.xdc`, for Vivado, and `{core.module}.sdc`, for other tools, have a clock constraint for runs of
the core by itself.
"""

BENCH = """\
`pdi.txt`, `sdi.txt` and `do.txt` have known answers for test benches of the API. `{module}_tb.v` plays them and prints
`PASSED`. It drives unknown values wherever no word is valid.
"""
