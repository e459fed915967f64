"""The evidence page, read back with a parser: what it shows, that nothing untrusted becomes markup, and that nothing is loaded."""

from __future__ import annotations

import base64
import re
import struct
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import html
from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Finding,
    ItemVerdict,
    Severity,
    SourceDocument,
    Span,
    Verdict,
    VerificationReport,
    Word,
)
from medfence_guard.errors import InputError
from medfence_guard.html.visible import visible

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN
SOURCE = "Rx\n1. Tab. Brufen 400mg 0-1-0\n2. Tab. Rablet 20mg 0-0-1\n"
PAYLOAD = {
    "medications": [{"name": "Brufen", "strength": {"value": 400, "unit": "mcg"}, "frequency": "0-1-O"}, {"name": "Glycomet"}],
    "bill": 7,
}


def at(text: str, source: str = SOURCE) -> Span:
    start = source.index(text)
    return Span(start, start + len(text))


def finding(check: str, path: str, verdict: Verdict, *spans: Span, message: str = "told", minor: bool = False, **evidence: Any) -> Finding:
    kind = "source" if spans else evidence.pop("kind", "rule")
    proof = Evidence(kind=kind, source_spans=spans, **({"rule_id": "P11"} | evidence))
    severity = Severity.MINOR if minor else Severity.MAJOR if verdict is PASS else Severity.CRITICAL
    return Finding(check_id=check, field_path=path, verdict=verdict, severity=severity, evidence=(proof,), message=message)


FINDINGS = (
    finding("grounding.name", "$.medications[0].name", PASS, at("Brufen")),
    finding(
        "reference.drug_exists",
        "$.medications[0].name",
        PASS,
        kind="reference",
        refdata_key="in/brufen",
        citation="nppa#4",
        grade="regulator",
    ),
    finding("grounding.unit_integrity", "$.medications[0].name", PASS, message="a remark", minor=True),
    finding("grounding.frequency", "$.medications[0].frequency", ABSTAIN, at("0-1-0"), message="an O for a 0"),
    finding("grounding.strength", "$.medications[0].strength", FAIL, at("400mg"), message="another unit"),
    finding("grounding.name", "$.medications[1].name", FAIL, message="nowhere"),
    finding("schema.unmapped_key", "$.medications[1].colour", ABSTAIN, message="unknown key"),
    finding("completeness.omitted", "$.medications", FAIL, at("Tab. Rablet 20mg 0-0-1"), message="carried by nobody"),
    finding("completeness.accounted", "$.medications", PASS, at("Rx"), message="a heading"),
    finding("schema.not_checked", "$.bill", PASS, minor=True),
)


def report_of(findings: tuple[Finding, ...] = FINDINGS, **changes: Any) -> VerificationReport:
    fields: dict[str, Any] = {
        "artifact_type": "prescription",
        "overall": FAIL,
        "findings": findings,
        "items": (
            ItemVerdict(path="$.medications[0]", verdict=FAIL, statement_span=at("Tab. Brufen 400mg 0-1-0")),
            ItemVerdict(path="$.medications[1]", verdict=FAIL, statement_span=None),
        ),
        "coverage": Coverage(claims=4, verified=1),
        "completeness": Completeness(statements=2, accounted=1),
        "not_checked": ("$.bill",),
        "rulepack_version": "a" * 64,
        "refdata_snapshot": "b" * 64,
        "engine_version": "0.1.0",
        "input_hashes": {"source_text": "c" * 64, "payload": "d" * 64},
    }
    return VerificationReport(**(fields | changes))


VOID = {"meta", "image", "use", "rect"}


