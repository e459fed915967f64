"""Advice is told from an order by its whole shape; these are the laws of the tables its slots are made of."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import vector_rows
from medfence_guard import Rulepack
from medfence_guard.reader.advice import is_advice_by_shape
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.text import fold

ROOT = Path(__file__).resolve().parents[2]
TABLE = json.loads((ROOT / "refdata/medfence_refdata/in/lexicon/advice.json").read_text(encoding="utf-8"))
GOOD = ROOT / "tests/checks/vectors/faithful7.advice.jsonl"
# Whoever reads one of these in a clause may be reading an order.
OF_ORDERS = frozenset(
    """
    give apply start stop continue increase double half dose doses tablet tablets tab tabs cap capsule capsules syrup injection
    injections drops drop medicine medicines medication medications drug drugs cream ointment patch puff puffs inhaler unless
    except instead take use skip hold reduce repeat miss until till only taper withhold omit substitute replace alternate mg ml
    mcg iu units same
    """.split()
)
# Slots that stand behind a refusal, or before a supervisor, and hold words of taking for that.
BESIDE_A_REFUSAL = frozenset({"of_taking", "while_dosed"})
ALLOWED = {
    "medicines": frozenset("drug drugs medicine medicines medication medications tablets".split()),
    "often": frozenset({"alternate"}),
    "cap_dx": frozenset({"cap"}),
    "ml": frozenset({"ml"}),
    "measure": frozenset({"mg"}),
    "test_word": frozenset({"drug"}),
    "yearly": frozenset({"medication"}),
    "eye_cover": frozenset({"patch"}),
    "at_once": frozenset({"same"}),
    "one_side": frozenset({"same"}),
    "takes": frozenset({"take"}),
    "cover": frozenset({"use"}),
    "act": frozenset({"use", "hold", "until"}),
    "adherence_refused": frozenset({"skip", "miss"}),
    "not_stop": frozenset({"stop", "skip", "miss"}),
    "watch": frozenset({"repeat"}),
    # A test is repeated.
    "doing": frozenset({"repeat"}),
    "other_does": frozenset({"repeat"}),
    "test_verb": frozenset({"repeat"}),
    # An allergy to no medicine, and what is smoked, chewed or drunk.
    "allergen": frozenset("drug drugs medicine medicines medication medications".split()),
    "allergy_head": frozenset("drug medicine medication".split()),
    "an_allergy": frozenset({"drug"}),
    "not_or_stop": frozenset({"give", "stop"}),
    "restrict": frozenset({"reduce"}),
    # Said of the taking as a whole: `drug compliance`, `last medication review`.
    "adherence": frozenset("drug medicine medicines medication".split()),
    "reviewed_by": frozenset({"medication"}),
    "lab_of": frozenset({"drug"}),
    "a_dressing": frozenset({"alternate"}),
    # A test, a picture or a visit is repeated; its value has a unit.
    "again": frozenset({"repeat"}),
    "imaged": frozenset({"repeat"}),
    "with_labs": frozenset({"repeat"}),
    "annually": frozenset({"repeat"}),
    "procedure_what": frozenset("patch repeat".split()),
    "patch_test": frozenset({"patch"}),
    "value": frozenset("iu mg ml".split()),
    "normal": frozenset({"ml"}),
    "compare": frozenset({"drops"}),
    "visit_kind": frozenset("medication repeat".split()),
    "visit_reason": frozenset({"repeat"}),
    "blood_word": frozenset({"drug"}),
    # What a body, a garment or a device does; what is eaten, washed or waited for: the object stands beside it.
    "bodily": frozenset("apply give hold increase use".split()),
    "begin": frozenset({"start"}),
    "continue_on": frozenset({"continue"}),
    "kept_up": frozenset({"use"}),
    "wearing": frozenset({"use"}),
    "worn": frozenset({"cap"}),
    "while": frozenset("till until".split()),
    "clothes": frozenset({"cap"}),
    "until_seen": frozenset("till until".split()),
    "until_word": frozenset("till until".split()),
    "at_age": frozenset({"till"}),
    "till_day": frozenset({"only"}),
    "shower_only": frozenset({"only"}),
    "sets": frozenset({"hold"}),
    "fed": frozenset({"start"}),
    "more_of": frozenset("increase reduce".split()),
    "limit_it": frozenset({"reduce"}),
    "to_amount": frozenset({"ml"}),
    "drink_it": frozenset({"increase"}),
    "keep_from": frozenset({"reduce"}),
    "precaution": frozenset({"use"}),
    "handed": frozenset({"use"}),
    "glasses_kind": frozenset({"use"}),
    "state": frozenset("double drop stop take".split()),
    "therapy": frozenset({"stop"}),
    "would_suggest": frozenset({"continue"}),
    # Said of the taking as a whole, of a paper, or of a habit.
    "talk": frozenset("inhaler injection medication medications medicines use".split()),
    "skill": frozenset("inhaler injection use".split()),
    "brought": frozenset("medication medications medicine medicines".split()),
    "whole": frozenset("cream double drug except half hold medication repeat replace stop take till until use".split()),
    "title_of": frozenset("drug medication medications medicine medicines repeat".split()),
    "habit": frozenset("drug drugs units use".split()),
    # Each phrase is read as a whole: a walk, a school, a fluid, a department, a talk, an effect that is waited for.
    "walk_more": frozenset("increase until".split()),
    "diet": frozenset({"ml"}),
    "of_title": frozenset({"medicine"}),
    "continue_talk": frozenset({"continue"}),
    "aware": frozenset("take use".split()),
    "num_value": frozenset("iu mg ml".split()),
}


def _read(clause: str) -> tuple[list[Chunk], str]:
    rulepack = Rulepack.default()
    folded = fold(clause)
    return rulepack.chunker.chunks(lex(folded)), folded.text


def _is_advice(clause: str) -> bool:
    chunks, text = _read(clause)
    return is_advice_by_shape(chunks, text, Rulepack.default().lexicon)


def _clauses() -> list[str]:
    return [row["source_text"].split("x 7 days")[1].lstrip(".\n ") for row in vector_rows.read(GOOD)]


@pytest.mark.parametrize("name", sorted(TABLE["tables"]))
def test_no_word_of_an_order_is_in_a_table(name: str) -> None:
    if name in BESIDE_A_REFUSAL:
        return
    words = {word for phrase in TABLE["tables"][name] for word in phrase.split()}
    assert words & OF_ORDERS <= ALLOWED.get(name, frozenset())


def test_words_of_taking_stand_behind_a_refusal() -> None:
    shapes = [shape.split() for kind in TABLE["productions"] for shape in kind["shapes"]]
    holding = [shape for shape in shapes if BESIDE_A_REFUSAL & set(shape)]
    assert holding
    for shape in holding:
        assert shape[0] == "please?" and shape[1] in ("not", "adherence_refused"), shape


@pytest.mark.parametrize("clause", _clauses())
def test_a_word_of_an_order_makes_it_no_advice(clause: str) -> None:
    # A test may be repeated.
    for word in sorted(OF_ORDERS - {"repeat"}):
        assert not _is_advice(f"{clause} {word}"), word
        assert not _is_advice(f"{word} {clause}"), word
        assert not _is_advice(f"{clause}, {word}"), word


@pytest.mark.parametrize("kind", TABLE["productions"], ids=[kind["name"] for kind in TABLE["productions"]])
def test_a_production_says_why_and_each_of_its_slots_is_a_table(kind: dict[str, object]) -> None:
    assert kind["why"] and kind["shapes"] and isinstance(kind["opens"], bool)


def test_it_heads_nothing_and_no_line_waits_for_it() -> None:
    assert _is_advice("Check BP daily")
    for before, behind in (("give if\n", ""), ("", ":"), ("Tab X with ", "")):
        chunks, text = _read(f"{before}Check BP daily{behind}")
        clause = [chunk for chunk in chunks if text[chunk.start :].startswith(("check", "bp", "daily"))]
        assert not is_advice_by_shape(clause, text, Rulepack.default().lexicon), (before, behind)


def test_a_slip_is_somebody_s_at_its_head_only() -> None:
    assert _is_advice("Rx for: 5 yr child, wt 16 kg")
    chunks, text = _read("Tab X\nRx for: 5 yr child, wt 16 kg")
    clause = [chunk for chunk in chunks if chunk.start >= text.index("rx") and chunk.kind != "newline"]
    assert not is_advice_by_shape(clause, text, Rulepack.default().lexicon)


def test_every_table_is_a_slot_of_some_shape() -> None:
    shapes = " ".join([shape for kind in TABLE["productions"] for shape in kind["shapes"]] + [*TABLE["kinds"].values()])
    assert {*TABLE["tables"], *TABLE["from_plain"], *TABLE["kinds"]} <= set(re.findall(r"\w+", shapes))
    assert all(phrases == sorted(set(phrases)) for phrases in TABLE["tables"].values())
