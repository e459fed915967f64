"""Laws of the three doors: exact offsets, nothing lost, nothing guessed, nothing of the content in a message."""

import json
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import sources
from medfence_guard.contract import SourceDocument
from medfence_guard.errors import ContractError, InputError

DATA = Path(__file__).parent.parent / "data" / "ocr"
HEADER = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"
SECRET = "Zolpidem"


def row(text=SECRET, level=5, page=1, block=1, paragraph=1, line=1, word=1, box=(10, 10, 50, 12), conf="96.5"):
    return "\t".join(map(str, (level, page, block, paragraph, line, word, *box, conf, text)))


def tsv(*rows):
    return "\n".join([HEADER, *rows, ""])


def hocr(body, head="<meta name='ocr-system' content='tesseract 5.3.0'/>"):
    return f"<html><head>{head}</head><body>{body}</body></html>"


def page(body, title="ppageno 0"):
    return f"<div class='ocr_page' title='{title}'>{body}</div>"


def line(*words):
    return f"<span class='ocr_line'>{' '.join(words)}</span>"


def word(text=SECRET, title="bbox 10 10 60 22; x_wconf 96"):
    return f"<span class='ocrx_word' title='{title}'>{text}</span>"


def words_of(document):
    return [document.text[w.start : w.end] for w in document.words]


# --- from_words ------------------------------------------------------------------------------------------------------

recognised = st.lists(
    st.tuples(
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), max_size=6), st.integers(0, 2), st.integers(0, 2)
    ),
    max_size=25,
)


@given(recognised)
def test_every_word_is_at_its_offsets_and_lines_and_blocks_are_kept(parts):
    """text[start:end] is the word; a newline between lines, a blank line between blocks, a space otherwise."""
    given_words, block, number = [], 0, 0
    for text, new_block, new_line in parts:
        block, number = block + (new_block == 2), number + (new_line == 2)
        given_words.append({"text": text, "block": block, "line": (block, number)})
    document = sources.from_words(given_words)
    kept = [w for w in given_words if w["text"].strip()]
    assert words_of(document) == [w["text"].strip() for w in kept]
    joints = [document.text[a.end : b.start] for a, b in pairwise(document.words)]
    expected = ["\n\n" if a["block"] != b["block"] else "\n" if a["line"] != b["line"] else " " for a, b in pairwise(kept)]
    assert joints == expected
    assert document.text == "" or (document.words[0].start == 0 and document.words[-1].end == len(document.text))


def test_all_fields_arrive():
    document = sources.from_words(
        [{"text": " Dolo ", "confidence": 0.5, "page": 2, "box": [1.5, 2, 30.2, 12], "t0": 0.5, "t1": 1}], engine="azure", modality="stt"
    )
    (only,) = document.words
    assert (document.text, document.engine, document.modality) == ("Dolo", "azure", "stt")
    assert (only.confidence, only.page, only.box, only.t0, only.t1) == (0.5, 2, (1, 2, 31, 12), 0.5, 1.0)


def test_missing_values_stay_missing():
    document = sources.from_words([{"text": "Dolo"}, {"text": "650", "confidence": None}])
    assert document.text == "Dolo 650"
    assert all((w.confidence, w.box, w.page) == (None, None, 1) for w in document.words)
    assert (document.modality, document.engine) == ("ocr", None)


def test_the_class_method_is_the_same_door():
    given_words = [{"text": "Dolo", "confidence": 0.9}]
    assert SourceDocument.from_words(given_words, engine="x") == sources.from_words(given_words, engine="x")


