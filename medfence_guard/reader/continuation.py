"""Whether words go on with the statement before them: the next line, or the next sentence."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.reader.beside import is_advice
from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.draft import JOINTS, SIG_KINDS, TIMING_KINDS, Draft
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.openings import is_sentence_end

# Kinds a continuing line may begin with even when a word of it is unknown.
_STRONG_KINDS = frozenset(
    "duration duration_open when prn then unsupported maximum range tuple slots confused malformed ambiguous stat as_directed route site "
    "quantity".split()
)

_OF_A_PACK = frozenset({"mark", "number", "label", "refill"})


def continues(draft: Draft, chunks: Sequence[Chunk], place: int) -> bool:
    """Whether this line goes on with the statement left open on a line before."""
    first = chunks[place]
    if first.kind in ("rate", "weekday", "stat") and len(chunks) > place + 1 and chunks[place + 1].kind in ("form", "drug"):
        # `weekly Tab X`: of what follows.
        return False
    if first.kind == "mark" and first.value in ("(", "-", "+", "→", "->", "/", ",", "["):
        return True
    if means(first, "review_phrases") or means(first, "boilerplate"):
        return False
    rest = chunks[place:]
    kinds = {c.kind for c in rest}
    if first.value == "#":
        # `#30  Refills: 2`: a pack, and how often it is supplied.
        counted = len(rest) > 1 and rest[1].kind == "number" and rest[1].start == first.end
        return counted and kinds <= _OF_A_PACK and "quantity" not in {c.kind for c in draft.chunks}
    words = [c for c in rest if c.kind == "word" and c.value not in JOINTS and len(str(c.value)) > 1]
    timed = any(c.kind in TIMING_KINDS for c in draft.chunks)
    own_timing = kinds & {"rate", "slots", "duration", "amount", "weekday", "stat"}
    if any(map(is_advice, rest)) or (first.kind == "label" and any(c.kind == "header_line_starts" for c in rest)):
        if first.kind in ("label", "heading") or means(first, "label"):
            # `Note: monitor BP weekly`
            return False
    if first.value == "number" and first.kind == "label" and rest[1:2] and rest[1].kind not in ("mark", "number", "amount"):
        # `No contact with babies`
        return False
    if first.kind == "label" or (means(first, "label") and len(chunks) > place + 1 and chunks[place + 1].value == ":"):
        return True
    if first.kind == "composition":
        return "drug" in kinds
    if first.kind == "form":
        stated = {c.value for c in draft.chunks if c.kind == "form"}
        return not stated or stated == {first.value}
    if first.kind == "cue":
        # `Avoid samosa` is advice; `Withhold till review` speaks of the medicine above.
        # `To be planned for CAG`, in words of its own, is of a plan.
        cue_class, direction = first.value
        planned = cue_class == "hypothetical" and "header_line_starts" in kinds
        return (not words and not planned and "medicine_class" not in kinds) or (direction == "after" and cue_class != "hypothetical")
    if first.kind in ("inert", "verb", "pseudo_cue"):
        # A line of advice may have a timing of its own: `Steam inhalation BD`. `Take after food` goes on with the order.
        if is_advice(first):
            return False
        stated = {c.value for c in draft.chunks if c.kind == "form"}
        if stated and any(c.kind == "form" and c.value not in stated for c in rest):
            # `Use drops` below a tablet
            return False
        return not words and (not own_timing or (not timed and first.kind == "verb"))
    dosed = any(c.kind == "amount" for c in draft.chunks) and timed
    if dosed and "amount" in kinds and kinds & TIMING_KINDS and first.kind in ("amount", "indication", "heading"):
        # A second strength with a second timing is another order, whoever it is of.
        return False
    if first.kind == "indication":
        return False
    if first.kind in SIG_KINDS:
        if not words:
            return True
        return first.kind in _STRONG_KINDS or (not timed and first.kind in ("amount", "rate", "weekday", "number"))
    if first.kind == "word":
        if first.value == "to":
            # `To come if fever persists` is of the visit.
            return len(chunks) > place + 1 and (chunks[place + 1].kind in SIG_KINDS or chunks[place + 1].kind == "verb")
        if first.value in ("x", "for", "and", "or"):
            return True
        if len(str(first.value)) <= 3 and len(chunks) > place + 1 and chunks[place + 1].kind in ("duration", "amount", "slots", "rate"):
            return not timed or len(words) <= 1
        return not timed and len(words) <= 1 and bool(kinds & (TIMING_KINDS | {"amount", "malformed"}))
    return False


def is_count(chunks: Sequence[Chunk], place: int, lexicon: Lexicon) -> bool:
    """`take ONE three times a day`, `One to be taken`, `#21`: how many pieces, the piece not named again."""
    chunk = chunks[place]
    if chunk.kind != "number" and not (chunk.kind == "word" and chunk.value in lexicon.number_words):
        return False
    before = chunks[place - 1] if place else None
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if before is not None and before.value == "#":
        return True
    return after is not None and (
        after.value == "order_forms"
        or (before is not None and before.kind in ("verb", "mark") and after.kind in ("rate", "when", "route", "stat", "prn"))
    )


def goes_on_after_break(chunks: Sequence[Chunk], place: int, lexicon: Lexicon) -> bool:
    """`… x 3 days. Take after food.`, `. Duration: 5 days.`: a sentence of nothing but how to take it."""
    first = chunks[place]
    counted = first.value == "#" and place + 1 < len(chunks) and chunks[place + 1].kind == "number"
    ordered = first.value == "order_forms" or (is_count(chunks, place, lexicon) and chunks[place + 1].value == "order_forms")
    if not (counted or ordered or first.kind in ("verb", "label") or (first.kind == "word" and first.value in ("to", "it"))):
        return False
    told = False
    for here in range(place, len(chunks)):
        chunk = chunks[here]
        if chunk.kind == "mark" and chunk.value in (".", ";") and is_sentence_end(chunks, here):
            break
        if chunk.kind in ("when", "rate", "slots", "duration", "amount", "route", "prn", "quantity", "refill"):
            told = True
        elif is_count(chunks, here, lexicon) or (chunk.kind == "number" and here and meaning_of(chunks[here - 2], "label") is not None):
            told = told or chunk.kind == "number"
        elif chunk.kind not in ("verb", "label", "mark", "inert") and not (
            chunk.kind == "word" and chunk.value in ("it", "to", "be", "x", "for", "the", "with")
        ):
            return False
    return told
