"""Laws of the layout, and what it makes of pages an OCR engine read.

The pages in tests/data/ocr are read by a real engine, so a name or a number may be misread there; `parts` lists only
what was read without error.
"""

import json
import math
import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import sources
from medfence_guard.contract import Word
from medfence_guard.reader.layout import interleaved_columns_suspected, visual_lines

DATA = Path(__file__).parent.parent / "data" / "ocr"
PAGES = [json.loads(stored) for stored in (DATA / "pages.jsonl").read_text("utf-8").splitlines()]
LETTER, SPACE, HEIGHT = 9, 7, 16


def document(placed):
    """`(text, x, y)` words, in the order an engine would give them, as text and words with boxes of usual type."""
    words, pieces, position = [], [], 0
    for token, x, y in placed:
        words.append(Word(position, position + len(token), 0.9, box=(x, y, x + LETTER * len(token), y + HEIGHT)))
        pieces.append(token)
        position += len(token) + 1
    return " ".join(pieces), tuple(words)


def typed(*cells):
    """Words of whole cells `(x, y, "several words")`, in the order given."""
    placed = []
    for x, y, cell in cells:
        for token in cell.split():
            placed.append((token, x, y))
            x += LETTER * len(token) + SPACE
    return placed


def turned(placed, degrees):
    slope = math.tan(math.radians(degrees))
    return [(token, round(400 + x - slope * y), round(400 + y + slope * x)) for token, x, y in placed]


def read(placed):
    """(column, line) of each visual line."""
    text, words = document(placed)
    return [(line.column, " ".join(text[span.start : span.end] for span in line.spans)) for line in visual_lines(text, words)]


def lines(placed):
    return [line for _, line in read(placed)]


MEDCOLS = typed(
    (50, 0, "C/o: fever with chills x 3 days, cough, body ache BP 138/86 mmHg PR 84/min Temp 99.2 F"),
    (50, 40, "Rx"),
    (50, 80, "1. Tab. Dytor 2.5mg STAT"),
    (600, 80, "3. Cap. Pregalin 150mg 1-1-1"),
    (80, 110, "x 3 days at bedtime"),
    (630, 110, "x 10 days"),
    (50, 140, "2. Tab. Amlong 2.5mg 0-1-0"),
    (600, 140, "4. Tab. Lonazep 2mg 1-1-1"),
    (80, 170, "x 5 days after breakfast"),
    (630, 170, "x 10 days at bedtime"),
    (50, 220, "Adv: plenty of oral fluids, low salt diet. Review after 5 days with CBC, LFT reports."),
)
MEDCOLS_READ = [
    (0, "C/o: fever with chills x 3 days, cough, body ache BP 138/86 mmHg PR 84/min Temp 99.2 F"),
    (1, "Rx"),
    (1, "1. Tab. Dytor 2.5mg STAT"),
    (1, "x 3 days at bedtime"),
    (1, "2. Tab. Amlong 2.5mg 0-1-0"),
    (1, "x 5 days after breakfast"),
    (2, "3. Cap. Pregalin 150mg 1-1-1"),
    (2, "x 10 days"),
    (2, "4. Tab. Lonazep 2mg 1-1-1"),
    (2, "x 10 days at bedtime"),
    (0, "Adv: plenty of oral fluids, low salt diet. Review after 5 days with CBC, LFT reports."),
]
TABLE = typed(
    (50, 0, "Medicine"),
    (600, 0, "Freq"),
    (740, 0, "Days"),
    (890, 0, "Instructions"),
    (50, 40, "1. Tab. Pantoprazole 40 mg"),
    (600, 40, "1-1-1"),
    (740, 40, "30"),
    (890, 40, "after food"),
    (50, 80, "2. Tab. Frusenex 100 mg"),
    (600, 80, "HS"),
    (740, 80, "14"),
    (890, 80, "after food"),
)
LEFTRIGHT = typed(
    (50, 0, "C/o: fever, cough"),
    (370, 4, "Rx"),
    (50, 44, "BP 138/86"),
    (370, 60, "1. Tab. Tegrital 400 mg 1-0-1 x 14 days with"),
    (50, 84, "PR 84/min"),
    (410, 96, "water"),
    (50, 124, "SpO2 98%"),
    (370, 132, "2. Tab. Hifenac 100 mg BD x 10 days"),
    (50, 164, "Temp 99.2 F"),
)


