# SPDX-License-Identifier: Apache-2.0
"""Rules of authenticated ciphers behind the CAESAR Hardware API.

The cipher is free, with any results, tags and handshakes at any time. Two rules of the cipher's ports are assumed, see
:func:`~wideblock.rtl.aead.cipher.cipher_signature`: a tag is held until accepted, and then nothing is left of a result.
"""

from dataclasses import replace
from enum import Enum

from wideblock.export.contract import Contract
from wideblock.rtl.aead import post_processor, pre_processor, verdict
from wideblock.rtl.aead.cipher import BlockKind
from wideblock.rtl.aead.framing import PacketRole
from wideblock.rtl.aead.key_loader import KeyState
from wideblock.rtl.aead.post_processor import Follow
from wideblock.rtl.aead.words import Opcode, StatusWord, Type
from wideblock.rtl.stream.influence import HeaderWords
from wideblock.verify.formal.induction import CLEAR, Rule
from wideblock.verify.formal.proof import NotApplicable
from wideblock.verify.formal.rules.outputs import Given, OutputPlaces
from wideblock.verify.formal.rules.parts import accepted, held_in_registers, resetting

__all__ = ["held", "order", "output", "queues", "rekey", "release"]

_PRE = {f"pre_{name}": f"core.pre._{name}" for name in ("state", "kind", "header", "ended")}
_PRE |= {f"pre_{name}": f"core.pre.assembler.{name}" for name in ("block", "size")}
_PRE |= {"pre_decrypt": "core.pre.decrypt", "verdict": "core.verdict._state", "equal": "core.verdict._equal"}
_PRE |= {"clear": CLEAR}
_TAG = {f"tag_{name}": f"core.verdict.tag__{name}" for name in ("valid", "ready", "payload")}
_POST = {"post_state": "core.post.state", "first": "core.post.order.first", "follow": "core.post.order.follow"}

_PARSING = ("HEADER", "CHECK", "WORDS", "BLOCK")
_EMPTY = ("LOAD", "HEADER", "CHECK", "ABANDON")
_BETWEEN = ("INSTRUCTION", "LOAD")
"""States of the pre-processor: of headers and blocks; without a word of a block; between messages."""

_AFTER = ("TAG", "COMPARE", "JUDGE", "RELEASE", "END", "FAIL")
"""States of the verdict behind the last word of a message."""

CLOSED = ("aes", "lanes", r"multiplier\d*")
"""Closed parts of a cipher, if memories of the cipher count."""

_HELD = "the cipher is assumed to hold its tag until accepted"
_VERIFIED = "no word of a message to decrypt leaves before its tag is verified; status FAILURE alone leaves otherwise"
_AT_ONCE = (
    "plaintext leaves UNVERIFIED (release=at-once); SUCCESS leaves only after the tag was verified, as the last word "
    "of the message; status FAILURE otherwise, and no word after it"
)
_ASSUMED = f"{_HELD}, and to give no result between an accepted tag and the next block of data"


def held(core: Contract) -> Rule:
    """A leaving word of the tag is a word of the cipher. Words that fill up a segment stay until a result comes."""
    words = held_in_registers("core.buffer.blank", "core.buffer.o__valid")
    if core.parameters.packets:
        rule = replace(release(core), statement=_ASSUMED)
    else:
        rule = Rule(_HELD, _PRE | _TAG | _POST, "\n".join((_constants(), _direction(core), _cleared(core))))
    return replace(rule, signals=rule.signals | words.signals, text=f"{rule.text}\n{words.text}")


def queues(core: Contract) -> Rule:
    """None: the only queue has room for a whole message, or for a segment of a core that releases at once."""
    longest = "longest segment" if core.behaviour.timing.segment else "longest message"
    raise NotApplicable(f"the result buffer has room for the {longest}; how much comes is the cipher's, which is free")


def output(core: Contract) -> OutputPlaces:
    """The result buffer's words. Headers, statuses and tags are on the port only as they are valid."""
    state, fill = "core.post.state", "core.post.fill"
    words: tuple[Given, ...] = ({state: post_processor.PostState.DATA.value},)
    if core.parameters.packets:
        words = tuple(words[0] | {fill: given} for given in (0, 1))
    return OutputPlaces(
        ("core.buffer.words",),
        erase="core.buffer.blank",
        pending="core.buffer.waits",
        fetch="core.buffer.fetch",
        address=("core.buffer.fetched",),
        port=({state: post_processor.PostState.IDLE.value}, *words),
        valid=tuple({state: each.value} for each in (post_processor.PostState.FIRST, post_processor.PostState.TAG)),
        closed=CLOSED,
    )