def test_a_dropped_blank_word_does_not_swallow_the_line_break():
    document = sources.from_words([{"text": "a", "line": 1}, {"text": " ", "line": 2}, {"text": "b", "line": 2}])
    assert document.text == "a\nb"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([{"text": SECRET, "conf": 0.9}], "source.word_key"),
        ([{"confidence": 0.9}], "source.word_text"),
        ([{"text": None}], "source.word_text"),
        ([{"text": f"{SECRET}\n5"}], "source.word_text"),
        ([{"text": SECRET, "confidence": 96}], "source.confidence_range"),
        ([{"text": SECRET, "confidence": float("nan")}], "source.confidence_range"),
        ([{"text": SECRET, "confidence": True}], "source.confidence_range"),
        ([{"text": SECRET, "confidence": "0.9"}], "source.confidence_range"),
        ([{"text": SECRET, "page": 0}], "source.word_page"),
        ([{"text": SECRET, "page": True}], "source.word_page"),
        ([{"text": SECRET, "box": [1, 2, 3]}], "source.word_box"),
        ([{"text": SECRET, "box": "1234"}], "source.word_box"),
        ([{"text": SECRET, "box": [9, 2, 3, 4]}], "source.word_box"),
        ([{"text": SECRET, "box": [0, 0, float("inf"), 4]}], "source.word_box"),
        ([{"text": SECRET, "box": [[0, 0], [1, 0], [1, 1], [0, 1]]}], "source.word_box"),
        ([{"text": SECRET, "line": 1.0}], "source.word_key"),
        ([{"text": SECRET, "t0": -1}], "source.word_time"),
        ([{"text": SECRET, "line": 1}, {"text": "b"}], "source.word_key"),
        ([{"text": SECRET, "line": 1}, {"text": "b", "line": 2}, {"text": "c", "line": 1}], "source.word_order"),
        ([{"text": SECRET, "page": 2}, {"text": "b", "page": 1}, {"text": "c", "page": 2}], "source.word_order"),
        ([SECRET], "source.word_type"),
    ],
)
def test_unusable_words_are_refused_without_their_content(words, code):
    with pytest.raises(InputError) as error:
        sources.from_words(words)
    assert error.value.code == code
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("words", [SECRET, b"x", {"text": "a"}, None, iter([])])
def test_another_container_is_the_callers_mistake(words):
    with pytest.raises(ContractError):
        sources.from_words(words)


# --- Tesseract's TSV -------------------------------------------------------------------------------------------------


def test_tsv_words_lines_blocks_and_boxes():
    document = sources.from_tesseract_tsv(
        tsv(
            row("", level=1, block=0, paragraph=0, line=0, word=0, conf="-1"),
            row("Tab.", word=1),
            row("Dolo", word=2, conf="91"),
            row("650", line=2, conf="-1"),
            row(" ", block=2),
            row("Adv", block=3, conf="0"),
            row("Next", page=2),
        )
    )
    assert document.text == "Tab. Dolo\n650\n\nAdv\n\nNext"
    assert [w.confidence for w in document.words] == [0.965, 0.91, None, 0.0, 0.965]
    assert [w.page for w in document.words] == [1, 1, 1, 1, 2]
    assert document.words[0].box == (10, 10, 60, 22)
    assert (document.modality, document.engine) == ("ocr", "tesseract")


def test_path_text_windows_lines_and_byte_order_mark_are_the_same(tmp_path):
    path = DATA / "table.tsv"
    text = path.read_text("utf-8")
    windows = tmp_path / "page.tsv"
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode("utf-8"))
    documents = [sources.from_tesseract_tsv(given) for given in (path, str(path), text, windows, "\ufeff" + text)]
    assert all(document == documents[0] for document in documents)
    assert "1. Tab. Pantoprazole 40 mg 1-1-1 30 after food" in documents[0].text.split("\n")


