"""A scribe to copy: a doctor's OPD note, a chat model that makes a prescription of it, and the fence that decides what leaves.

    python scribe.py                     # replays recorded replies of a real, tiny model; no network
    python scribe.py --brief             # the same, one line for each note
    python scribe.py --model NAME --base-url http://localhost:8080/v1     # the same chain, live, at any OpenAI-compatible endpoint

A PASS is printed. A FAIL or an ABSTAIN goes to `ask`, which writes the evidence page, and opens it with `--open`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import sys
import webbrowser
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if (HERE.parents[1] / "medfence_guard").is_dir():  # a checkout: the packages need not be installed
    sys.path[:0] = [str(HERE.parents[1] / folder) for folder in ("", "adapters", "refdata")]

from langchain_core.prompts import ChatPromptTemplate  # noqa: E402
from langchain_core.runnables import Runnable  # noqa: E402
from langchain_openai import ChatOpenAI  # noqa: E402

from langchain_medfence import GuardedChain, Prescription  # noqa: E402
from medfence_guard import Outcome, ReviewDecision, ReviewRequest  # noqa: E402

RECORDED = "SmolLM2-135M-Instruct-Q4_1"
CASSETTE = HERE / "cassettes" / "smollm2_135m.yaml"
PAGES = HERE / "pages"

PROMPT = ChatPromptTemplate.from_messages(
    [
        (
            "system",
            (
                "You copy the medicines a doctor's note orders into JSON. Copy every value exactly as the note has it. "
                "Leave out what the note does not say."
            ),
        ),
        ("human", "Sinusitis. Tab Cefixime 200 mg BD after food x 5 days."),
        (
            "ai",
            (
                '{{"medications": [{{"name": "Cefixime", "strength": {{"value": "200", "unit": "mg"}}, "form": "Tab", "frequency": "BD", '
                '"timing": "after food", "duration": "5 days"}}]}}'
            ),
        ),
        ("human", "{note}"),
    ]
)


def scribe(model: ChatOpenAI, review: Any = None) -> Runnable[object, Outcome]:  # noqa: ANN401 - a review function, or a ReviewQueue
    """The chain. Everything a copy of this example changes is in here."""
    # A JSON schema, not the class: OpenAI's client makes every optional field of a class required, and a model then invents values.
    structured = model.with_structured_output(Prescription.model_json_schema(), method="json_schema", include_raw=True)
    return GuardedChain(generate=PROMPT | structured, source="note", review=review)


def ask(request: ReviewRequest, *, in_browser: bool = False) -> ReviewDecision | None:
    """Ask a person. Here: leave the evidence page and decide nothing, so the prescription stays held until somebody does."""
    PAGES.mkdir(exist_ok=True)
    page = PAGES / f"{request.request_id}.html"
    page.write_text(request.to_html(), "utf-8")
    print(f"  for a person: {page.relative_to(Path.cwd()) if page.is_relative_to(Path.cwd()) else page}")
    if in_browser:
        webbrowser.open(page.as_uri())
    return None


def chat_model(name: str, base_url: str) -> ChatOpenAI:
    """Any OpenAI-compatible endpoint. The key is read from OPENAI_API_KEY; local servers need none."""
    key = os.environ.get("OPENAI_API_KEY", "none")
    return ChatOpenAI(model=name, base_url=base_url, api_key=lambda: key, temperature=0, seed=1, max_tokens=256, max_retries=0)


def recorder(mode: str) -> Any:  # noqa: ANN401 - vcrpy is untyped
    """The cassette of recorded replies. A reply belongs to the messages that were sent, wherever the server stood."""
    import vcr

    def messages(request: Any) -> object:  # noqa: ANN401
        return json.loads(request.body)["messages"]

    def same_messages(one: Any, other: Any) -> None:  # noqa: ANN401
        assert messages(one) == messages(other)

    def content_type_only(response: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in response["headers"].items() if name.lower() == "content-type"}
        return {**response, "headers": kept}

    def content_only(request: Any) -> Any:  # noqa: ANN401
        request.headers = {}
        request.uri = "http://localhost/v1/chat/completions"
        return request

    made = vcr.VCR(
        record_mode=mode,
        match_on=["method", "messages"],
        before_record_request=content_only,
        before_record_response=content_type_only,
        decode_compressed_response=True,
    )
    made.register_matcher("messages", same_messages)
    return made.use_cassette(str(CASSETTE), allow_playback_repeats=mode == "none")


@contextlib.contextmanager
def no_network() -> Iterator[None]:
    """Every connection is refused, so that a reply that was not recorded is an error and not a call."""

    def refuse(*_: object) -> None:
        raise OSError("the network is off: this demo replays recorded replies only")

    kept = socket.socket.connect
    socket.socket.connect = refuse  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        socket.socket.connect = kept  # type: ignore[method-assign]


def main(arguments: list[str] | None = None) -> int:
    """Run the notes through the chain and say what left and what was held."""
    parser = argparse.ArgumentParser(description="notes -> chat model -> medfence")
    parser.add_argument("--model", help="run live, with this model")
    parser.add_argument("--base-url", help="of an OpenAI-compatible endpoint, for example http://localhost:8080/v1")
    parser.add_argument("--note", action="append", help="a note of your own (live only); may be repeated")
    parser.add_argument("--open", action="store_true", help="open each evidence page in the browser")
    parser.add_argument("--brief", action="store_true", help="one line for each note, and no evidence pages")
    given = parser.parse_args(arguments)
    if (given.model is None) is not (given.base_url is None):
        parser.error("--model and --base-url go together")
    if given.note and given.model is None:
        parser.error("a note of your own needs a live model: the recorded one has only answered its own notes")
    notes: list[str] = given.note or json.loads((HERE / "notes.json").read_text("utf-8"))
    review = None if given.brief else partial(ask, in_browser=given.open)
    show = brief if given.brief else full
    if given.model is not None:
        return show(scribe(chat_model(given.model, given.base_url), review), notes)
    print(f"Recorded replies of {RECORDED}, a real model and a tiny one (135 million parameters).")
    print("They show what the fence does, and say nothing about what models can do.")
    with recorder("none"), no_network():
        return show(scribe(chat_model(RECORDED, "http://localhost/v1"), review), notes)


def full(chain: Runnable[object, Outcome], notes: list[str]) -> int:
    """Each note with its outcome; then the count."""
    released = 0
    for note in notes:
        print(f"\n{note}")
        outcome = chain.invoke({"note": note})
        print(f"  {verdict(outcome)}, {outcome.status.name}")
        if outcome.released:
            released += 1
            print(f"  {json.dumps(outcome.payload, ensure_ascii=False)}")
        elif outcome.request is not None:
            for item in outcome.request.items[:3]:
                print(f"  {item.path}: {item.sentence}")
    return count(notes, released)


def brief(chain: Runnable[object, Outcome], notes: list[str]) -> int:
    """Each note on one line, with the first reason for holding the record made of it; then the count."""
    released = 0
    for note in notes:
        outcome = chain.invoke({"note": note})
        released += outcome.released
        first = "" if outcome.request is None else f"  {outcome.request.items[0].sentence.splitlines()[0]}"
        print(f"{verdict(outcome):8}{note[:48]:50}{'released' if outcome.released else 'held'}{first[:70]}")
    return count(notes, released)


def verdict(outcome: Outcome) -> str:
    """PASS, FAIL or ABSTAIN; or that there was nothing to verify."""
    return "no report" if outcome.report is None else outcome.report.overall.name


def count(notes: list[str], released: int) -> int:
    """The last line, and the exit code: to hold is no error."""
    print(f"\n{len(notes)} notes: {released} released, {len(notes) - released} held for a person.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