def order(core: Contract) -> Rule:
    """No rule: a single message is in the core at a time."""
    raise NotApplicable("no order to prove: a message begins after the last one's status was ordered")


def release(core: Contract) -> Rule:
    """No word of a message to decrypt leaves before the tag was verified; after a wrong tag FAILURE alone leaves.

    A monitor at the ports reads messages on ``pdi`` and segments on ``do``. A message is verified in the cycle in which
    the cipher's tag is accepted, after the last segment, of type TAG, if the tag equals the words of the segment. A
    cipher that judges tags was given the segment, and the judgement is 0. No word of a failed message is left in the
    result buffer for the next message.

    A core that releases at once gives the plaintext before, UNVERIFIED. The rule is then one of the status: SUCCESS
    leaves only after the tag was verified, as the last word of the message; after FAILURE no word of the message is
    left in the result buffer.
    """
    signals = _PRE | _TAG | _POST | {"post_left": "core.post.left"}
    signals |= {"pre_wrong": "core.pre._wrong"} if core.parameters.packets else {}
    signals |= {f"framing_{name}": f"core.pre.framing.{name}" for name in ("role", "left", "last")}
    signals |= {f"block_{name}": f"core.pre.blocks__{name}" for name in ("valid", "ready")}
    signals |= {f"block_{name}": f"core.pre.blocks__payload.{name}" for name in ("kind", "size", "data")}
    signals |= {"result_valid": "core.buffer.valid", "pending": "core.buffer.pending", "let": "core.buffer.released"}
    text = (_constants(), _direction(core), _cleared(core), _messages(core), _judgement(core), _receiver(core))
    claim = _AT_ONCE if core.behaviour.at_once else _VERIFIED
    return Rule(
        f"{claim}; {_ASSUMED}",
        signals,
        "\n".join((*text, _claims(core), _place(core), _tag_segment(core), _output(core))),
    )


def rekey(core: Contract) -> Rule:
    """The loader offers a key to the cipher only while the pre-processor waits for a key, between two messages."""
    signals = _PRE | _TAG | _POST | {"loader_state": "core.loader.state", "key_valid": "core.loader.key__valid"}
    claim = f"""
      always @* if (!clear) begin
        assert (loader_state < {KeyState.INSTRUCTION.value} || pre_state == PRE_LOAD);
        if (key_valid) assert (pre_state == PRE_LOAD && !block_valid && !sealing);
      end"""
    return Rule(
        f"a key is offered to the cipher only while no block is and no tag is awaited; {_HELD}",
        signals | {"block_valid": "core.pre.blocks__valid"},
        "\n".join((_constants(), _direction(core), _cleared(core), claim)),
    )