class Reader(HTMLParser):
    """Checks nesting while reading; keeps the tags, the attributes, and the text with and without what the page itself adds."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[tuple[str, str]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.lines: list[str] = []
        self.feed(page)
        self.close()
        assert self.stack == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        assert len(attributes) == len(attrs), "an attribute twice"
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self.stack.append((tag, attributes.get("class") or ""))
            if attributes.get("class") == "line":
                self.lines.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack
        assert self.stack.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        classes = [css for _, css in self.stack]
        if not any(tag in ("style", "title") for tag, _ in self.stack):
            self.text += data
        if "line" in classes and "tag" not in classes:
            self.lines[-1] += data

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.tags if "id" in attributes]

    def values(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.tags if name in attributes]


def page_of(*args: Any, **changes: Any) -> str:
    return html.render(report_of(*args, **changes), SourceDocument(SOURCE), PAYLOAD)


PAGE = page_of()


# ---- what it shows ------------------------------------------------------------------------------------------------


def test_what_is_wrong_comes_first_and_what_passed_last() -> None:
    groups = ["Contradicted, or without a place", "another unit", "nowhere", "unknown key", "Could not be decided", "an O for a 0"]
    groups += ["Entailed by the source", "a remark", "Statements of the source that no field carries", "carried by nobody", "a heading"]
    places = [Reader(PAGE).text.index(each) for each in groups]
    assert places == sorted(places)


def test_what_was_not_checked_is_named_before_anything_else() -> None:
    text = Reader(PAGE).text
    assert text.index("Not checked") < text.index("$.bill") < text.index("FAIL") < text.index("To look at")
    assert text.count("$.bill") == 1
    assert "Not checked" not in Reader(page_of(FINDINGS[:-1], not_checked=())).text


def test_a_minor_not_checked_finding_alone_is_named_too() -> None:
    assert "$.bill" in Reader(page_of(not_checked=())).text


def test_both_sides_stand_beside_each_other() -> None:
    """Payload says 400 mcg, source says 400mg, with a link to the line it stands on."""
    card = PAGE[PAGE.index("another unit") - 900 : PAGE.index("another unit")]
    assert re.search(r"Payload says</dt><dd><bdi[^>]*>400 mcg<.*Source says</dt><dd><bdi[^>]*>400mg<", card, re.DOTALL)
    assert f'href="#at-{at("400mg").start}-{at("400mg").end}">line 2<' in card


def test_a_claim_without_a_place_says_so() -> None:
    card = PAGE[PAGE.index("nowhere") - 700 : PAGE.index("nowhere")]
    assert "Glycomet" in card
    assert "no place for this in the source" in card


def test_reference_and_rule_are_named() -> None:
    text = Reader(
        page_of(
            (finding("reference.drug_exists", "$.x", FAIL, kind="reference", refdata_key="in/brufen", citation="nppa#4", grade="tender"),)
        )
    ).text
    assert "reference.drug_exists critical, rule P11" in text
    assert "reference in/brufen, cited from nppa#4, grade tender" in text


def test_an_item_that_is_nowhere_in_the_source_is_one_entry() -> None:
    """Its fields share its fate: they are listed in its card, with their values and checks, and not one by one."""
    fields = tuple(finding("grounding.name", f"$.medications[1].{name}", FAIL, message="nowhere") for name in ("name", "colour"))
    orphan = finding("grounding.no_orphans", "$.medications[1]", FAIL, message="no statement has this name")
    read = Reader(page_of((*FINDINGS[:5], *fields, orphan, FINDINGS[7])))
    assert [tag for tag, _ in read.tags].count("article") == 4, "strength, frequency, the item, the statement in no field"
    assert "To look at (4)" in read.text
    assert read.text.index("no statement has this name") < read.text.index("Its fields, which nothing in the source supports")
    assert re.search(r"fail name\s*Glycomet\s*grounding\.name", read.text)


def test_a_field_of_such_an_item_with_another_verdict_stands_alone() -> None:
    orphan = finding("grounding.no_orphans", "$.medications[1]", FAIL)
    read = Reader(page_of((orphan, FINDINGS[6])))
    assert [tag for tag, _ in read.tags].count("article") == 2


def test_the_same_reason_is_given_once() -> None:
    twice = finding("grounding.dose", "$.x", ABSTAIN, Span(0, 2), message="below the floor")
    again = finding("grounding.dose", "$.x", ABSTAIN, Span(3, 5), message="below the floor")
    text = Reader(page_of((twice, again))).text
    assert text.count("below the floor") == 1
    assert "Rx \u2026 1." in text, "both places are"


def test_a_place_inside_another_is_not_named_again() -> None:
    page = page_of((finding("grounding.dose", "$.x", ABSTAIN, at("0-1-0"), at("400mg 0-1-0")),))
    assert '<bdi class="said">400mg 0-1-0</bdi>' in page
    assert f'id="at-{at("0-1-0").start}-{at("0-1-0").end}"' in page


def test_an_empty_report_and_an_empty_source() -> None:
    """Nothing found is shown as nothing found, never as all is well."""
    text = Reader(html.render(report_of((), items=(), overall=ABSTAIN, not_checked=()), SourceDocument(""), {})).text
    assert "? ABSTAIN" in text
    assert "The source holds no text." in text
    assert "The report has no finding about a field." in text


def test_every_link_leads_to_exactly_one_place() -> None:
    read = Reader(PAGE)
    assert len(read.ids()) == len(set(read.ids()))
    assert {target.removeprefix("#") for target in read.values("href")} <= set(read.ids())
    assert {*read.values("aria-labelledby")} <= set(read.ids())
    entry = next(value for value in read.ids() if value.startswith("entry-1"))
    assert f'class="tag" href="#{entry}' in PAGE, "the mark in the source leads to its entry"


def test_a_verdict_is_a_word_a_symbol_and_a_border_never_colour_alone() -> None:
    text = Reader(PAGE).text
    for symbol, word in (("\u2713", "pass"), ("\u2715", "FAIL"), ("?", "ABSTAIN")):
        assert f"{symbol} {word}" in text
    for css, colour, style in (("pass", "#0072B2", "solid"), ("fail", "#D55E00", "double"), ("abstain", "#E69F00", "dashed")):
        assert f"--{css}:{colour}" in PAGE
        assert re.search(rf"\.{css}{{--line:var\(--{css}\);--style:{style};", PAGE)
    assert "--ink:#1A1A1A" in PAGE
    assert not re.search(r"[;{]color:var\(--(pass|fail|abstain)", PAGE), "the verdict colours are for borders and grounds, not for text"


def test_the_frame_of_the_page() -> None:
    read = Reader(PAGE)
    tags = [tag for tag, _ in read.tags]
    assert dict(read.tags)["html"] == {"lang": "en"}
    assert all(tags.count(tag) == 1 for tag in ("header", "main", "footer", "h1", "title"))
    assert tags.count("table") == tags.count("caption") == 2
    levels = [int(tag[1]) for tag in tags if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in zip(levels[levels.index(1) :], levels[levels.index(1) + 1 :], strict=False))
    first_link = next(attributes for tag, attributes in read.tags if tag == "a")
    assert first_link == {"class": "skip", "href": "#fields"}
    assert "Health data." in read.text


def test_nothing_is_loaded_and_nothing_runs() -> None:
    read = Reader(html.render(report_of(), source_with_words(), PAYLOAD, {1: png(900, 300)}))
    policies = [attributes["content"] for tag, attributes in read.tags if attributes.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"]
    assert not {"script", "link", "iframe", "object", "img", "form", "base"} & {tag for tag, _ in read.tags}
    assert all(value.startswith(("#", "data:image/png;base64,")) for value in read.values("href"))
    assert not read.values("src")
    assert not re.search(r"url\(|@import|https?:|\bon[a-z]+=", PAGE)


def test_the_same_report_gives_the_same_page() -> None:
    assert page_of() == PAGE


# ---- text that nobody may trust -----------------------------------------------------------------------------------

NASTY = "<script>alert(1)</script>\"'&amp;<b onclick=x>"


def test_markup_stays_text_wherever_it_comes_from() -> None:
    source = f"{NASTY} 5 mg"
    payload = {"medications": [{NASTY: NASTY, "name": NASTY}], NASTY: NASTY}
    findings = tuple(
        finding(
            check, path, verdict, *spans, message=NASTY, refdata_key=NASTY, citation=NASTY, grade=NASTY, rule_id=NASTY, matched_text=NASTY
        )
        for check, path, verdict, spans in (
            ("grounding.name", "$.medications[0].name", FAIL, ()),
            (NASTY, f"$.medications[0].{NASTY}", ABSTAIN, (Span(0, len(NASTY)),)),
            (NASTY, f"$.{NASTY}", PASS, (Span(0, 5),)),
            ("completeness.omitted", "$.medications", FAIL, (Span(0, len(source)),)),
        )
    )
    hostile = report_of(
        findings,
        artifact_type=NASTY,
        not_checked=(NASTY,),
        items=(ItemVerdict(path="$.medications[0]", verdict=FAIL, statement_span=None),),
        rulepack_version=NASTY,
        refdata_snapshot=NASTY,
        engine_version=NASTY,
        input_hashes={NASTY: NASTY},
    )
    read = Reader(html.render(hostile, SourceDocument(source), payload))
    assert not {"script", "b"} & {tag for tag, _ in read.tags}
    assert "onclick" not in {name for _, attributes in read.tags for name in attributes}
    assert read.text.count(NASTY) >= 12


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=12))
def test_any_text_gives_a_well_formed_page(source: str, value: str, key: str) -> None:
    findings = (finding("grounding.name", "$.x", FAIL, message=value), finding("schema.unmapped_key", f"$.{key}", ABSTAIN, message=key))
    plain = {tag for tag, _ in Reader(PAGE).tags} | {"p"}
    page = html.render(report_of(findings, items=(), not_checked=(key,)), SourceDocument(source), {"x": value, key: value})
    page.encode("utf-8")
    assert {tag for tag, _ in Reader(page).tags} <= plain


@pytest.mark.parametrize(
    ("hidden", "drawn"),
    [
        ("\u200b", "[U+200B]"),
        ("\u202e", "[U+202E]"),
        ("\u2066", "[U+2066]"),
        ("\x1b", "[U+001B]"),
        ("\x00", "[U+0000]"),
        ("\x85", "[U+0085]"),
        ("\xa0", "[U+00A0]"),
        ("\xad", "[U+00AD]"),
        ("\u2028", "[U+2028]"),
        ("\u3164", "[U+3164]"),
        ("\ufeff", "[U+FEFF]"),
        ("\ufe0f", "[U+FE0F]"),
        ("\ud800", "[U+D800]"),
        ("\ue000", "[U+E000]"),
        ("\U000e0041", "[U+E0041]"),
        ("\r", "[U+000D]"),
    ],
)
def test_what_cannot_be_seen_is_drawn(hidden: str, drawn: str) -> None:
    """On the source side, on the payload side, in a key, and in plain text for a terminal."""
    text = f"Bru{hidden}fen"
    key = f"$.k{hidden}"
    findings = (finding("grounding.name", "$.x", FAIL, Span(0, 7)), finding("schema.unmapped_key", key, ABSTAIN))
    page = html.render(report_of(findings, items=(), not_checked=()), SourceDocument(text), {"x": text, key[2:]: 1})
    assert hidden not in page
    read = Reader(page)
    assert read.lines == [f"Bru{drawn}fen"]
    assert f"k{drawn}" in read.text
    assert visible(text) == f"Bru{drawn}fen"


def test_a_look_alike_letter_in_a_latin_word_is_followed_by_its_code() -> None:
    """Cyrillic о in a Latin word is told apart; a Greek word, and the mu of a unit, are left alone."""
    assert visible("Br\u043efen 5 \u03bcg \u0391\u03b2") == "Br\u043e[U+043E]fen 5 \u03bcg \u0391\u03b2"
    assert 'Br\u043e<span class="code">[U+043E]</span>fen' in html.render(report_of((), items=()), SourceDocument("Br\u043efen"), {})


def test_line_ends_of_either_kind_are_layout() -> None:
    assert Reader(html.render(report_of((), items=()), SourceDocument("a\r\nb\n\tc"), {})).lines == ["a", "b", "\tc"]
    assert visible("a\r\nb\tc\nd") == "a b c d"


# ---- spans ----------------------------------------------------------------------------------------------------------

SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 30), st.sampled_from(Verdict)), max_size=8)


@given(st.text("ab \n", min_size=1, max_size=40), SPANS)
def test_marks_never_change_the_text_whatever_overlaps(text: str, spans: list[tuple[int, int, Verdict]]) -> None:
    findings = tuple(
        finding("grounding.dose", f"$.f{index}", verdict, Span(start, start + length))
        for index, (start, length, verdict) in enumerate(spans)
    )
    page = html.render(report_of(findings, items=(), not_checked=()), SourceDocument(text + "z"), {})
    read = Reader(page)
    assert "\n".join(read.lines) == text + "z"
    assert len(read.ids()) == len(set(read.ids()))
    inside = {index for index, (start, length, _) in enumerate(spans) if start + length <= len(text) + 1}
    for start, length, _ in (spans[index] for index in inside):
        assert f"at-{start}-{start + length}" in read.ids()
    assert [tag for tag, _ in read.tags].count("mark") - 3 <= 2 * len(spans) + page.count('class="line"'), "pieces, not nests"


def test_where_spans_overlap_the_worst_shows() -> None:
    source = "abcdef"
    findings = (
        finding("grounding.dose", "$.a", PASS, Span(0, 4)),
        finding("grounding.dose", "$.b", ABSTAIN, Span(2, 5)),
        finding("grounding.dose", "$.c", FAIL, Span(3, 6)),
    )
    page = html.render(report_of(findings, items=(), not_checked=()), SourceDocument(source), {})
    body = page[page.index('<div class="line">') : page.index("</section>")]
    pieces = re.findall(r'<mark class="(\w+)">(?:<a class="at"[^>]*></a>)*<bdi>(\w+)</bdi>', body)
    assert pieces == [("pass", "ab"), ("abstain", "c"), ("fail", "d"), ("fail", "e"), ("fail", "f")]


# ---- the payload ----------------------------------------------------------------------------------------------------

CYCLE: dict[str, Any] = {}
CYCLE["x"] = CYCLE


class Lying:
    def __repr__(self) -> str:
        raise AssertionError("repr of a foreign class must not run")

    __str__ = __repr__


@pytest.mark.parametrize(
    ("payload", "shows"),
    [
        ('{"x": "5 mg"}', "5 mg"),
        (b'{"x": "5 mg"}', "5 mg"),
        ('```json\n{"x": "5 mg"}\n```', "5 mg"),
        ("the model says: 5 mg", "the model says: 5 mg"),
        (b"\xff not text", "not text"),
        ({"x": {"value": "40/5", "unit": "mg"}}, "40/5 mg"),
        ({"x": [1, {"y": None}]}, '[1, {"y": null}]'),
        ({"x": 10**5000}, "that JSON cannot write"),
        ({"x": float("nan")}, "NaN"),
        ({"x": Lying()}, "<Lying>"),
        ({"x": "a" * 5000}, "(3000 characters more)"),
        (CYCLE, "that JSON cannot write"),
        ("[" * 100_000, "[[[[["),
        (None, "null"),
        ({1: 2, "x": 3}, "3"),
    ],
)
def test_any_payload_can_be_shown(payload: object, shows: str) -> None:
    page = html.render(report_of((finding("grounding.dose", "$.x", FAIL),), items=()), SourceDocument(SOURCE), payload)
    assert shows in Reader(page).text


# ---- page images ----------------------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x00\x00\x00\x00"


def jpeg(width: int, height: int) -> bytes:
    return b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xdb\x00\x03c\xff\xc2\x00\x11\x08" + struct.pack(">HH", height, width) + bytes(12)


def source_with_words(page: int = 1) -> SourceDocument:
    """One box of 8 px per character, lines 40 px apart."""
    words = []
    for match in re.finditer(r"\S+", SOURCE):
        line = SOURCE.count("\n", 0, match.start())
        left = match.start() - (SOURCE.rfind("\n", 0, match.start()) + 1)
        box = (100 + 8 * left, 50 + 40 * line, 100 + 8 * (left + len(match[0])), 70 + 40 * line)
        words.append(Word(match.start(), match.end(), 0.5, page, box))
    return SourceDocument(SOURCE, "ocr", None, tuple(words))


@pytest.mark.parametrize("image", [png(900, 300), jpeg(900, 300)])
def test_a_held_statement_is_shown_as_it_looks(image: bytes) -> None:
    """The crop is the statement's whole line with a margin; the contested word is framed; the image is embedded once."""
    page = html.render(report_of(FINDINGS[4:5]), source_with_words(), PAYLOAD, {1: image})
    kind = "png" if image[1:4] == b"PNG" else "jpeg"
    assert page.count(base64.b64encode(image).decode()) == 1
    assert f'<image id="page-1" width="900" height="300" href="data:image/{kind};base64,' in page
    # The line "1. Tab. Brufen 400mg 0-1-0" has 26 characters: x 100 to 308, y 90 to 110; the margin is 14.
    # "400mg" are its characters 15 to 20.
    assert 'viewBox="86 76 236 48"' in page
    assert '<rect class="fail" x="215" y="85" width="50" height="30"/>' in page
    assert "framed: read as <bdi>400mg</bdi>" in page
    assert "least recognition confidence 50\u00a0%" in page


