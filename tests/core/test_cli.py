"""The command line as a person or a script meets it: exit codes, sentences instead of tracebacks, and the table."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from medfence_guard import cli, report
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
)
from medfence_guard.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
DATA = cli.DEMO_DATA

FAITHFUL = {
    "medications": [{"name": "Dolo", "strength": {"value": 650, "unit": "mg"}, "form": "tab", "frequency": "1-0-1", "duration": "3 days"}]
}
TYPED = "Rx\nTab. Dolo 650 mg 1-0-1 x 3 days\n"


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own, in a bare clone: nothing installed, no site-packages."""
    return subprocess.run(
        [sys.executable, "-S", "-m", "medfence_guard", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        env={"PATH": os.environ["PATH"], "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"} | environment,
        timeout=120,
        check=False,
    )


@pytest.fixture
def typed(tmp_path: Path) -> tuple[str, str]:
    """Paths of a typed source and a faithful extraction."""
    (tmp_path / "source.txt").write_text(TYPED, "utf-8")
    (tmp_path / "extraction.json").write_text(json.dumps(FAITHFUL), "utf-8")
    return str(tmp_path / "source.txt"), str(tmp_path / "extraction.json")


# ---- verify -------------------------------------------------------------------------------------------------------


def test_exit_codes_follow_the_verdict(tmp_path: Path, typed: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    source, extraction = typed
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(FAITHFUL).replace('"mg"', '"mcg"'), "utf-8")
    unsure = tmp_path / "unsure.json"
    unsure.write_text(json.dumps(FAITHFUL).replace('"form"', '"shelf"'), "utf-8")
    for path, code, word in ((extraction, 0, "PASS"), (wrong, 1, "FAIL"), (unsure, 3, "ABSTAIN")):
        assert cli.main(["verify", "--source", source, "--extraction", str(path)]) == code
        assert capsys.readouterr().out.split()[1] == word


def test_an_extraction_that_is_not_json_abstains(typed: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """A model's malformed text is a finding, not unusable input (exit 2) and not a contradiction (exit 1)."""
    assert cli.main(["verify", "--source", typed[0], "--extraction", typed[0]]) == 3
    assert "schema.malformed" in capsys.readouterr().out


def test_json_is_the_report(typed: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--source", typed[0], "--extraction", typed[1], "--json"]) == 0
    printed = capsys.readouterr().out
    assert printed == report.from_json(printed).to_json() + "\n"


def test_html_is_written_with_the_page_image(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "page.html"
    arguments = ["verify", "--source", str(DATA / "printed.tsv"), "--extraction", str(DATA / "printed_faulty.json")]
    assert cli.main([*arguments, "--html", str(out), "--images", str(DATA / "printed.png")]) == 1
    assert f"Evidence page: {out}" in capsys.readouterr().out
    assert out.read_text("utf-8").count("data:image/png;base64,") == 1


def test_an_unknown_artifact_type_abstains(typed: tuple[str, str]) -> None:
    assert cli.main(["verify", "--source", typed[0], "--extraction", typed[1], "--artifact-type", "invoice"]) == 3


def test_the_source_is_told_apart_by_content(tmp_path: Path) -> None:
    hocr = tmp_path / "a.txt"
    hocr.write_text(
        "<html><body><div class='ocr_page' id='page_1' title='bbox 0 0 90 90'><span class='ocr_line' id='l' title='bbox 0 0 90 9'>"
        "<span class='ocrx_word' id='w' title='bbox 0 0 40 9; x_wconf 91'>Dolo</span></span></div></body></html>",
        "utf-8",
    )
    plain = tmp_path / "b.tsv"
    plain.write_bytes(b"\xef\xbb\xbfDolo")
    page = cli.read_source(DATA / "printed.tsv", None, None)
    rows = [line.split("\t") for line in (DATA / "printed.tsv").read_text("utf-8").splitlines()]
    assert (page.modality, len(page.words)) == ("ocr", sum(row[0] == "5" and bool(row[11].strip()) for row in rows))
    assert (cli.read_source(hocr, "ocr", None).text, cli.read_source(hocr, None, 0.5).ocr_confidence) == ("Dolo", 0.5)
    assert cli.read_source(plain, None, None) == SourceDocument("Dolo", "text", None)
    assert cli.read_source(plain, "ocr", 0.9) == SourceDocument("Dolo", "ocr", 0.9)


@pytest.mark.parametrize(
    ("arguments", "complains"),
    [
        (
            ["--source", "{tmp}/none", "--extraction", "{good}"],
            "cli.file: --source: the file cannot be read (No such file or directory); check the path",
        ),
        (["--source", "{good}", "--extraction", "{tmp}"], "cli.file: --extraction: the file cannot be read (Is a directory)"),
        (["--source", "{png}", "--extraction", "{good}"], "cli.encoding: --source: not UTF-8 text (byte 0); save it as UTF-8"),
        (["--source", "{nul}", "--extraction", "{good}"], "cli.encoding: --source: holds null characters"),
        (["--source", "{good}", "--extraction", "{good}", "--ocr-confidence", "0.9"], "add --modality ocr"),
        (["--source", "{good}", "--extraction", "{good}", "--modality", "ocr", "--ocr-confidence", "90"], "must be a number in [0, 1]"),
        (["--source", "{good}", "--extraction", "{good}", "--modality", "ocr", "--ocr-confidence", "nan"], "must be a number in [0, 1]"),
        (["--source", "{tsv}", "--extraction", "{good}", "--modality", "text"], "which --modality text contradicts"),
        (["--source", "{good}", "--extraction", "{good}", "--rulepack", "{tmp}"], "rulepack.missing_file"),
        (["--source", "{good}", "--extraction", "{good}", "--html", "{tmp}"], "--html: the file cannot be written (Is a directory)"),
        (["--source", "{good}", "--extraction", "{good}", "--html", "{tmp}/x.html", "--images", "{good}"], "html.image"),
        (["--source", "{bad_tsv}", "--extraction", "{good}"], "source.tsv_header"),
    ],
)
def test_what_cannot_be_used_is_one_sentence_and_exit_2(
    arguments: list[str], complains: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good").write_text("{}", "utf-8")
    (tmp_path / "nul").write_bytes(b"a\x00b")
    (tmp_path / "bad_tsv").write_text("level\tpage_num\tx\n", "utf-8")
    names = {name: str(tmp_path / name) for name in ("good", "nul", "bad_tsv")}
    names |= {"tmp": str(tmp_path), "png": str(DATA / "printed.png"), "tsv": str(DATA / "printed.tsv")}
    assert cli.main(["verify", *(argument.format(**names) for argument in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("medfence-guard: ")
    assert captured.err.count("\n") == 1
    assert complains in captured.err


def test_a_control_sequence_in_a_path_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", "--source", "a\x1b[2J\nb", "--extraction", "x"]) == 2
    assert "a[U+001B][2J b" in capsys.readouterr().err


def test_a_crash_is_a_sentence_without_content_and_never_looks_like_a_verdict(
    typed: tuple[str, str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_arguments: object) -> None:
        raise ZeroDivisionError("Dolo 650")

    monkeypatch.setattr(cli, "table", crash)
    assert cli.main(["verify", "--source", typed[0], "--extraction", typed[1]]) == 2
    captured = capsys.readouterr()
    assert (
        captured.err == "medfence-guard: internal.error: ZeroDivisionError inside medfence-guard; nothing was verified. Please report it\n"
    )
    assert captured.out == ""


@pytest.mark.parametrize("arguments", [[], ["frob"], ["verify"], ["verify", "--source", "x"], ["verify", "--modality", "fax"]])
def test_wrong_usage_exits_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert "usage: medfence-guard" in capsys.readouterr().err


def test_a_reader_that_goes_away_does_not_change_the_verdict(typed: tuple[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "medfence_guard", "verify", "--source", typed[0], "--extraction", typed[1], "--json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert (process.wait(120), complaint) == (0, b"")


def test_schema_is_the_published_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "report.schema.json").read_text("utf-8")


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("verify", "demo", "schema", "audit", "review"):
        with pytest.raises(SystemExit) as caught:
            cli.main([name, "--help"])
        assert caught.value.code == 0
        assert f"usage: medfence-guard {name}" in capsys.readouterr().out


# ---- demo ---------------------------------------------------------------------------------------------------------


def test_the_demo_runs_in_a_bare_clone(tmp_path: Path) -> None:
    """One PASS, one FAIL, one ABSTAIN, in this order, and their pages; nothing but the standard library."""
    done = run("demo", "--html-dir", tmp_path / "pages")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.findall(r"^. (PASS|FAIL|ABSTAIN) +\d+ of", done.stdout, re.MULTILINE) == ["PASS", "FAIL", "ABSTAIN"]
    pages = sorted((tmp_path / "pages").iterdir())
    assert [page.name for page in pages] == ["1_pass.html", "2_fail.html", "3_abstain.html"]
    assert all(str(page) in done.stdout for page in pages)


def test_the_demo_shows_what_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The swapped unit, the invented drug and the dropped one each FAIL, where they are."""
    assert cli.main(["demo", "--html-dir", str(tmp_path)]) == 0
    failed = [line for line in capsys.readouterr().out.splitlines() if "FAIL" in line]
    assert any("medications[1].strength" in line and "10 mcg" in line and "10mg" in line for line in failed)
    assert any("medications[2].name" in line and "Glycomet" in line for line in failed)
    assert any("(in no field)" in line and "Rablet" in line for line in failed)


def test_the_demo_says_when_a_verdict_is_not_the_expected_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "DEMO", (cli.dataclasses.replace(cli.DEMO[0], verdict=Verdict.FAIL),))
    assert cli.main(["demo", "--html-dir", str(tmp_path)]) == 1


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert cli.main(["demo", "--html-dir", str(tmp_path / "file" / "pages")]) == 2
    assert "--html-dir: the folder cannot be made" in capsys.readouterr().err


# ---- the table ------------------------------------------------------------------------------------------------------

SOURCE = SourceDocument("Rx\nBrufen 400mg\nRablet 20mg")
PAYLOAD = {"medications": [{"name": "Brufen", "strength": "400 mcg \x1b[31m\nx"}]}


def finding(check: str, path: str, verdict: Verdict, span: Span | None, message: str, minor: bool = False) -> Finding:
    proof = Evidence(kind="source" if span else "rule", source_spans=(span,) if span else (), rule_id="P5")
    severity = Severity.MINOR if minor else Severity.MAJOR
    return Finding(check_id=check, field_path=path, verdict=verdict, severity=severity, evidence=(proof,), message=message)


REPORT = VerificationReport(
    artifact_type="prescription",
    overall=Verdict.FAIL,
    findings=(
        finding("grounding.name", "$.medications[0].name", Verdict.PASS, Span(3, 9), "not said"),
        finding("reference.curated_only", "$.medications[0].name", Verdict.PASS, None, "a remark", minor=True),
        finding("grounding.strength", "$.medications[0].strength", Verdict.FAIL, Span(10, 15), "another unit " + "and so on " * 12),
        finding("schema.empty", "$", Verdict.ABSTAIN, None, "hm"),
        finding("completeness.omitted", "$.medications", Verdict.FAIL, Span(16, 27), "carried by nobody"),
    ),
    items=(ItemVerdict(path="$.medications[0]", verdict=Verdict.FAIL, statement_span=Span(3, 15)),),
    coverage=Coverage(claims=2, verified=1),
    completeness=Completeness(statements=2, accounted=1),
    not_checked=("$.bill\x1b",),
    rulepack_version="a",
    refdata_snapshot="b",
    engine_version="0.1.0",
    input_hashes={},
)


def test_an_item_that_is_nowhere_in_the_source_says_why_once() -> None:
    paths = ("$.medications[1]", "$.medications[1].name", "$.medications[1].dose")
    orphans = tuple(finding("grounding.no_orphans", path, Verdict.FAIL, None, "no statement has this name") for path in paths)
    item = ItemVerdict(path="$.medications[1]", verdict=Verdict.FAIL, statement_span=None)
    one = cli.dataclasses.replace(REPORT, findings=orphans, items=(*REPORT.items, item))
    for width in (60, 100):
        text = cli.table(one, SOURCE, {"medications": [{}, {"name": "Zo", "dose": 1}]}, cli.Terminal(width, False, cli._SYMBOLS))
        assert text.count("no statement has") == 1
        assert text.count("FAIL") == 4
        assert "Zo" in text


def drawn(width: int, colour: bool = False, symbols: Any = cli._SYMBOLS) -> str:
    return cli.table(REPORT, SOURCE, PAYLOAD, cli.Terminal(width, colour, symbols))


def test_the_table() -> None:
    assert drawn(100).splitlines()[:4] == [
        "\u2715 FAIL    1 of 2 claims passed, 1 of 2 statements of the source accounted for",
        "NOT CHECKED, by request: $.bill[U+001B]",
        "",
        "VERDICT     FIELD                    PAYLOAD SAYS                    SOURCE SAYS",
    ]
    rows = [line for line in drawn(100).splitlines()[4:] if not line.startswith("   ")]
    assert [row.split("  ")[0] for row in rows] == ["\u2715 FAIL", "? ABSTAIN", "\u2715 FAIL", "\u2713 PASS"]
    assert re.search(r"medications\[0\]\.strength +400 mcg \[U\+001B\]\[31m x +400mg \(line 2\)", rows[0])
    assert re.search(r"\(document\) +nothing", rows[1])
    assert re.search(r"\(in no field\) +Rablet 20mg \(line 3\)", rows[2])
    assert "note: a remark [reference.curated_only, P5]" in drawn(100)
    assert "not said" not in drawn(100), "why something passed is in the JSON and on the page"


@pytest.mark.parametrize("width", [30, 40, 71, 72, 100, 140])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    long = {"medications": [{"name": "Brufen " * 40, "strength": "4" * 200}]}
    lines = cli.table(REPORT, SOURCE, long, cli.Terminal(width, False, cli._SYMBOLS)).splitlines()
    assert max(map(len, lines)) <= width
    assert all(word in drawn(width) for word in ("FAIL", "ABSTAIN", "PASS"))


def test_nothing_from_outside_reaches_the_terminal_as_a_control_sequence() -> None:
    assert not re.search(r"[^\x20-\x7e\n\u2713\u2715]", drawn(100))
    assert set(re.findall(r"\x1b\[([0-9;]*m)?", drawn(100, colour=True))) <= {"0m", "1m", "1;38;5;32m", "1;38;5;166m", "1;38;5;178m"}


def test_colour_only_adds() -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", drawn(100, colour=True)) == drawn(100)


class Screen:
    """Standard output of a chosen kind."""

    def __init__(self, tty: bool, encoding: str) -> None:
        self.encoding = encoding
        self._tty = tty

    def isatty(self) -> bool:
        return self._tty


@pytest.mark.parametrize(
    ("tty", "encoding", "environment", "colour", "symbol"),
    [
        (True, "utf-8", {}, True, "\u2715"),
        (False, "utf-8", {}, False, "\u2715"),
        (True, "utf-8", {"NO_COLOR": "1"}, False, "\u2715"),
        (True, "utf-8", {"TERM": "dumb"}, False, "\u2715"),
        (True, "ascii", {}, True, "x"),
        (False, "cp1252", {}, False, "x"),
    ],
)
def test_what_the_terminal_can_do(
    tty: bool, encoding: str, environment: dict[str, str], colour: bool, symbol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"NO_COLOR": "", "TERM": "xterm", "COLUMNS": "90"}.items():
        monkeypatch.setenv(name, environment.get(name, value))
    monkeypatch.setattr(sys, "stdout", Screen(tty, encoding))
    terminal = cli.Terminal.current()
    assert (terminal.width, terminal.colour, terminal.symbols[Verdict.FAIL]) == (90, colour, symbol)


def test_input_errors_of_the_helpers_name_what_to_do(tmp_path: Path) -> None:
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(cli.MAX_FILE_BYTES + 1)
    with pytest.raises(InputError, match="larger than 32 MiB; give one document"):
        cli.read_source(big, None, None)