def places(core: Contract) -> Rule:
    """Instructions and headers are read at their places; the comparison of tags is known once a message.

    The place of a word is from the framing, which depends on headers alone; the states are declared by the core. All
    other assertions are for the induction.
    """
    step, shape = core.parameters.word_bits // 8, core.behaviour.shape
    signals = {f"pre_{name}": _PRE[f"pre_{name}"] for name in ("state", "decrypt", "kind", "header", "size", "ended")}
    signals |= {name: _PRE[name] for name in ("verdict", "equal", "clear")} | {"tag_valid": _TAG["tag_valid"]}
    signals |= {f"framing_{name}": f"core.pre.framing.{name}" for name in ("role", "left", "last")}
    signals |= {"pre_wrong": "core.pre._wrong"} if core.parameters.packets else {}
    names, claims = {signal: name for name, signal in signals.items()}, []
    for words in (each for each in core.behaviour.influences if isinstance(each, HeaderWords)):
        state = names.setdefault(f"core.{words.state}", f"{words.channel}_state")
        role = names.setdefault(f"core.{words.role}", f"{words.channel}_role")
        claims += [f"if (!clear && {state} == {at}) assert ({role} == {place});" for at, place in words.states]
        claims.append(f"if (clear && later) assert ({state} == 0);")
    if core.parameters.packets:
        right, accepted = "if (!pre_wrong) ", "if (!clear && collecting) assert (!pre_wrong);"
    else:
        right, accepted = "", "assert (framing_role != ROLE_REST);"
    signals = {name: signal for signal, name in names.items()}
    text = f"""{_later(core)}
      wire parsing = {_one_of(_PARSING)};
      wire collecting = pre_state == PRE_WORDS || pre_state == PRE_BLOCK;
      wire after = {_one_of(_BETWEEN)} || {_ends(_AFTER)};
      wire [1:0] next = pre_header[24] ? ROLE_INSTRUCTION : ROLE_HEADER;
      reg was_equal, compared = 1;
      always @(posedge {core.shell.clock}) begin
        was_equal <= equal;
        compared <= clear || (verdict == VERDICT_COMPARE && tag_valid) || {resetting(core)};
      end
      always @* begin
        {" ".join(claims)}
        if (!compared) assert (equal == was_equal);
        {accepted}
        if (framing_role == ROLE_DATA) assert (framing_left != 0);
        if (clear && later) assert (pre_size == 0);
      end
      always @* if (!clear) begin
        if (after) assert (framing_role == ROLE_INSTRUCTION);
        if (pre_state == PRE_WORDS) assert (framing_role == ROLE_DATA && !pre_ended);
        if (pre_state == PRE_BLOCK) assert (framing_role == (pre_ended ? next : ROLE_DATA));
        if (pre_state == PRE_CHECK) begin
          {right}assert (framing_role == (pre_header[15:0] == 0 ? next : ROLE_DATA));
          {right}assert (framing_left == pre_header[15:0]);
        end
        if (framing_role == ROLE_DATA && parsing) assert (framing_last == pre_header[24]);
        if (collecting)
          assert (pre_header[24] == (pre_kind == KIND_DATA ? pre_header[25] && !pre_decrypt : pre_kind == KIND_TAG));
        if ({_one_of(_EMPTY)}) assert (pre_size == 0);
        if (pre_kind == KIND_TAG && pre_state == PRE_WORDS)
          assert (framing_left + pre_size == {shape.tag} && pre_size % {step} == 0 && pre_header[25]);
        if (pre_kind == KIND_TAG && pre_state == PRE_BLOCK)
          assert ({"pre_ended && pre_header[25]" if shape.judges else "0"});
      end"""
    return Rule("instructions and headers are read where they are", signals, "\n".join((_constants(), text)))


def _constants() -> str:
    """The enumerations of the hardware as parameters, such as ``PRE_HEADER``."""
    enums: dict[str, type[Enum]] = {
        "PRE": pre_processor.PreState,
        "VERDICT": verdict.VerdictState,
        "POST": post_processor.PostState,
        "FOLLOW": Follow,
        "KIND": BlockKind,
        "ROLE": PacketRole,
    }
    return "\n".join(f"localparam {at}_{each.name} = {each.value};" for at, values in enums.items() for each in values)


def _direction(core: Contract) -> str:
    """States of encryptions alone, states of decryptions alone, and the assumption on the cipher's tag."""
    return f"""
      reg tag_waits = 0;
      reg [{8 * core.behaviour.shape.tag - 1}:0] was_tag;
      always @(posedge {core.shell.clock}) begin
        tag_waits <= tag_valid && !tag_ready && !clear && !({resetting(core)});
        was_tag <= tag_payload;
      end
      always @* if (tag_waits && !clear) assume (tag_valid && tag_payload == was_tag);
      wire parsing = {_one_of(_PARSING)};
      wire sealing = post_state == POST_TAG || (post_state == POST_FIRST && follow == FOLLOW_TAG);
      always @* if (!clear) begin
        if (parsing && pre_kind == KIND_TAG) assert (pre_decrypt);
        if ({_ends(("COMPARE", "JUDGE"))}) assert (pre_decrypt);
        {"if (verdict == VERDICT_RELEASE) assert (pre_decrypt);" if core.behaviour.shape.online else ""}
        if (verdict == VERDICT_TAG || sealing) assert (!pre_decrypt);
        if (sealing) assert (verdict == VERDICT_END);
        if (verdict == VERDICT_END && !pre_decrypt) assert (tag_valid);
      end"""


def _bits(core: Contract) -> tuple[int, int, int]:
    """Bits and bytes of a word, and words of a tag."""
    bits = core.parameters.word_bits
    return bits, bits // 8, -(-8 * core.behaviour.shape.tag // bits)


