"""The command line: files in, a table and an exit code out. Everything it does can be done with the library.

Exit codes of `verify`: 0 PASS, 1 FAIL, 3 ABSTAIN, 2 when an input cannot be used. Whatever goes wrong is one line on standard error.

To add a command: one row in `COMMANDS`.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from medfence_guard import __version__
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.contract import MODALITIES, Extraction, SourceDocument, Verdict, VerificationReport
from medfence_guard.errors import BundleError, InputError, MedfenceError
from medfence_guard.html.entries import Entry, Place, entries_of
from medfence_guard.html.values import MISSING, shown, values_by_path
from medfence_guard.html.visible import visible
from medfence_guard.refdata_commands import add_refdata_parser, refdata_command
from medfence_guard.release.commands import add_audit_parser, add_review_parser, audit_command, review_command
from medfence_guard.report import json_schema

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

EXIT_CODES: Mapping[Verdict, int] = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.ABSTAIN: 3}
UNUSABLE = 2
INTERRUPTED = 130

MAX_FILE_BYTES = 32 * 1024 * 1024
"""Read no more than this; what is too large to be verified is far smaller and gets its ABSTAIN from `verify()`."""


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand: `add` builds its parser, `run` does it and returns the exit code."""

    add: Callable[[Subparsers], argparse.ArgumentParser]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Only argparse itself exits (0 for --help, 2 for wrong usage)."""
    parser = argparse.ArgumentParser(
        prog="medfence-guard",
        description="A deterministic, fail-closed check that an extraction says what its source says.",
        epilog="Health data: what this prints and writes shows what the source says of a person.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(subparsers).set_defaults(run=command.run)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter must not cost the verdict
    try:
        args = parser.parse_args(argv)
        code: int = args.run(args)
        sys.stdout.flush()
        return code
    except MedfenceError as error:
        return _complain(error.diagnostics())
    except BrokenPipeError:
        _abandon_output()
        return UNUSABLE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - a person at a terminal gets a sentence; and a crash must never look like exit code 1
        return _complain(f"internal.error: {type(error).__name__} inside medfence-guard; nothing was verified. Please report it")


def _complain(sentence: str) -> int:
    sys.stderr.write(f"medfence-guard: {visible(sentence)}\n")
    return UNUSABLE


def _say(text: str) -> None:
    """Write to standard output. A reader that has gone away (`| head -1`) does not change the verdict."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _abandon_output()


