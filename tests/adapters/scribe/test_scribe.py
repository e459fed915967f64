"""The scribe example on its recorded replies: no network, no reply that was not recorded, and the mistakes of a real model held."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("langchain_openai")
pytest.importorskip("vcr")

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "scribe"
NOTES = json.loads((FOLDER / "notes.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def scribe():
    spec = importlib.util.spec_from_file_location("scribe", FOLDER / "scribe.py")
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = path
    return module


@pytest.fixture(scope="module")
def outcomes(scribe):
    with scribe.recorder("none"), scribe.no_network():
        chain = scribe.scribe(scribe.chat_model(scribe.RECORDED, "http://127.0.0.1:9/v1"))
        return {note: chain.invoke({"note": note}) for note in NOTES}


def test_every_reply_was_recorded_and_could_be_read(outcomes):
    assert len(outcomes) >= 8
    assert not [note for note, outcome in outcomes.items() if "Reason:" in outcome.why or outcome.report is None]


def test_what_leaves_is_what_the_note_says(outcomes):
    released = {note: outcome.payload for note, outcome in outcomes.items() if outcome.released}
    assert list(released) == ["Knee pain. Tab Brufen 400 mg BD after food x 5 days."]
    [medication] = next(iter(released.values()))["medications"]
    assert (medication["strength"], medication["frequency"], medication["duration"]) == ({"value": "400", "unit": "mg"}, "BD", "5 days")


INVENTED = {
    "BP 150/90. Start Tab Telma 40 mg OD x 30 days.": "$.medications[0].name",
    "HTN. Tab Amlong 5 mg OD x 30 days.": "$.medications[0].strength",
    "Heart failure. Tab Lasix 40 mg OD x 15 days.": "$.medications[0].frequency",
    "Cellulitis. Tab Augmentin 625 mg BD x 7 days.": "$.medications[0].timing",
    "Review after one week. No medicines today.": "$.medications[0].name",
    "Fever. Tab Dolo 650 mg TDS x 3 days. Tab Cetirizine 10 mg HS x 3 days.": "$.medications",
}


@pytest.mark.parametrize("note", INVENTED)
def test_a_real_models_mistake_is_held_where_it_is(note, outcomes):
    assert outcomes[note].report.at(INVENTED[note]).value == "fail"


def test_the_counts_in_the_readme_are_these(outcomes):
    verdicts = [outcome.report.overall.name for outcome in outcomes.values()]
    table = dict(re.findall(r"^\| (PASS|ABSTAIN|FAIL) \| (\d+) \|", (FOLDER / "README.md").read_text("utf-8"), re.MULTILINE))
    assert {name: int(count) for name, count in table.items()} == {name: verdicts.count(name) for name in ("PASS", "ABSTAIN", "FAIL")}


def test_the_cassette_names_its_model_and_nothing_of_the_machine():
    text = (FOLDER / "cassettes" / "smollm2_135m.yaml").read_text("utf-8")
    assert "tiny model" in text.partition("interactions:")[0]
    assert text.count("SmolLM2-135M-Instruct-Q4_1") >= 2 * len(NOTES)
    assert not re.search(r"(?i)authorization|api[_-]key|\.gguf|/(?:home|root|users)/|127\.0\.0\.1", text)


def test_the_demo_prints_each_note_and_writes_the_evidence_pages(scribe, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scribe, "PAGES", tmp_path)
    assert scribe.main([]) == 0
    printed = capsys.readouterr().out
    assert all(note in printed for note in NOTES)
    assert "30 notes: 1 released, 29 held for a person." in printed
    assert len(list(tmp_path.glob("rr_*.html"))) == 29


def test_brief_gives_each_note_one_line_and_writes_no_page(scribe, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scribe, "PAGES", tmp_path)
    assert scribe.main(["--brief"]) == 0
    *_, last = lines = capsys.readouterr().out.splitlines()
    assert last == "30 notes: 1 released, 29 held for a person."
    assert [sum(line.startswith(f"{verdict:8}") for line in lines) for verdict in ("PASS", "ABSTAIN", "FAIL")] == [1, 4, 25]
    assert sum(" held" in line for line in lines[:-1]) == 29
    assert not list(tmp_path.iterdir())


def test_a_note_that_was_not_recorded_is_held_and_calls_nobody(scribe):
    with scribe.recorder("none"), scribe.no_network():
        outcome = scribe.scribe(scribe.chat_model(scribe.RECORDED, "http://127.0.0.1:9/v1")).invoke({"note": "Tab Dolo 500 mg OD"})
    assert not outcome.released
    assert "generating the answer raised" in outcome.why


@pytest.mark.parametrize("wrong", [["--model", "x"], ["--base-url", "http://localhost"], ["--note", "Tab Dolo 650 mg SOS"]])
def test_half_an_endpoint_is_a_usage_error(wrong, scribe):
    with pytest.raises(SystemExit):
        scribe.main(wrong)
