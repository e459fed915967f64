"""The README and the pages it leads to hold what they promise: their code runs, their links lead somewhere, their commands exist."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted(ROOT.glob("*/README.md"))]
WITH_CODE = [page for page in PAGES if "```python" in page.read_text("utf-8") and page.parent.name != "examples"]

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FRAMEWORKS = ("langchain_core", "guardrails")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.usefixtures("loop")  # Guardrails takes the thread's
@pytest.mark.parametrize("page", WITH_CODE, ids=name)
def test_the_code_of_a_page_runs_and_prints_what_it_shows(page: Path) -> None:
    """All python blocks of a page share one namespace; a text block shows what the blocks since the last one print."""
    text = page.read_text("utf-8")
    if any(framework.partition("_")[0] + "_medfence" in code for framework in FRAMEWORKS for _, code in FENCED.findall(text)):
        for framework in FRAMEWORKS:
            pytest.importorskip(framework)
    namespace: dict[str, Any] = {"__name__": page.stem}
    printed = io.StringIO()
    for language, block in FENCED.findall(text):
        if language == "python":
            with contextlib.redirect_stdout(printed):
                exec(compile(block, name(page), "exec"), namespace)
        elif language == "text":
            assert printed.getvalue() == block
            printed = io.StringIO()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", FENCED.sub("", page.read_text("utf-8")))
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_make_commands_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)) <= targets


def test_the_help_shown_is_the_help_printed() -> None:
    shown = [block for _, block in FENCED.findall(README) if block.startswith("$ medfence-guard")]
    assert shown
    for block in shown:
        command, _, expected = block.partition("\n")
        environment = {**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)}
        arguments = [sys.executable, "-m", "medfence_guard", *command.split()[2:]]
        done = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)
        # Python's argparse breaks lines differently from version to version; the words are ours
        assert (done.returncode, done.stdout.split()) == (0, expected.split())


@pytest.mark.parametrize("statement", re.findall(r"`(from \w+ import \w+)`", README))
def test_the_imports_of_the_table_work(statement: str) -> None:
    _, module, _, wanted = statement.split()
    if module != "medfence_guard":
        pytest.importorskip({"langchain_medfence": "langchain_core", "guardrails_medfence": "guardrails"}[module])
    assert hasattr(importlib.import_module(module), wanted)


def test_the_refusals_are_named() -> None:
    section = README.partition("## What it is not")[2].partition("\n## ")[0]
    assert all(
        f"**{refusal}" in section for refusal in ("interactions", "dosing for a patient", "correction", "model as judge", "transcripts")
    )