def _abandon_output() -> None:
    """Python flushes standard output once more when it exits; give it somewhere to flush to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# ---- verify -----------------------------------------------------------------------------------------------------


def _add_verify(subparsers: Subparsers) -> argparse.ArgumentParser:
    told = "check one extraction against its source; exit 0 PASS, 1 FAIL, 3 ABSTAIN, 2 unusable input"
    parser = subparsers.add_parser("verify", help=told, description=told)
    parser.add_argument(
        "--source", type=Path, required=True, metavar="FILE", help="plain text, Tesseract TSV or hOCR, told apart by content"
    )
    parser.add_argument("--extraction", type=Path, required=True, metavar="FILE", help="what the model made of it, as JSON")
    parser.add_argument(
        "--modality", choices=MODALITIES, help="how the text came about; default: ocr for TSV and hOCR, text for plain text"
    )
    parser.add_argument(
        "--ocr-confidence", type=float, metavar="X", help="confidence of the whole document, 0 to 1, if the words carry none"
    )
    default = next(iter(ARTIFACT_TYPES))
    parser.add_argument("--artifact-type", default=default, metavar="TYPE", help=f"{', '.join(ARTIFACT_TYPES)}; default: {default}")
    parser.add_argument("--rulepack", type=Path, metavar="PATH", help="rulepack folder; default: the one that comes with the package")
    parser.add_argument(
        "--jurisdiction", metavar="CC", help="whose reference data: in, us, or both as in,us; default: in; refuses another --rulepack"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON instead of the table (see `schema`)")
    parser.add_argument("--html", type=Path, metavar="OUT", help="also write the evidence page to this file")
    parser.add_argument("--images", type=Path, nargs="+", default=[], metavar="PAGE", help="page images for it, PNG or JPEG, in page order")
    return parser


def _verify(args: argparse.Namespace) -> int:
    from medfence_guard.rulepack import Rulepack
    from medfence_guard.verify import verify

    source = read_source(args.source, args.modality, args.ocr_confidence)
    payload = _read(args.extraction, "--extraction")
    codes = args.jurisdiction.split(",") if args.jurisdiction is not None else None
    if args.rulepack is not None:
        rulepack = Rulepack.load(args.rulepack)
        if codes is not None and [rulepack.jurisdiction] != codes:
            raise BundleError("bundle.jurisdiction", f"--rulepack is for jurisdiction {rulepack.jurisdiction!r}, not {args.jurisdiction!r}")
    else:
        rulepack = Rulepack.default(codes or "in")
    report = verify(Extraction(args.artifact_type, payload), source, rulepack)
    if args.html:
        images = {number: _read(path, "--images") for number, path in enumerate(args.images, start=1)}
        _write_file(args.html, report.to_html(source, payload, images), "--html")
    if args.json:
        _say(report.to_json() + "\n")
    else:
        _say(table(report, source, payload, Terminal.current()) + (f"\nEvidence page: {args.html}\n" if args.html else ""))
    return EXIT_CODES[report.overall]


def read_source(path: Path, modality: str | None, ocr_confidence: float | None) -> SourceDocument:
    """The source from a file. Its first characters decide what it is; `modality` None means what that implies."""
    text = _decoded(_read(path, "--source"), "--source")
    if text.startswith("level\tpage_num\t"):
        source = SourceDocument.from_tesseract_tsv(text)
    elif text.lstrip().startswith("<") and "ocr_page" in text:
        source = SourceDocument.from_hocr(text)
    else:
        if ocr_confidence is not None and modality is None:
            raise InputError("cli.modality", "--ocr-confidence speaks of recognised text: add --modality ocr (or drop it for typed text)")
        return SourceDocument(text, modality or MODALITIES[0], ocr_confidence)
    if modality not in (None, source.modality):
        raise InputError("cli.modality", f"--source holds words recognised by OCR, which --modality {modality} contradicts: leave it out")
    return dataclasses.replace(source, ocr_confidence=ocr_confidence)


def _read(path: Path, option: str) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError("cli.file", f"{option}: the file cannot be read ({reason}); check the path {path}") from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError("cli.file", f"{option}: the file is larger than {MAX_FILE_BYTES >> 20} MiB; give one document")
    return data


def _decoded(data: bytes, option: str) -> str:
    """The text of a file; a byte order mark is the file's, not the document's."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            "cli.encoding", f"{option}: not UTF-8 text (byte {error.start}); save it as UTF-8, images must be recognised first"
        ) from None
    if "\x00" in text:
        raise InputError("cli.encoding", f"{option}: holds null characters; this is not a text file")
    return text