def _word(core: Contract, channel: str) -> str:
    """The word at a channel's port, ``<channel>_word``, first byte in the high bits."""
    bits = core.parameters.word_bits
    data = core.shell.named(channel).port("word")
    lanes = ", ".join(f"{data}[{at + 7}:{at}]" for at in range(0, bits, 8))
    value = f"{{{lanes}}}" if "word" in core.shell.swapped else data
    return f"wire [{bits - 1}:0] {channel}_word = {value};"


def _messages(core: Contract) -> str:
    """The messages on ``pdi``: role of the next word, type and length of the last header, and the last words."""
    bits, step, words = _bits(core)
    swapped = ", ".join(f"pdi_word[{at + 7}:{at}]" for at in range(0, bits, 8))
    flag = core.shell.named("pdi").port("last") if core.parameters.packets else None
    packet = f"if (taken) role <= {flag} ? ROLE_INSTRUCTION : ended ? ROLE_REST : next_role;" if flag else ""
    return f"""
      {_word(core, "pdi")}
      reg [1:0] role = ROLE_INSTRUCTION, next_role;
      reg [15:0] left = 0, length = 0;
      reg last = 0;
      reg [3:0] type = 0;
      reg [{words * bits - 1}:0] received;
      wire [{(words + 1) * bits - 1}:0] further = {{{swapped}, received}};
      wire [31:0] head = pdi_word[{bits - 1}:{bits - 32}];
      wire taken = {accepted(core, "pdi")};
      wire alone = head[31:28] == {Opcode.ACTIVATE_KEY:d};
      wire begun = taken && role == ROLE_INSTRUCTION && !(alone{f" && {flag}" if flag else ""});
      always @* case (role)
        ROLE_INSTRUCTION: next_role = alone ? ROLE_INSTRUCTION : ROLE_HEADER;
        ROLE_HEADER: next_role = head[15:0] != 0 ? ROLE_DATA : head[24] ? ROLE_INSTRUCTION : ROLE_HEADER;
        ROLE_DATA: next_role = left > {step} ? ROLE_DATA : last ? ROLE_INSTRUCTION : ROLE_HEADER;
        default: next_role = role;
      endcase
      wire ended = next_role == ROLE_INSTRUCTION;
      always @(posedge {core.shell.clock}) begin
        if (taken) begin
          received <= further[{(words + 1) * bits - 1}:{bits}];
          role <= next_role;
        end
        {packet}
        if ({resetting(core)}) role <= ROLE_INSTRUCTION;
        if (begun) {{type, length}} <= 0;
        if (taken && role == ROLE_HEADER) begin
          type <= head[31:28];
          last <= head[24];
          length <= head[15:0];
          left <= head[15:0];
        end
        if (taken && role == ROLE_DATA) left <= left <= {step} ? 16'd0 : left - {step};
      end"""


def _judgement(core: Contract) -> str:
    """Whether the present message is to decrypt and not verified; and assumptions on the cipher.

    The tag of a message that was abandoned verifies nothing.
    """
    shape = core.behaviour.shape
    tag = 8 * shape.tag
    right = "judged && tag_payload == 0" if shape.judges else f"tag_payload == received[{tag - 1}:0]"
    return f"""
      reg unverified = 0, before = 0, judged = 0, drained = 1;
      wire sealed = role == ROLE_INSTRUCTION && left == 0 && type == {Type.TAG:d} && length == {shape.tag};
      wire verified = tag_valid && tag_ready && verdict != VERDICT_IGNORE && sealed && {right};
      always @(posedge {core.shell.clock}) begin
        if (begun) begin
          unverified <= head[31:28] == {Opcode.DECRYPT:d};
          before <= unverified;
          judged <= 0;
        end else if (verified) unverified <= 0;
        if (block_valid && block_ready && block_kind == KIND_TAG)
          judged <= block_size == {shape.tag} && block_data[{tag - 1}:0] == received[{tag - 1}:0];
        if (tag_valid && tag_ready) drained <= 1;
        if (block_valid && block_ready && block_kind == KIND_DATA) drained <= 0;
        if (clear) {{unverified, before, drained}} <= 3'b001;
      end
      always @* if (drained) assume (!result_valid);"""