def test_a_blank_page_is_a_document_without_text():
    document = sources.from_tesseract_tsv(HEADER + "\n")
    assert (document.text, document.words) == ("", ())


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"{SECRET}\n", "source.tsv_header"),
        (HEADER.replace("conf", "confidence") + "\n", "source.tsv_header"),
        (tsv(row()[: -len(SECRET) - 1]), "source.tsv_columns"),
        (tsv(row(SECRET + "\tmore")), "source.tsv_columns"),
        (tsv(row(), "", row(word=2)), "source.tsv_columns"),
        (tsv(row(level="x")), "source.tsv_number"),
        (tsv(row(level=6)), "source.tsv_number"),
        (tsv(row(box=("1.5", 1, 1, 1))), "source.tsv_number"),
        (tsv(row(box=(1, 1, -5, 1))), "source.word_box"),
        (tsv(row(conf="101")), "source.confidence_range"),
        (tsv(row(conf="-2")), "source.confidence_range"),
        (tsv(row(conf="nan")), "source.confidence_number"),
        (tsv(row(conf="1e1")), "source.confidence_number"),
        (tsv(row(conf="")), "source.confidence_number"),
        (tsv(row(conf="٩٦")), "source.confidence_number"),
        (tsv(row(), row()), "source.word_order"),
        (tsv(row(line=2), row(line=1)), "source.word_order"),
        (tsv(row(), HEADER, row(word=2)), "source.tsv_number"),
        (tsv(row(SECRET + "\x00")), "source.encoding"),
        (tsv(row(SECRET + "\ud800")), "source.encoding"),
    ],
)
def test_unusable_tsv_is_refused_without_its_content(text, code):
    with pytest.raises(InputError) as error:
        sources.from_tesseract_tsv(text)
    assert error.value.code == code
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("read", [sources.from_tesseract_tsv, sources.from_hocr])
def test_unusable_files_are_refused_without_their_name(read, tmp_path, monkeypatch):
    latin = tmp_path / f"{SECRET}.txt"
    latin.write_bytes(b"\xff\xfe" + SECRET.encode())
    monkeypatch.setattr(sources, "MAX_FILE_BYTES", 100)
    large = tmp_path / "large"
    large.write_text("x" * 101)
    cases = [
        (latin, "source.encoding"),
        (large, "source.file_size"),
        ("<\n" + "x" * 99, "source.file_size"),
        (tmp_path / SECRET, "source.file"),
        (tmp_path, "source.file"),
        ("a\x00b", "source.file"),
        ("", "source.file"),
    ]
    for given_path, code in cases:
        with pytest.raises(InputError) as error:
            read(given_path)
        assert error.value.code == code
        assert SECRET not in str(error.value)
    with pytest.raises(ContractError):
        read(b"bytes")


# --- hOCR ------------------------------------------------------------------------------------------------------------


def test_hocr_words_lines_blocks_and_pages():
    text = hocr(
        page(
            "<div class='ocr_carea'><p class='ocr_par'>"
            + line(word("Tab.", "bbox 1 2 3 4; x_wconf 90"), word("<strong>Do<em>lo</em></strong>", "bbox 5 2 9 4"))
            + line(word("Q&amp;A", "x_wconf -1"))
            + "</p></div><div class='ocr_carea'><p class='ocr_par'>"
            + line(word(" "), word("Adv"))
            + "</p></div>",
            title='image "a; b.png"; bbox 0 0 9 9; ppageno 0',
        )
        + page(line(word("Next")), title="ppageno 3")
    )
    document = sources.from_hocr(text)
    assert document.text == "Tab. Dolo\nQ&A\n\nAdv\n\nNext"
    assert [w.confidence for w in document.words] == [0.9, None, None, 0.96, 0.96]
    assert [w.box for w in document.words][:3] == [(1, 2, 3, 4), (5, 2, 9, 4), None]
    assert [w.page for w in document.words] == [1, 1, 1, 1, 4]
    assert document.engine == "tesseract"


def test_hocr_without_areas_takes_paragraphs_and_counts_pages():
    paragraphs = f"<p class='ocr_par'>{line(word('a'))}</p><p class='ocr_par'>{line(word('b'))}</p>"
    document = sources.from_hocr(hocr(page(paragraphs, title="") + page(line(word("c")), title=""), head=""))
    assert document.text == "a\n\nb\n\nc"
    assert [w.page for w in document.words] == [1, 1, 2]
    assert document.engine is None  # the file does not say; another engine's gates must not be applied