def _write_file(path: Path, text: str, option: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="strict", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise InputError("cli.file", f"{option}: the file cannot be written ({reason}); check the path {path}") from None


# ---- the table --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Terminal:
    """Where the table goes. Colour only helps; the word and the symbol carry the verdict."""

    width: int
    colour: bool
    symbols: Mapping[Verdict, str]

    @classmethod
    def current(cls) -> Terminal:
        """The one behind standard output. A pipe gets no colour; an encoding without the symbols gets ASCII ones."""
        encoding = sys.stdout.encoding or "ascii"
        try:
            "".join(_SYMBOLS.values()).encode(encoding)
            symbols = _SYMBOLS
        except (UnicodeEncodeError, LookupError):
            symbols = _ASCII_SYMBOLS
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(max(30, min(shutil.get_terminal_size((100, 24)).columns, 140)), colour, symbols)

    def verdict(self, verdict: Verdict, width: int = 0) -> str:
        """`✕ FAIL`, padded to `width` cells."""
        word = f"{self.symbols[verdict]} {verdict.name}".ljust(width)
        return f"\x1b[1;38;5;{_COLOURS[verdict]}m{word}\x1b[0m" if self.colour else word

    def strong(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text


_SYMBOLS = {Verdict.PASS: "\u2713", Verdict.FAIL: "\u2715", Verdict.ABSTAIN: "?"}
_ASCII_SYMBOLS = {Verdict.PASS: "+", Verdict.FAIL: "x", Verdict.ABSTAIN: "?"}
# Blue, vermillion, orange of the Okabe-Ito palette, as near as 256 colours come on light and dark ground.
_COLOURS = {Verdict.PASS: 32, Verdict.FAIL: 166, Verdict.ABSTAIN: 178}

_NARROW = 72
_VERDICT_WIDTH = 10


def table(report: VerificationReport, source: SourceDocument, payload: object, terminal: Terminal) -> str:
    """The report for a terminal: what is held first, each with its reasons, then what passed."""
    values = values_by_path(payload)
    head = (
        f"{report.coverage.verified} of {report.coverage.claims} claims passed, "
        f"{report.completeness.accounted} of {report.completeness.statements} statements of the source accounted for"
    )
    told = _wrapped(head, _VERDICT_WIDTH, terminal.width)
    lines = [f"{terminal.verdict(report.overall, _VERDICT_WIDTH)}{told[0].strip()}", *told[1:]]
    if report.not_checked:
        lines += _wrapped("NOT CHECKED, by request: " + ", ".join(map(visible, report.not_checked)), 0, terminal.width)
    lines.append("")
    entries = [entry for entry in entries_of(report) if entry.place is not Place.HEAD]
    rows = [(entry, _field(entry), *_sides(entry, source, values)) for whole in entries for entry in (whole, *whole.parts)]
    parts = {part.path for whole in entries for part in whole.parts}  # their item has said why
    if terminal.width < _NARROW:
        for entry, field, said, found in rows:
            first, *more = _wrapped(field, _VERDICT_WIDTH + 2, terminal.width)
            lines.append(f"{terminal.verdict(entry.verdict, _VERDICT_WIDTH)}  {terminal.strong(first.strip())}")
            lines += more
            lines += _wrapped(f"payload: {said}", 4, terminal.width) if said else []
            lines += _wrapped(f"source:  {found}", 4, terminal.width)
            lines += _reasons(entry, 4, terminal) if entry.path not in parts else []
    else:
        field_width = min(max((len(field) for _, field, _, _ in rows), default=5), terminal.width * 3 // 10)
        side = (terminal.width - _VERDICT_WIDTH - field_width - 3 * 2) // 2  # two spaces between four columns
        widths = (field_width, side, side)
        lines.append(_row("VERDICT".ljust(_VERDICT_WIDTH), ("FIELD", "PAYLOAD SAYS", "SOURCE SAYS"), widths))
        for entry, field, said, found in rows:
            lines.append(_row(terminal.verdict(entry.verdict, _VERDICT_WIDTH), (field, said, found), widths))
            lines += _reasons(entry, _VERDICT_WIDTH + 2, terminal) if entry.path not in parts else []
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _row(first: str, cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    """One row; a cell that is too long goes on below itself."""
    columns = [textwrap.wrap(cell, width, break_on_hyphens=False) or [""] for cell, width in zip(cells, widths, strict=True)]
    height = max(map(len, columns))
    padded = [
        [part.ljust(width) for part in (*column, *[""] * (height - len(column)))] for column, width in zip(columns, widths, strict=True)
    ]
    firsts = [first, *[" " * _VERDICT_WIDTH] * (height - 1)]
    return "\n".join("  ".join(parts).rstrip() for parts in zip(firsts, *padded, strict=True))


def _field(entry: Entry) -> str:
    if entry.place is Place.STATEMENT:
        return "(in no field)"
    return visible(entry.path.removeprefix("$.")) if entry.path != "$" else "(document)"


def _sides(entry: Entry, source: SourceDocument, values: Mapping[str, object]) -> tuple[str, str]:
    """What the payload says at this path, and what the source says about it."""
    value = values.get(entry.path, MISSING)
    is_container = entry.path == "$" or entry.place is Place.STATEMENT or (entry.item is not None and entry.path == entry.item.path)
    said = "" if value is MISSING or is_container else visible(shown(value))
    places = [f"{visible(source.text[s.start : s.end])} (line {source.text.count(chr(10), 0, s.start) + 1})" for s in entry.spans]
    return said, "; ".join(places) or "nothing"


def _reasons(entry: Entry, indent: int, terminal: Terminal) -> list[str]:
    """Why an entry is held, and the notes on one that passed."""
    told: list[str] = []
    for finding in entry.findings:
        if finding.verdict is Verdict.PASS and finding.severity.value != "minor":
            continue
        ids = dict.fromkeys((finding.check_id, *(evidence.rule_id for evidence in finding.evidence if evidence.rule_id)))
        note = "note: " if finding.verdict is Verdict.PASS else ""
        told.append(f"{note}{visible(finding.message)} [{', '.join(ids)}]")
    return [line for reason in dict.fromkeys(told) for line in _wrapped(reason, indent, terminal.width)]


def _wrapped(text: str, indent: int, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)


# ---- demo -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DemoCase:
    """One of the shipped examples, and the verdict it must get."""

    title: str
    source: str
    image: str
    extraction: str
    verdict: Verdict
    page: str


DEMO = (
    DemoCase(
        "A printed prescription, extracted faithfully", "printed.tsv", "printed.png", "printed_faithful.json", Verdict.PASS, "1_pass.html"
    ),
    DemoCase(
        "The same page; in the extraction mg became mcg, one drug is invented and one dropped",
        "printed.tsv",
        "printed.png",
        "printed_faulty.json",
        Verdict.FAIL,
        "2_fail.html",
    ),
    DemoCase(
        "A handwritten page whose digits the OCR engine is unsure of; the extraction is right, but nobody can know",
        "handwritten.tsv",
        "handwritten.png",
        "handwritten.json",
        Verdict.ABSTAIN,
        "3_abstain.html",
    ),
)

DEMO_DATA = Path(__file__).parent / "demo_data"


def _add_demo(subparsers: Subparsers) -> argparse.ArgumentParser:
    told = "verify the shipped examples (one PASS, one FAIL, one ABSTAIN) and write their evidence pages"
    parser = subparsers.add_parser("demo", help=told, description=told)
    parser.add_argument("--html-dir", type=Path, metavar="DIR", help="folder for the pages; default: a new temporary one")
    return parser


def _demo(args: argparse.Namespace) -> int:
    """0 when every example got the verdict it must get, else 1."""
    from medfence_guard.verify import verify

    terminal = Terminal.current()
    folder = _demo_folder(args.html_dir)
    as_wanted = True
    for number, case in enumerate(DEMO, start=1):
        source = read_source(DEMO_DATA / case.source, None, None)
        payload = _read(DEMO_DATA / case.extraction, "demo")
        report = verify(Extraction(next(iter(ARTIFACT_TYPES)), payload), source)
        _write_file(folder / case.page, report.to_html(source, payload, {1: _read(DEMO_DATA / case.image, "demo")}), "--html-dir")
        heading = "\n".join(_wrapped(f"{number}. {case.title}", 0, terminal.width))
        _say(f"{terminal.strong(heading)}\n{table(report, source, payload, terminal)}\n")
        as_wanted = as_wanted and report.overall is case.verdict
    pages = "\n".join(f"  {folder / case.page}" for case in DEMO)
    _say(f"Evidence pages, to open in a browser:\n{pages}\n")
    return 0 if as_wanted else 1


def _demo_folder(wanted: Path | None) -> Path:
    if wanted is None:
        return Path(tempfile.mkdtemp(prefix="medfence-demo-"))
    try:
        wanted.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("cli.file", f"--html-dir: the folder cannot be made ({error.strerror}); check the path {wanted}") from None
    return wanted


# ---- schema --------------------------------------------------------------------------------------


def _add_schema(subparsers: Subparsers) -> argparse.ArgumentParser:
    told = "print the JSON Schema of the report"
    return subparsers.add_parser("schema", help=told, description=told)


def _schema(_args: argparse.Namespace) -> int:
    _say(json.dumps(json_schema(), indent=2) + "\n")
    return 0


COMMANDS = (
    Command(_add_verify, _verify),
    Command(_add_demo, _demo),
    Command(_add_schema, _schema),
    Command(add_audit_parser, audit_command),
    Command(add_review_parser, review_command),
    Command(add_refdata_parser, refdata_command),
)