# --- laws ------------------------------------------------------------------------------------------------------------

tokens = st.sampled_from(["1.", "Tab.", "Dolo", "650", "mg", "1-0-1", "x", "5", "days", "BP", "-", "|", "Medicine", "Freq", "Rx", "खाने"])
boxes = st.tuples(st.integers(-50, 900), st.integers(-50, 900), st.integers(0, 120), st.integers(0, 60))
placements = st.lists(st.tuples(tokens, boxes, st.integers(1, 2)), max_size=40)


def anywhere(placed):
    words, pieces, position = [], [], 0
    for token, (x, y, width, height), page in placed:
        words.append(Word(position, position + len(token), page=page, box=(x, y, x + width, y + height)))
        pieces.append(token)
        position += len(token) + 1
    return " ".join(pieces), tuple(words)


@given(placements)
def test_every_word_is_in_exactly_one_line(placed):
    text, words = anywhere(placed)
    found = visual_lines(text, words)
    if not words:
        assert found is None
        return
    spans = sorted((span.start, span.end) for line in found for span in line.spans)
    assert spans == [(word.start, word.end) for word in words]
    page_of = {word.start: word.page for word in words}
    assert all({page_of[span.start] for span in line.spans} == {line.page} for line in found)
    assert [line.page for line in found] == sorted(line.page for line in found)
    box_of = {word.start: word.box for word in words}
    for line in found:
        around = [box_of[span.start] for span in line.spans]
        assert (line.left, line.top, line.bottom) == (min(b[0] for b in around), min(b[1] for b in around), max(b[3] for b in around))


@given(placements, st.randoms(use_true_random=False))
def test_the_order_of_the_words_does_not_matter(placed, chance):
    text, words = anywhere(placed)
    shuffled = list(words)
    chance.shuffle(shuffled)
    assert visual_lines(text, tuple(shuffled)) == visual_lines(text, words)


@given(st.sampled_from(["MEDCOLS", "TABLE", "LEFTRIGHT"]), st.integers(-3000, 3000), st.integers(-3000, 3000))
def test_only_where_words_stand_to_each_other_matters(name, right, down):
    page = globals()[name]
    assert read([(token, x + right, y + down) for token, x, y in page]) == read(page)


def test_the_engines_reading_order_does_not_matter():
    """The same page, its words in any order in the text: the same lines."""
    for page, expected in ((MEDCOLS, MEDCOLS_READ), (TABLE, read(TABLE)), (LEFTRIGHT, read(LEFTRIGHT))):
        for seed in range(5):
            shuffled = list(page)
            random.Random(seed).shuffle(shuffled)
            assert read(shuffled) == expected


def test_a_word_without_a_box_leaves_only_the_newlines():
    text, words = document(MEDCOLS)
    assert visual_lines(text, (*words[:-1], Word(words[-1].start, words[-1].end))) is None
    assert visual_lines("no words at all", ()) is None