def _receiver(core: Contract) -> str:
    """The segments on ``do``, and the number of messages with a pending status: at most the last two."""
    bits, step, _ = _bits(core)
    return f"""
      {_word(core, "do")}
      reg [15:0] do_left = 0;
      reg [1:0] due = 0;
      wire leaves = {accepted(core, "do")};
      wire [31:0] do_head = do_word[{bits - 1}:{bits - 32}];
      wire success = do_left == 0 && do_word == {bits}'d{StatusWord.SUCCESS << (bits - 4)};
      wire failure = do_left == 0 && do_word == {bits}'d{StatusWord.FAILURE << (bits - 4)};
      always @(posedge {core.shell.clock}) begin
        if (leaves) do_left <= do_left == 0 ? do_head[15:0] : do_left <= {step} ? 16'd0 : do_left - {step};
        due <= due + begun - (leaves && (success || failure));
        if (clear) {{do_left, due}} <= 0;
      end"""


def _claims(core: Contract) -> str:
    """The rule at the ports: nothing of a failed message stays behind."""
    flag = core.shell.named("do").port("last") if core.parameters.packets else None
    ends = f"assert ({flag} == (success || failure));" if flag else ""
    at_once = core.behaviour.at_once
    kept = "" if at_once else "if (held) assert (let == was_let);"
    sealed = " || ".join(f"do_head[31:28] == {type:d}" for type in (Type.PLAINTEXT, Type.CIPHERTEXT, Type.TAG))
    return f"""
      always @* if ({core.shell.named("do").valid}) begin
        assert (due != 0);
        {ends}
        if (do_left == 0) assert (success || failure || {sealed});
        if (due == 2) assert (failure || (success && !before));
        if (due == 1 && unverified) assert ({"!success" if at_once else "failure"});
      end
      wire between = verdict == VERDICT_FAIL || (verdict == VERDICT_IDLE && {_one_of(_BETWEEN)});
      reg [{core.component.buffer.rows.bit_length() - 1}:0] was_let;
      reg held = 0;
      always @(posedge {core.shell.clock}) begin
        was_let <= let;
        held <= unverified && !clear;
      end
      always @* if (!clear) begin
        {kept}
        if (unverified && between) assert (!pending);
      end"""


def _place(core: Contract) -> str:
    """The pre-processor's states, tied to the place in a message; as all below, for the induction."""
    header = "if (!pre_wrong) " if core.parameters.packets else ""
    return f"""
      wire after = {_one_of(_BETWEEN)} || {_ends(_AFTER)};
      wire [1:0] next = pre_header[24] ? ROLE_INSTRUCTION : ROLE_HEADER;
      always @* begin
        assert (role == framing_role{"" if core.parameters.packets else " && role != ROLE_REST"});
        if (role == ROLE_DATA) assert (left == framing_left && last == framing_last && left != 0);
      end
      always @* if (!clear) begin
        if (after) assert (role == ROLE_INSTRUCTION);
        if ({_ends(("JUDGE", "END", "FAIL"))}) assert (pre_state == PRE_INSTRUCTION);
        if (pre_state == PRE_HEADER) assert (role == ROLE_HEADER);
        if (pre_state == PRE_WORDS) assert (role == ROLE_DATA && !pre_ended);
        if (pre_state == PRE_BLOCK) assert (role == (pre_ended ? next : ROLE_DATA));
        if (pre_state == PRE_CHECK) begin
          assert (type == pre_header[31:28] && length == pre_header[15:0] && left == length);
          {header}assert (role == (length == 0 ? next : ROLE_DATA));
        end
        if (role == ROLE_DATA && parsing) assert (last == pre_header[24]);
        if (pre_state == PRE_WORDS || pre_state == PRE_BLOCK)
          assert (pre_header[24] == (pre_kind == KIND_DATA ? pre_header[25] && !pre_decrypt : pre_kind == KIND_TAG));
        if (pre_state == PRE_WORDS || pre_state == PRE_BLOCK)
          assert ((type == {Type.TAG:d}) == (pre_kind == KIND_TAG));
      end"""


