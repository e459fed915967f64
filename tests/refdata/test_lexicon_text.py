"""The Indian text lexicons: inert vocabulary, sections and status cues.

They decide what the reader may ignore and what turns an order round, so the tests guard their content, not only their shape: no word that
can carry a dose, a time, a route or a negation may ever be ignorable by itself, and a phrase that holds one must say so.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from medfence_guard.bundle_file import unpacked

LEXICON = Path(__file__).parents[2] / "refdata" / "medfence_refdata" / "in" / "lexicon"
INERT: dict[str, Any] = json.loads((LEXICON / "inert.json").read_text(encoding="utf-8"))
SECTIONS: dict[str, Any] = json.loads((LEXICON / "sections.json").read_text(encoding="utf-8"))
CUES: dict[str, Any] = json.loads((LEXICON / "cues.json").read_text(encoding="utf-8"))
FILES = {"inert": INERT, "sections": SECTIONS, "cues": CUES}

# Atoms that may stand in no ignorable text at all: whoever ignores one of these changes an order. By the tables of the domain reference.
NEVER = frozenset(
    """
    od bd bds bid tds tid td qid qds qd qod eod bt tiw biw hs qhs sos prn stat ac acm acd acv pc pcm pcd pcv bbf abf
    bf af mdu ud mane nocte qam qpm om mn nm daily weekly monthly fortnightly alternate alternately thrice twice
    hourly nightly bedtime morning noon afternoon evening night midnight breakfast lunch dinner day days week weeks
    month months year years hour hours hr hrs fortnight monday tuesday wednesday thursday friday saturday sunday mg
    mcg ug µg μg g gm gms gram grams ng kg ml mls l ltr litre litres cc iu units u meq mmol percent mmhg drop drops
    gtt gtts puff puffs tsp tsf tbsp teaspoon tablespoon tab tabs tablet tablets cap caps capsule capsules syp syr
    syrup susp suspension soln solution inj vial amp ampoule infusion sachet cream gel ointment lotion oint pdr powder
    pessary suppository enema supp lozenge mdi dpi rotacap respule neb nebuliser nebulizer nebulisation nebulization
    granules shampoo injection patch iv im sc sq sl po pr pv inh buccal sublingual orally topical topically local
    locally externally external intranasal intradermal nostril nostrils rectal vaginal vaginally sr er xr xl cr la mr
    ec gr dr ds forte plus odt md dt retard left right both unilateral bilateral re le ou os ad au ms mso4 mgso4 hct
    hctz azt cpz pcm ismn double triple thirty max maximum exceed upto till until total then next extra additional
    repeat withhold withheld held previously previous earlier switch consider instead mother father wife husband
    brother sister baby relative not_taking refused refuses declined unless whether subah dopahar shaam sham raat roz
    rozana roj din baar hafte hafta mahine mahina khane khana khaana nashta nashte khali pet goli goliyan chammach
    boond dhakkan dedh dhai agar yadi jab सुबह दोपहर शाम रात रोज रोज़ रोजाना दिन बार हफ्ते हफ्ता सप्ताह महीने महीना
    खाने खाना खाली नाश्ता नाश्ते गोली गोलियां चम्मच बूंद बूँद ढक्कन डेढ़ ढाई अगर यदि जब दो तीन चार
    """.split()
)
# Atoms that may stand inside a reviewed phrase of a category that declares them, never as an ignorable word.
ONLY_DECLARED = frozenset(
    """
    no not don't dont donot never without avoid stop stopped discontinue continue reduce decrease increase skip hold
    miss before after if when may might can could should would only just if each immediately a an and or with in on at
    as to by per be it id is_an up from for of_the half one two three four quarter once minutes minute mins min
    seconds sec food meal meals stomach oral eye eyes ear ears nose nasal throat mouth skin scalp rectum chew gargle
    gargles inhaler inhalation inhalations spray mouthwash allergy allergic children child change others same rest
    home previous ek aadha adha ke_saath bina band bandh na nahi mat kam zyada jyada se me pehle baad aur न ना नहीं मत
    बंद बिना कम ज्यादा अधिक से में पहले बाद और एक आधा आधे बच्चों
    """.split()
) - {"me", "में", "home", "throat", "miss", "mouth"}

# Whole statements of ordinary OPD papers that must be ignorable, and look-alikes that must not be.
MUST_HAVE = (
    "with water", "with a glass of warm water", "with spacer", "swallow whole", "do not crush", "for better bp control", "avoid alcohol",
    "avoid driving", "plenty of fluids", "plenty of oral fluids", "low salt diet", "steam inhalation", "salt water gargle",
    "warm saline gargles", "paani ke saath", "pani ke sath", "doodh ke saath", "पानी के साथ", "दूध के साथ", "rinse mouth after use",
    "shake well before use", "to be taken", "आराम करें", "do not stop abruptly",
)  # fmt: skip
MUST_NOT_HAVE = (
    "with food", "after food", "before food", "empty stomach", "on empty stomach", "avoid empty stomach", "as directed", "as advised",
    "if needed", "when required", "dard hone par", "bukhar hone par", "rest", "same", "rest same", "for life", "for external use",
    "for eyes", "with",
    "in 100 ml ns", "under tongue", "chew", "apply", "half", "goli", "regularly", "khane ke baad", "khane ke saath", "खाने के बाद", "stop",
    "avoid", "may", "not", "and", "a", "do not take", "do not exceed", "slowly", "alternate day", "daily", "mr", "dr", "ms", "as explained",
)  # fmt: skip

CANONICAL_FIELDS = frozenset(
    "name generic_name strength form release dose route site frequency timing duration as_needed max_dose other_dose quantity refills "
    "instructions indication status dosage duration_days number date not_order slot_morning slot_noon slot_evening slot_night".split()
)
SECTION_NAMES = (
    "rx current plan allergy stop past family social complaints exam diagnosis investigations followup header advice signature".split()
)
STATUSES = frozenset("active reported none allergy stopped past family cue".split())
CUE_CLASSES = frozenset(
    "stopped held not_taking allergy avoid past continue taking family conditional hypothetical question refused administered switch_from "
    "switch_to increase decrease ambiguous".split()
)
TIMING_WORDS = frozenset("sos prn od bd bds tds tid qid qds hs stat daily weekly".split())


def _lists(value: Any, path: str) -> Iterator[tuple[str, list[str]]]:
    """Every list of strings in a lexicon, with its path."""
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        yield path, value
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _lists(entry, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _lists(entry, f"{path}.{key}")


ALL_LISTS = [found for name, content in FILES.items() for found in _lists(content, name)]
# Signs, not words: matched as raw text.
SIGNS = re.compile(r"\.(marks|arrows|terminator_marks|doubt_marks)$")


# What an item must hold in the same words: read, and never ignored.
CARRIED = "to_be_carried"


def _categories() -> list[dict[str, Any]]:
    return [category for category in INERT["categories"] if category["name"] != CARRIED]


def _ignorable() -> set[str]:
    """Everything that is ignorable as it stands, outside the patterns."""
    return {text for category in _categories() for text in (*category["words"], *category["phrases"])}


def _cue_phrases() -> list[str]:
    return [phrase for entry in CUES["cues"] for phrase in entry["phrases"]]


@pytest.mark.parametrize(("path", "entries"), ALL_LISTS, ids=[path for path, _ in ALL_LISTS])
def test_lists_are_sorted_and_without_duplicates(path: str, entries: list[str]) -> None:
    assert entries == sorted(set(entries)), path


@pytest.mark.parametrize(("path", "entries"), ALL_LISTS, ids=[path for path, _ in ALL_LISTS])
def test_entries_are_folded(path: str, entries: list[str]) -> None:
    atom = re.compile(r"(?:[a-z0-9+&\u0900-\u097f'/-]|[#?↑↓✓✔✗✘µμ])+")
    for text in entries:
        assert text == unicodedata.normalize("NFC", text), (path, text)
        if SIGNS.search(path):
            continue
        assert text == text.lower() == " ".join(text.split()), (path, text)
        assert all(atom.fullmatch(part) for part in text.split(" ")), (path, text)
        assert text[-1] not in ".,;:!-/'" and text[0] not in ".,;:!/'", (path, text)
        # A joiner inside one atom would be a character that no eye can see.
        assert not re.search(r"[\u200b-\u200f\u2060\ufeff]", text), (path, text)


def test_no_entry_mixes_scripts_inside_one_atom() -> None:
    for path, entries in ALL_LISTS:
        for text in entries:
            for part in text.split():
                assert not (re.search("[a-z]", part) and re.search("[\u0900-\u097f]", part)), (path, text)


def test_column_labels_are_folded_sorted_and_name_known_fields() -> None:
    labels = SECTIONS["column_labels"]
    assert list(labels) == sorted(labels)
    assert set(labels.values()) <= CANONICAL_FIELDS
    assert {"name", "strength", "dose", "frequency", "duration", "duration_days", "route", "quantity", "timing", "form", "number"} <= set(
        labels.values()
    )
    expected = {
        "medicine": "name", "drug": "name", "dose": "dose", "freq": "frequency", "days": "duration_days", "duration": "duration",
        "instructions": "instructions", "route": "route", "strength": "strength", "qty": "quantity", "timing": "timing", "when": "timing",
        "form": "form", "s no": "number", "dosage": "dosage",
    }  # fmt: skip
    assert {label: labels[label] for label in expected} == expected
    for label in labels:
        assert label == label.lower() == " ".join(label.split()) == unicodedata.normalize("NFC", label), label


def test_no_ignorable_word_can_carry_an_order() -> None:
    for category in _categories():
        assert not set(category["words"]) & (NEVER | ONLY_DECLARED), category["name"]
        for word in category["words"]:
            assert " " not in word and "#" not in word and len(word) > 1, word


def test_no_ignorable_phrase_holds_a_forbidden_atom() -> None:
    for category in _categories():
        for phrase in category["phrases"]:
            assert " " in phrase, phrase
            assert not set(phrase.split()) & NEVER, phrase


def test_categories_declare_exactly_the_guarded_atoms_they_hold() -> None:
    one_word_cues = {phrase for phrase in _cue_phrases() if " " not in phrase}
    for category in _categories():
        held = {atom for phrase in category["phrases"] for atom in phrase.split()} & (ONLY_DECLARED | one_word_cues)
        assert held == set(category["guarded_atoms"]), (category["name"], held ^ set(category["guarded_atoms"]))


def test_what_must_be_carried_is_not_ignorable_and_holds_no_dose() -> None:
    [carried] = [category for category in INERT["categories"] if category["name"] == CARRIED]
    phrases = {*carried["words"], *carried["phrases"]}
    assert phrases
    assert not phrases & _ignorable()
    doses = set("mg mcg ug g gm ml iu units tab tabs tablet tablets cap caps drop drops puff puffs od bd tds qid hs sos".split())
    assert [phrase for phrase in phrases if doses & set(phrase.split())] == []


def test_no_text_is_ignorable_twice() -> None:
    counted = Counter(text for category in _categories() for text in (*category["words"], *category["phrases"]))
    assert [text for text, times in counted.items() if times > 1] == []


@pytest.mark.parametrize("text", MUST_HAVE)
def test_ordinary_text_is_ignorable(text: str) -> None:
    assert text in _ignorable()


@pytest.mark.parametrize("text", MUST_NOT_HAVE)
def test_order_bearing_text_is_not_ignorable(text: str) -> None:
    assert text not in _ignorable()


def test_no_ignorable_text_is_a_cue_or_a_guarded_section_word() -> None:
    ignorable = _ignorable()
    assert not ignorable & set(_cue_phrases())
    assert not ignorable & set(CUES["pseudo"])
    for group in ("collective", "collective_listed", "then_connectors", "no_medication", "no_allergy", "terminators"):
        assert not ignorable & set(CUES[group]), group
    assert not ignorable & set(CUES["regimen_markers"]["phrases"])
    assert not ignorable & set(SECTIONS["person_roles"])
    assert not ignorable & set(SECTIONS["instruction_to_model"]["phrases"])
    assert not ignorable & set(SECTIONS["review_phrases"])


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from (key, *_strings(entry))
    elif isinstance(value, list):
        for entry in value:
            yield from _strings(entry)


# Pharmacopoeia letters are words of a printed name too, in the same sense; as an indication it is blood pressure.
ALSO_WITH_THE_FORMS = frozenset({"bp"})


@pytest.mark.parametrize("name", ["timing", "units", "forms", "routes"])
def test_no_ignorable_text_is_a_token_of_another_lexicon(name: str) -> None:
    spoken = set(_strings(json.loads((LEXICON / f"{name}.json").read_text(encoding="utf-8"))))
    assert len(spoken) > 50
    assert not spoken & (_ignorable() - ALSO_WITH_THE_FORMS)
    assert not spoken & set(INERT["order_verbs"]["plain"])
    assert not (spoken - ALSO_WITH_THE_FORMS) & set(INERT["indications"]["indications"])


def test_no_ignorable_text_is_the_name_of_a_medicine() -> None:
    bundle = unpacked(json.loads((LEXICON.parent / "bundle.json").read_text(encoding="utf-8")))
    listed = [entry["name"] for group in ("brands", "brand_collisions") for entry in bundle[group]]
    names = {name.lower() for name in [*bundle["molecules"], *listed]}
    assert len(names) > 1000
    verbs, headings = INERT["order_verbs"], {heading for section in SECTIONS["sections"] for heading in section["headings"]}
    assert not names & _ignorable()
    assert not names & {*INERT["indications"]["indications"], *verbs["plain"], *verbs["route_bearing"]}
    assert not names & {*_cue_phrases(), *SECTIONS["header_line_starts"], *headings}


def test_indications_carry_no_order() -> None:
    group = INERT["indications"]
    may_hold = set("eye eyes ear nasal nose skin mouth oral stomach food allergy allergic and with in".split())
    pet_is_abdomen_here = {"pet"}
    for phrase in group["indications"]:
        atoms = set(phrase.split())
        assert not atoms & (NEVER - pet_is_abdomen_here), phrase
        assert not atoms & (ONLY_DECLARED - may_hold), phrase
        assert phrase not in {"eye", "eyes", "ear", "skin", "nose", "throat", "mouth", "scalp", "face"}, phrase
    for part in ("modifiers", "tails"):
        assert not {atom for phrase in group[part] for atom in phrase.split()} & (NEVER | ONLY_DECLARED) - {"from"}, part
    for left_out in (
        "dm", "chest pain", "severe pain", "breakthrough pain", "acute attack", "hypoglycemia", "anaphylaxis", "af", "ms", "weight", "life",
        "vitamin d", "calcium",
    ):  # fmt: skip
        assert left_out not in group["indications"]
    for common in ("fever", "pain", "cough", "bp", "acidity", "sugar", "thyroid", "bukhar", "बुखार", "diabetes", "allergy", "vertigo"):
        assert common in group["indications"]


def test_order_verbs_are_kept_apart_from_cues_and_from_inert_words() -> None:
    verbs = INERT["order_verbs"]
    plain, bearing = set(verbs["plain"]), set(verbs["route_bearing"])
    assert not plain & bearing
    assert not (plain | bearing) & set(_cue_phrases())
    assert not (plain | bearing) & _ignorable()
    assert not plain & (NEVER | ONLY_DECLARED)
    assert {"take", "give", "use", "start", "add"} <= plain
    assert {"apply", "inhale", "instil", "inject"} <= bearing


def test_sections_are_complete_and_no_heading_opens_two() -> None:
    assert [section["name"] for section in SECTIONS["sections"]] == SECTION_NAMES
    assert {section["medication_status"] for section in SECTIONS["sections"]} == STATUSES == set(SECTIONS["medication_statuses"])
    counted = Counter(heading for section in SECTIONS["sections"] for heading in (*section["headings"], *section["marks"]))
    assert [heading for heading, times in counted.items() if times > 1] == []


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("rx", "rx"), ("℞", "rx"), ("discharge medications", "rx"), ("take home", "rx"), ("दवा", "rx"), ("current medications", "current"),
        ("on", "current"), ("k/c/o", "current"), ("d/h", "current"), ("plan", "plan"), ("adv", "plan"), ("advice", "plan"),
        ("allergies", "allergy"), ("nkda", "allergy"), ("stopped", "stop"), ("withheld", "stop"), ("pmh", "past"), ("h/o", "past"),
        ("old rx", "past"), ("f/h", "family"), ("s/h", "social"), ("c/o", "complaints"), ("hopi", "complaints"), ("o/e", "exam"),
        ("vitals", "exam"), ("dx", "diagnosis"), ("provisional diagnosis", "diagnosis"), ("inv", "investigations"), ("f/u", "followup"),
        ("review", "followup"), ("signature", "signature"),
    ],
)  # fmt: skip
def test_a_heading_opens_its_section(heading: str, section: str) -> None:
    found = [entry["name"] for entry in SECTIONS["sections"] if heading in (*entry["headings"], *entry["marks"])]
    assert found == [section]


def test_header_starts_never_hide_an_order() -> None:
    starts = set(SECTIONS["header_line_starts"])
    # Each of these begins medicine lines on real papers.
    assert not starts & {"vit d", "vit b12", "calcium", "sodium", "potassium", "albumin", "urea", "insulin"}
    assert not starts & {"dr", "mr", "ms", "sr", "hr", "alt", "add"}
    assert not starts & NEVER - {"pr", "pcv"}
    assert {"name", "age", "date", "reg no", "ph", "mob", "address", "bp", "pr", "temp", "spo2", "wt", "ht", "bmi"} <= starts
    assert {"rbs", "fbs", "hba1c", "hb", "tlc"} <= starts
    assert {"dr", "mr", "ms"} <= set(SECTIONS["header_line_starts_before_a_name"]["words"])


def test_person_roles_do_not_name_the_letterhead_or_the_patient() -> None:
    assert not set(SECTIONS["person_roles"]) & {"family", "patient", "pt", "doctor", "contact", "self"}
    assert {"mother", "father", "baby", "wife", "donor", "neighbour", "मां"} <= set(SECTIONS["person_roles"])


def test_machine_instructions_are_not_clinical_words() -> None:
    phrases = set(SECTIONS["instruction_to_model"]["phrases"])
    assert {"ignore previous instructions", "disregard previous instructions", "output only", "as an ai"} <= phrases
    assert not phrases & {"system", "model", "prompt", "parser", "ai", "ignore", "output", "user", "human"}
    assert {"system", "assistant"} <= set(SECTIONS["instruction_to_model"]["labels"])


def test_a_cue_belongs_to_one_class() -> None:
    counted = Counter(_cue_phrases())
    assert [phrase for phrase, times in counted.items() if times > 1] == []
    assert {entry["class"] for entry in CUES["cues"]} == CUE_CLASSES == set(CUES["class_notes"])
    assert {entry["direction"] for entry in CUES["cues"]} <= {"before", "after", "both"}
    kinds = Counter((entry["class"], entry["direction"]) for entry in CUES["cues"])
    assert max(kinds.values()) == 1


def test_cue_groups_do_not_overlap() -> None:
    groups = {name: set(CUES[name]) for name in ("pseudo", "collective", "collective_listed", "then_connectors")}
    groups["cues"] = set(_cue_phrases())
    groups["regimen_markers"] = set(CUES["regimen_markers"]["phrases"])
    names = sorted(groups)
    for index, first in enumerate(names):
        for second in names[index + 1 :]:
            assert not groups[first] & groups[second], (first, second, groups[first] & groups[second])
    assert not set(CUES["no_allergy"]) & groups["cues"] and not set(CUES["no_medication"]) & groups["cues"]


def test_cues_are_no_timing() -> None:
    for phrase in _cue_phrases():
        assert phrase not in {"if needed", "if required", "when required", "as needed", "when needed", "sos", "prn", "on demand"}, phrase
        assert not set(phrase.split()) & TIMING_WORDS - {"stat"}, phrase


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("stop", ("stopped", "before")), ("- stop", ("stopped", "after")), ("band karo", ("stopped", "after")),
        ("बंद करें", ("stopped", "after")),
        ("hold", ("held", "before")), ("on hold", ("held", "after")), ("withheld", ("held", "both")),
        ("not taking", ("not_taking", "before")),
        ("no longer on", ("not_taking", "before")), ("defaulted", ("not_taking", "after")), ("allergic to", ("allergy", "before")),
        ("causes rash", ("allergy", "after")), ("avoid", ("avoid", "before")), ("c/i", ("avoid", "before")), ("mat lo", ("avoid", "after")),
        ("मत लें", ("avoid", "after")), ("was on", ("past", "before")), ("course completed", ("past", "after")), ("was", ("past", "before")),
        ("continue", ("continue", "before")), ("do not stop", ("continue", "before")), ("chalu rakhe", ("continue", "after")),
        ("jaari rakhen", ("continue", "after")), ("बंद न करें", ("continue", "after")), ("band na karen", ("continue", "after")),
        ("on", ("taking", "before")), ("mother", ("family", "before")), ("if", ("conditional", "both")),
        ("hone par", ("conditional", "both")),
        ("consider", ("hypothetical", "before")), ("next visit", ("hypothetical", "after")), ("are you taking", ("question", "before")),
        ("declined", ("refused", "both")), ("loading dose given", ("administered", "both")), ("switch", ("switch_from", "before")),
        ("instead of", ("switch_from", "before")), ("switch to", ("switch_to", "before")), ("increase", ("increase", "both")),
        ("↑", ("increase", "both")), ("taper", ("decrease", "both")), ("d/c", ("ambiguous", "both")), ("dc", ("ambiguous", "both")),
    ],
)  # fmt: skip
def test_a_cue_has_its_class_and_direction(phrase: str, expected: tuple[str, str]) -> None:
    found = [(entry["class"], entry["direction"]) for entry in CUES["cues"] if phrase in entry["phrases"]]
    assert found == [expected]


@pytest.mark.parametrize("phrase", ["not only", "no change", "without difficulty", "not necessarily", "gram negative", "no further"])
def test_pseudo_phrases(phrase: str) -> None:
    assert phrase in CUES["pseudo"]


def test_pseudo_phrases_each_hold_a_cue_word() -> None:
    # A pseudo phrase that overrides no cue would only be a hole.
    cue_words = {phrase.split()[0] for phrase in _cue_phrases()} | {
        phrase for entry in CUES["adjacent_cues"] for phrase in entry["phrases"]
    }
    idle = [phrase for phrase in CUES["pseudo"] if not set(re.split("[ -]", phrase)) & cue_words]
    # The two of the domain reference stay although "negative" is no cue here.
    assert idle == ["gram negative", "gram positive"]


def test_collectives_tell_a_listed_set_from_an_unlisted_one() -> None:
    assert {"continue all previous medicines", "ct all", "rest same", "continue all"} <= set(CUES["collective"])
    assert {"continue same", "ct same", "continue as above", "cst"} <= set(CUES["collective_listed"])
    assert {"then", "followed by", "f/b", "thereafter", "from tomorrow", "phir"} <= set(CUES["then_connectors"])


def test_sizes() -> None:
    assert len(_ignorable()) >= 2000
    assert len(INERT["indications"]["indications"]) >= 500
    assert sum(len(section["headings"]) for section in SECTIONS["sections"]) >= 700
    assert len(SECTIONS["column_labels"]) >= 300
    assert len(_cue_phrases()) >= 1800
    for category in _categories():
        assert category["why"] and (category["words"] or category["phrases"]), category["name"]