def test_an_unowned_statement_is_shown_whole_with_one_frame() -> None:
    page = html.render(report_of(FINDINGS[7:8]), source_with_words(), PAYLOAD, {1: png(900, 300)})
    assert page.count("<svg viewBox") == 1
    assert page.count("<rect") == 0, "all of it is contested: nothing to frame"
    assert page.count('viewBox="86 ') == 1, "the number before the statement is on its line"


def test_what_passed_has_no_crop_and_neither_has_a_page_without_image() -> None:
    assert "<svg viewBox" not in html.render(report_of(FINDINGS[:1]), source_with_words(), PAYLOAD, {1: png(900, 300)})
    assert "<svg" not in html.render(report_of(), source_with_words(), PAYLOAD)
    assert "<svg viewBox" not in html.render(report_of(), source_with_words(page=2), PAYLOAD, {1: png(900, 300)})
    assert "<svg viewBox" not in html.render(report_of(FINDINGS[4:5]), source_with_words(), PAYLOAD, {1: png(50, 20)}), "outside the image"


@pytest.mark.parametrize("image", [b"", b"GIF89a", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", jpeg(1, 1)[:14], "text", b"<svg xmlns='x'/>"])
def test_anything_but_png_and_jpeg_is_refused(image: Any) -> None:
    with pytest.raises(InputError) as caught:
        html.render(report_of(), source_with_words(), PAYLOAD, {1: image})
    assert caught.value.code == "html.image"