def _tag_segment(core: Contract) -> str:
    """The last segment of a message to decrypt: the last words received."""
    shape = core.behaviour.shape
    bits, step, words = _bits(core)
    collected = "".join(
        f"if (pre_size == {n * step}) assert (pre_block[{size - 1}:0] == received[{words * bits - 1} -: {size}]);"
        for n, size in ((n, n * bits) for n in range(1, words))
    )
    same = f"pre_block[{8 * shape.tag - 1}:0] == received[{8 * shape.tag - 1}:0]"
    offered = f"sealed && pre_ended && pre_header[25] && pre_size == {shape.tag} && {same}" if shape.judges else "0"
    return f"""
      always @* if (!clear) begin
        if ({_one_of(_EMPTY)}) assert (pre_size == 0);
        if (pre_kind == KIND_TAG && pre_state == PRE_WORDS) begin
          assert (type == {Type.TAG:d} && length == {shape.tag} && pre_header[25]);
          assert (left + pre_size == {shape.tag} && pre_size % {step} == 0);
          {collected}
        end
        if (pre_kind == KIND_TAG && pre_state == PRE_BLOCK) assert ({offered});
        if (verdict == VERDICT_COMPARE) assert (sealed && {"judged" if shape.judges else same});
      end"""


def _output(core: Contract) -> str:
    """The judgement, possible results under way, and the post-processor's orders."""
    giving = ("TAG", "COMPARE", "IGNORE")
    success, failure = (f"first == 32'd{each << 28}" for each in (StatusWord.SUCCESS, StatusWord.FAILURE))
    placed = "1" if core.behaviour.at_once else "(!pre_decrypt || verdict == VERDICT_END)"
    types = f"follow == FOLLOW_TAG ? {Type.TAG:d} : pre_decrypt ? {Type.PLAINTEXT:d} : {Type.CIPHERTEXT:d}"
    return f"""
      wire message = parsing || pre_state == PRE_ABANDON || verdict != VERDICT_IDLE;
      wire ending = {_ends(("RELEASE", "END"))};
      wire released = ending || (verdict == VERDICT_JUDGE && equal);
      wire status = post_state == POST_FIRST && follow == FOLLOW_NOTHING;
      wire segment = post_state == POST_DATA || (post_state == POST_FIRST && follow == FOLLOW_DATA);
      wire cut = pre_state == PRE_REST && verdict == VERDICT_IDLE;
      always @* if (clear ? later : cut) assert (!unverified && !pre_decrypt);
      always @* if (!clear) begin
        if (message) assert (unverified == (pre_decrypt && !released));
        if (!drained) begin
          assert (parsing || pre_state == PRE_ABANDON || {_ends(giving)} || (ending && !pre_decrypt));
          assert (pre_kind != KIND_NPUB && pre_kind != KIND_AD);
        end
        if (pre_state == PRE_LOAD) assert (!pre_decrypt);
        if (verdict == VERDICT_FAIL) assert (!pending);
        if (pre_decrypt && (ending || between)) assert (!pending);
        assert (due == message + status && follow != 3);
        if (status) assert ({failure} || ({success} && !(message ? before : unverified)));
        if (post_state == POST_IDLE || post_state == POST_FIRST) assert (do_left == 0);
        else assert (do_left == post_left && do_left != 0);
        if (segment) assert (message && {placed});
        if (post_state == POST_FIRST && !status) assert (post_left == first[15:0] && first[31:28] == ({types}));
        if (sealing && post_state == POST_FIRST) assert (first[15:0] == {core.behaviour.shape.tag});
      end"""


def _one_of(states: tuple[str, ...]) -> str:
    """Whether the pre-processor is in a state of ``states``."""
    return "(" + " || ".join(f"pre_state == PRE_{state}" for state in states) + ")"


def _ends(states: tuple[str, ...]) -> str:
    """Whether the verdict is in a state of ``states``."""
    return "(" + " || ".join(f"verdict == VERDICT_{state}" for state in states) + ")"


def _cleared(core: Contract) -> str:
    """After the first cycle, clearing leaves nothing of a message except the place."""
    return f"""{_later(core)}
      always @* begin
        if (clear && later) assert (pre_state == PRE_REST && post_state == POST_IDLE && !pre_decrypt && pre_size == 0);
      end"""


def _later(core: Contract) -> str:
    """``later``: the core cleared in the cycle before, too. The pre-processor waits while a verdict is under way."""
    return f"""
      reg later;
      always @(posedge {core.shell.clock}) later <= clear && !({resetting(core)});
      always @* if (clear ? later : !{_one_of(("REST", "INSTRUCTION"))}) assert (verdict == VERDICT_IDLE);
      always @* if (!clear) assert (verdict <= VERDICT_FAIL);"""