def test_tsv_and_hocr_of_one_page_are_one_document():
    """Tesseract cuts its confidences to whole numbers in hOCR; all else is equal."""
    from_tsv, from_hocr = sources.from_tesseract_tsv(DATA / "oneline.tsv"), sources.from_hocr(DATA / "oneline.hocr")
    assert from_tsv.text == from_hocr.text
    assert "1. Tab. Brufen 400mg 0-1-0 x 30 days after food" in from_tsv.text.split("\n")
    assert [(w.start, w.end, w.page, w.box) for w in from_tsv.words] == [(w.start, w.end, w.page, w.box) for w in from_hocr.words]
    assert [int(w.confidence * 100 + 1e-9) for w in from_tsv.words] == [round(w.confidence * 100) for w in from_hocr.words]
    assert (from_tsv.engine, from_tsv.modality) == (from_hocr.engine, from_hocr.modality)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (hocr(f"<p>{SECRET}</p>"), "source.hocr_structure"),
        (hocr(line(word())), "source.hocr_structure"),
        (hocr(page(line(word())) + f"<p>{SECRET}</p>"), "source.hocr_structure"),
        (hocr(page(word())), "source.hocr_structure"),
        (hocr(page(line(SECRET))), "source.hocr_structure"),
        (hocr(page(line(word(word())))), "source.hocr_structure"),
        (hocr(page(line(line(word())))), "source.hocr_structure"),
        (hocr(page(page(line(word())))), "source.hocr_structure"),
        (hocr(page(line("<span class='ocrx_word ocr_line'>x</span>"))), "source.hocr_structure"),
        (hocr(page(line("<img class='ocrx_word'/>"))), "source.hocr_structure"),
        (hocr(page(line(word())) + page(line(word()))), "source.hocr_structure"),
        (hocr(page(line(word()), title="ppageno x")), "source.hocr_number"),
        (hocr(page(line(word(title="bbox 1 2 3")))), "source.hocr_number"),
        (hocr(page(line(word(title="bbox 1 2 3 4.5")))), "source.hocr_number"),
        (hocr(page(line(word(title="bbox 9 2 3 4")))), "source.word_box"),
        (hocr(page(line(word(title="x_wconf ninety")))), "source.confidence_number"),
        (hocr(page(line(word(title="x_wconf 90 91")))), "source.confidence_number"),
        (hocr(page(line(word(title="x_wconf 101")))), "source.confidence_range"),
        (hocr(page(line(word(title="x_wconf 90; x_wconf 91")))), "source.hocr_duplicate"),
        (hocr(page(line("<span class='ocrx_word' id='w'>a</span><span class='ocrx_word' id='w'>b</span>"))), "source.hocr_duplicate"),
        (hocr(page(line("<span class='ocrx_word' title='x_wconf 1' title='x_wconf 99'>a</span>"))), "source.hocr_duplicate"),
        (hocr("", head="<meta name='ocr-system' content='a'><meta name='ocr-system' content='b'>"), "source.hocr_duplicate"),
        (hocr(page(f"<p class='ocr_par'>{line(word())}")), "source.hocr_nesting"),
        (hocr(page(line(word()))).removesuffix("</html>"), "source.hocr_nesting"),
        ("</div>", "source.hocr_nesting"),
        ("< not html", "source.hocr_structure"),
    ],
)
def test_unusable_hocr_is_refused_without_its_content(text, code):
    with pytest.raises(InputError) as error:
        sources.from_hocr(text)
    assert error.value.code == code
    assert SECRET not in str(error.value)


@given(st.text(max_size=80))
def test_any_text_is_a_document_or_an_input_error(text):
    for read, prefix in ((sources.from_tesseract_tsv, HEADER + "\n"), (sources.from_hocr, "<div class='ocr_page'>\n")):
        with suppress(InputError):
            read(prefix + text)


def test_the_stored_pages_are_documents():
    for stored in (DATA / "pages.jsonl").read_text("utf-8").splitlines():
        rows = json.loads(stored)["words"]
        document = sources.from_words(
            [{"text": t, "confidence": c / 100, "box": box, "block": key.split(".")[0], "line": key} for t, c, *box, key in rows],
            engine="tesseract",
        )
        assert words_of(document) == [r[0] for r in rows]