def test_a_crowded_page_is_read_too():
    """Words that all stand on one spot, or each begin an item, are the worst there is: comparing all with all would take minutes."""
    text = " ".join(["Tab.Dolo"] * 6000)
    for place in (lambda k: (0, 0), lambda k: (k % 7 * 200, k // 7 * 20), lambda k: (k * 70, k * 30)):
        words = tuple(Word(9 * k, 9 * k + 8, box=(*place(k), place(k)[0] + 60, place(k)[1] + 15)) for k in range(6000))
        assert sum(len(line.spans) for line in visual_lines(text, words)) == 6000


# --- columns and tables ----------------------------------------------------------------------------------------------


def test_two_columns_of_medicines_are_read_one_after_the_other():
    assert read(MEDCOLS) == MEDCOLS_READ


@pytest.mark.parametrize("degrees", [-2, -1, -0.5, 0.5, 1, 2])
@pytest.mark.parametrize("page", [MEDCOLS, TABLE, LEFTRIGHT], ids=["medcols", "table", "leftright"])
def test_a_slanted_page_is_read_like_a_straight_one(page, degrees):
    assert read(turned(page, degrees)) == read(page)


def test_a_table_is_not_split():
    assert read(TABLE) == [
        (0, "Medicine Freq Days Instructions"),
        (0, "1. Tab. Pantoprazole 40 mg 1-1-1 30 after food"),
        (0, "2. Tab. Frusenex 100 mg HS 14 after food"),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        [("1.", "Tab. Dolo 650", "1-0-1"), ("2.", "Cap. Pan 40", "1-0-0"), ("3.", "Syp. Alex", "5 ml TDS")],
        [("Dolo 650", "Tab", "1-0-1"), ("Pan 40", "Cap", "1-0-0"), ("Alex", "Syp", "TDS")],
        [("Brand name", "Generic", "Freq"), ("Tab. Dolo 650", "Tab. Paracetamol", "1-0-1"), ("Cap. Pan 40", "Cap. Pantoprazole", "1-0-0")],
        [("Dolo 650", "1-0-1", "5 days"), ("Pan 40", "1-0-0", "10 days"), ("Alex", "TDS", "5 days")],
        [("Dolo 650", "1-0-1", "Take 1 tab BD if fever"), ("Pan 40", "1-0-0", "Take 1 cap OD")],
    ],
    ids=["numbers apart", "forms apart", "two names with a heading", "plain", "instructions"],
)
def test_other_tables_are_not_split(rows):
    page = typed(*[(50 + 300 * column, 40 * number, cell) for number, row in enumerate(rows) for column, cell in enumerate(row)])
    assert read(page) == [(0, " ".join(row)) for row in rows]


def test_vitals_beside_the_medicines_are_a_column_even_out_of_step():
    assert read(LEFTRIGHT) == [
        (1, "C/o: fever, cough"),
        (1, "BP 138/86"),
        (1, "PR 84/min"),
        (1, "SpO2 98%"),
        (1, "Temp 99.2 F"),
        (2, "Rx"),
        (2, "1. Tab. Tegrital 400 mg 1-0-1 x 14 days with"),
        (2, "water"),
        (2, "2. Tab. Hifenac 100 mg BD x 10 days"),
    ]


def test_vitals_right_of_the_medicines_are_a_column():
    page = typed((50, 0, "1. Tab. Dolo 650 1-0-1"), (600, 0, "BP 138/86"), (80, 30, "x 5 days"), (600, 30, "Wt 68 kg"))
    assert read(page) == [(1, "1. Tab. Dolo 650 1-0-1"), (1, "x 5 days"), (2, "BP 138/86"), (2, "Wt 68 kg")]


def test_columns_of_names_without_numbers_or_forms():
    page = typed((50, 0, "Dolo 650 1-0-1"), (600, 0, "Pan 40 1-0-0"), (80, 30, "x 5 days"), (630, 30, "x 10 days"))
    assert lines(page) == ["Dolo 650 1-0-1", "x 5 days", "Pan 40 1-0-0", "x 10 days"]


def test_three_columns():
    page = typed(
        *[cell for k in range(3) for cell in ((50 + 400 * k, 0, f"{k + 1}. Tab. Dolo {k}50 BD"), (80 + 400 * k, 30, f"x {k + 5} days"))]
    )
    assert lines(page) == ["1. Tab. Dolo 050 BD", "x 5 days", "2. Tab. Dolo 150 BD", "x 6 days", "3. Tab. Dolo 250 BD", "x 7 days"]


def test_a_continuation_on_the_left_alone_stays_left():
    page = typed((50, 0, "1. Tab. Dolo 650 BD"), (600, 0, "2. Tab. Pan 40 OD"), (80, 30, "x 5 days"))
    assert lines(page) == ["1. Tab. Dolo 650 BD", "x 5 days", "2. Tab. Pan 40 OD"]


def test_a_long_line_may_pinch_the_gutter_but_not_close_it():
    left, right = "1. Tab. Dolo 650 BD", 50 + LETTER * 15 + SPACE * 4 + 20
    page = typed(
        (50, 0, left),
        (right, 0, "3. Tab. Pan 40 OD"),
        (80, 30, "x 5 days"),
        (right + 30, 30, "x 10 days"),
        (50, 60, "2. Tab. Alex"),
        (right, 60, "4. Tab. Dolo"),
    )
    assert lines(page) == [left, "x 5 days", "2. Tab. Alex", "3. Tab. Pan 40 OD", "x 10 days", "4. Tab. Dolo"]


def test_items_written_on_in_running_text_are_not_columns():
    page = typed((50, 0, "1. Tab. Dolo 650 BD 2. Tab. Pan 40 OD"), (50, 30, "3. Tab. Dolo 500 BD 4. Tab. Pan 20 OD"))
    assert read(page) == [(0, "1. Tab. Dolo 650 BD 2. Tab. Pan 40 OD"), (0, "3. Tab. Dolo 500 BD 4. Tab. Pan 20 OD")]


def test_numbers_hanging_left_of_their_items_stay_with_them():
    page = typed(
        *[cell for k in range(4) for cell in ((50, 60 * k, f"{k + 1}."), (140, 60 * k, "Tab. Dolo 650 BD"), (160, 60 * k + 30, "x 5 days"))]
    )
    assert lines(page) == [line for k in range(4) for line in (f"{k + 1}. Tab. Dolo 650 BD", "x 5 days")]


def test_a_word_among_hanging_numbers_does_not_make_them_a_column():
    page = typed(
        *[cell for k in range(3) for cell in ((50, 60 * k, f"{k + 1}."), (140, 60 * k, "Tab. Dolo 650 BD"), (160, 60 * k + 30, "x 5 days"))]
    )
    assert lines([*page, ("daily", 50, 30)]) == [
        line for k in range(3) for line in (f"{k + 1}. Tab. Dolo 650 BD", "x 5 days" if k else "daily x 5 days")
    ]


def test_a_rule_read_into_a_word_stays_with_its_column():
    """The line between the columns became part of a word, which so begins left of the others."""
    page = [("|/4+", x - 18, y) if token == "4." else (token, x, y) for token, x, y in MEDCOLS]
    assert read(page) == [(column, line.replace("4. ", "|/4+ ")) for column, line in MEDCOLS_READ]


def test_a_block_below_and_to_the_right_is_no_column():
    page = typed((50, 0, "Complaints: fever"), (50, 30, "cough"), (600, 60, "1. Tab. Dolo 650 BD"), (630, 90, "x 5 days"))
    assert read(page) == [(0, "Complaints: fever"), (0, "cough"), (0, "1. Tab. Dolo 650 BD"), (0, "x 5 days")]


def test_a_wide_vertical_gap_ends_the_columns():
    page = [*MEDCOLS[: -len("Adv: plenty of oral fluids, low salt diet. Review after 5 days with CBC, LFT reports.".split())]]
    page += typed((50, 700, "Review after 5 days"), (600, 700, "Signature"))
    assert read(page) == [*MEDCOLS_READ[:-1], (0, "Review after 5 days Signature")]


def test_a_low_mark_stays_in_its_line():
    text, words = document(typed((50, 0, "1. Tab. Dolo , 650 BD"), (50, 30, "x 5 days")))
    marked = tuple(Word(w.start, w.end, box=(w.box[0], 15, w.box[2], 19)) if text[w.start] == "," else w for w in words)
    assert [len(line.spans) for line in visual_lines(text, marked)] == [6, 3]


def test_a_word_that_jumps_out_of_its_line_falls_back_into_its_hole():
    page = typed((50, 0, "6. Tab. HCQS 200"), (300, 0, "STAT x 10 days"), (230, 9, "mg"), (50, 60, "Adv: rest"))
    assert lines(page) == ["6. Tab. HCQS 200 mg STAT x 10 days", "Adv: rest"]


def test_padded_boxes_do_not_join_lines():
    """Where Tesseract is unsure it gives a word the box of the whole line and more, over the lines above and below."""
    placed = typed((50, 0, "1. Tab. Dolo 650 BD"), (50, 22, "2. Tab. Pan 40 OD"), (50, 44, "3. Tab. Alex 10 HS"))
    text, words = document(placed)
    padded = tuple(
        Word(w.start, w.end, box=(w.box[0], w.box[1] - 14, w.box[2], w.box[3] + 14)) if k % 3 else w for k, w in enumerate(words)
    )
    found = [" ".join(text[s.start : s.end] for s in line.spans) for line in visual_lines(text, padded)]
    assert found == ["1. Tab. Dolo 650 BD", "2. Tab. Pan 40 OD", "3. Tab. Alex 10 HS"]


def test_gap_before_marks_beginnings():
    page = typed(
        (50, 0, "1. Tab. Dolo 650"), (80, 24, "BD x 5 days"), (50, 72, "2. Tab. Pan 40"), (80, 96, "OD x 5 days"), (50, 300, "Adv: rest")
    )
    text, words = document(page)
    assert [line.gap_before for line in visual_lines(text, words)] == [True, False, True, False, True]


def test_pages_follow_each_other_and_columns_count_anew():
    text, words = document(MEDCOLS)
    shift = len(text) + 2
    second = tuple(Word(w.start + shift, w.end + shift, page=2, box=w.box) for w in words)
    found = visual_lines(f"{text}\n\n{text}", words + second)
    half = len(found) // 2
    assert [line.page for line in found] == [1] * half + [2] * half
    assert [line.column for line in found[:half]] == [line.column for line in found[half:]]


# --- pages a real engine read ----------------------------------------------------------------------------------------


def engine_lines(page):
    rows = [{"text": t, "confidence": c / 100, "box": box, "block": key.split(".")[0], "line": key} for t, c, *box, key in page["words"]]
    source = sources.from_words(rows, engine="tesseract")
    found = visual_lines(source.text, source.words)
    return [(line.column, [source.text[s.start : s.end] for s in line.spans]) for line in found]


def statement(found, name, others):
    """The words from the name on, over the lines that follow in its column, up to another medicine's name."""
    index = next(k for k, (_, words) in enumerate(found) if name in words and not {"STOP", "Allergy:"} & set(words))
    column, words = found[index]
    following = words[words.index(name) + 1 :]
    for next_column, next_words in found[index + 1 :]:
        if next_column != column:
            break
        following += next_words
    end = next((k for k, word in enumerate(following) if word in others or word.startswith("Adv")), len(following))
    return following[:end]


def holds(words, part):
    return any(re.search(rf"(?<![0-9a-wyz.\-]){re.escape(part.lower())}(?![0-9]|[.\-][0-9])", word.lower()) for word in words)


@pytest.mark.parametrize("page", PAGES, ids=[f"{page['layout']}-{page['level']}-{k}" for k, page in enumerate(PAGES)])
def test_a_statements_words_are_together_on_a_real_page(page):
    found = engine_lines(page)
    names = [medication["name"] for medication in page["medications"]]
    for medication in page["medications"]:
        words = statement(found, medication["name"], set(names) - {medication["name"]})
        missing = [part for part in medication["parts"] if not holds(words, part)]
        assert not missing, (medication["name"], missing, words)
        foreign = {"BP", "PR", "SpO2", "Temp", "Wt", "RBS"} & set(words)
        assert not foreign, (medication["name"], foreign)
        assert sum(word.startswith(("Tab", "Cap", "Syp", "Inj")) for word in words) <= 1


@pytest.mark.parametrize("page", [page for page in PAGES if page["layout"] == "table"], ids=lambda page: page["level"])
def test_a_real_table_keeps_each_item_on_one_line(page):
    found = engine_lines(page)
    for medication in page["medications"]:
        (words,) = [words for _, words in found if medication["name"] in words]
        assert all(holds(words, part) for part in medication["parts"])


def test_a_real_page_of_vitals_beside_medicines():
    """Tesseract read across the page; the boxes tell the columns apart again."""
    source = sources.from_tesseract_tsv(DATA / "leftright.tsv")
    assert "sea eeNe 4. Tab. Tegrital 400 mg 1-0-1 x 14 days" in source.text.split("\n")
    found = [(line.column, " ".join(source.text[s.start : s.end] for s in line.spans)) for line in visual_lines(source.text, source.words)]
    right = [line for column, line in found if column == 2]
    assert "4. Tab. Tegrital 400 mg 1-0-1 x 14 days" in right
    assert right.index("with water") == right.index("4. Tab. Tegrital 400 mg 1-0-1 x 14 days") + 1
    assert "PR avin" in [line for column, line in found if column == 1]


# --- without boxes ---------------------------------------------------------------------------------------------------


def suspected(text):
    return [text[start:end] for start, end in interleaved_columns_suspected(text)]


@pytest.mark.parametrize(
    "text",
    [
        "1. Tab. Dytor 2.5mg STAT 3. Cap. Pregalin 150mg 1-1-1\nx 3 days at bedtime x 10 days",
        "1. Tab. Dytor 2.5mg STAT 2. Cap. Pregalin 150mg 1-1-1\nx 3 days at bedtime x 10 days",
        "1. Dytor 2.5mg STAT 4. Pregalin 150mg 1-1-1",
        "Tab. Dytor 2.5mg Cap. Pregalin 150mg\nSTAT x 3 days 1-1-1 x 10 days",
        "1, Tab, Galvus 50 mg 1-0-1 ‘4, Tab, Lonazep 50 mg BD\nx 5 days x 7 days",
    ],
)
def test_columns_read_across_are_suspected(text):
    assert suspected(text) == text.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "* 3 days 1. Tab. Tegrital 400 mg 1-0-1\nBP 138/86 with water",
        "1. Tab. Tegrital 400 mg 1-0-1 x 14 days\nBP 138/86 with water\nPR 84/min\n2. Tab. Glynase 2.5 mg STAT\nSpO2 98%",
    ],
)
def test_vitals_among_the_medicines_are_suspected(text):
    assert suspected(text) == text.split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "1. Tab. Dolo 650 BD x 5 days 2. Tab. Pan 40 OD x 5 days 3. Cap. Becosule OD",
        "1. Tab. Dolo 650 BD x 5 days 2. Tab. Pan 40 OD x 5 days\n3. Cap. Becosule OD x 7 days",
        "1. Tab. Dolo 650 BD x 5. Review after 3 days",
        "BP 138/86\nRx 1. Tab. Dolo 650 BD\n2. Tab. Pan 40 OD",
        "1. Tab. Dolo 650\nBD x 5 days\n2. Tab. Pan 40\nOD x 10 days after food",
        "1. Tab. Dolo 650 BD\nMonitor BP daily\n2. Tab. Pan 40 OD\nBP 130/80",
        "Tab. Prednisolone 40 mg x 5 days then 20 mg x 5 days",
        "",
        "\n\n",
    ],
)
def test_statements_in_sequence_are_not_suspected(text):
    assert suspected(text) == []


@given(
    st.lists(
        st.sampled_from(["1. ", "3. ", "Tab. ", "Dolo ", "650 ", "x 5 days ", "1-0-1 ", "BP 120/80 ", "\n", "\n\n", "É", "\r"]), max_size=40
    )
)
def test_suspected_spans_are_whole_lines_in_order(parts):
    text = "".join(parts)
    reached = 0
    for start, end in interleaved_columns_suspected(text):
        assert reached <= start < end <= len(text)
        assert (start == 0 or text[start - 1] == "\n") and (end == len(text) or text[end] == "\n") and "\n" not in text[start:end]
        reached = end
