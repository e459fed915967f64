"""Thirty-five ways in which Guardrails AI 0.11 hands out what was not verified, each shown open and then shown closed.

Where a hole can be shown, it is shown first, on a guard of Guardrails' own with a validator that only returns its results. If a release of
Guardrails closes one, that half fails, and it is time to look whether ours is still needed.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, Optional

import pytest
from guardrails import AsyncGuard, Guard, OnFailAction
from guardrails.errors import ValidationError
from guardrails.settings import settings
from guardrails.validator_base import Validator, register_validator, validators_registry
from guardrails_ai.types import FailResult, PassResult
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel, Field

from guardrails_medfence import ClinicalFidelity, SealedGuard, VerificationBlocked
from medfence_guard import AuditLog, ContractError, OutcomeStatus, Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # calling a model function imports this, and it warns of its own dependencies
    import litellm  # noqa: F401

WRONG = "50 mg"


def words(value):
    return value if isinstance(value, str) else json.dumps(value)


class Theirs(Validator):
    """A validator that reports what it finds the way Guardrails teaches. It counts its calls."""

    def __init__(self, on_fail=None, **options):
        super().__init__(on_fail=on_fail, **options)
        self.calls = 0


@register_validator(name="tests/reporting", data_type="all")
class Reporting(Theirs):
    """What a fidelity check looks like without raising: the wrong strength is a FailResult."""

    def _validate(self, value, metadata):
        self.calls += 1
        return FailResult(error_message="not the source's strength") if WRONG in words(value) else PassResult()


@register_validator(name="tests/fixing", data_type="all")
class Fixing(Theirs):
    """Always has a fix: what it is given, unless told another."""

    def __init__(self, to=None, on_fail="fix"):
        super().__init__(on_fail=on_fail)
        self.to = to

    def _validate(self, value, metadata):
        return FailResult(error_message="style", fix_value=value if self.to is None else self.to)


@register_validator(name="tests/doing", data_type="all")
class Doing(Theirs):
    """Does something to the value or metadata it is given, and returns what that returns."""

    def __init__(self, act=None, on_fail="noop"):
        super().__init__(on_fail=on_fail)
        self.act = act

    def _validate(self, value, metadata):
        self.calls += 1
        return self.act(value, metadata)


def passing(act):
    return Doing(lambda value, metadata: (act(value, metadata), PassResult())[1])


class Medication(BaseModel):
    name: str
    strength: str
    frequency: str
    duration: str


class Prescription(BaseModel):
    medications: list[Medication]


class Loose(BaseModel):
    """Everything optional, as people write it to make a model's life easy."""

    medications: list[dict[str, Any]] | None = None
    note: str | None = None


def source_of(rx):
    return {"metadata": {"medfence_source": rx.source}}


def closed(engine, rx, raw, *validators, source=None, **options):
    """The sealed guard holds it, and says how the fence judged the text."""
    outcome = engine.seal(SealedGuard(*validators, **options), raw, rx.source if source is None else source)
    assert outcome.status is OutcomeStatus.HELD
    with pytest.raises(ContractError):
        _ = outcome.payload
    return outcome


def blocked(engine, rx, guard, raw, source=None):
    with pytest.raises(VerificationBlocked):
        engine.validate(guard, raw, metadata={"medfence_source": rx.source if source is None else source})


# ---- the validator never runs ----


def test_f01_json_null_is_never_validated(engine, rx):
    reporting = Reporting()
    result = engine.validate(engine.guard.for_pydantic(Loose).use(reporting, on="$"), "null")
    assert (result.validation_passed, result.validated_output, reporting.calls) == (True, None, 0)
    assert closed(engine, rx, "null", schema=Loose).report.overall is Verdict.ABSTAIN
    assert closed(engine, rx, "null").report.overall is Verdict.ABSTAIN


@pytest.mark.parametrize("on", ["$.m.*.dose", "$.medications[*].strength", "$.medication", "messages", "medications"])
def test_f02_a_validator_on_a_path_that_matches_nothing(engine, rx, on):
    reporting = Reporting(on_fail="exception")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # "Unusual 'on' value", at best
        guard = engine.guard.for_pydantic(Prescription).use(reporting, on=on)
    assert (engine.validate(guard, rx.bad_text).validation_passed, reporting.calls) == (True, 0)
    closed(engine, rx, rx.bad_text, schema=Prescription)


def test_f02_a_second_use_replaces_the_first(engine, rx):
    reporting = Reporting(on_fail="exception")
    guard = engine.guard().use(reporting).use(passing(lambda value, metadata: None))
    assert (engine.validate(guard, rx.bad_text).validation_passed, reporting.calls) == (True, 0)
    closed(engine, rx, rx.bad_text, passing(lambda value, metadata: None))


HINTS = {
    "list[Model]": lambda m: list[m],  # the one that works, so that the others are known to fail for their hint
    "Model | None": lambda m: m | None,
    "list[Model] | None": lambda m: list[m] | None,
    "Optional[list[Model]]": lambda m: Optional[list[m]],  # noqa: UP045
    "list[Optional[Model]]": lambda m: list[Optional[m]],  # noqa: UP045
    "tuple[Model, ...]": lambda m: tuple[m, ...],
    "Sequence[Model]": lambda m: Sequence[m],
    "list[list[Model]]": lambda m: list[list[m]],
    "dict[str, Model]": lambda m: dict[str, m],
    "dict[str, list[Model]]": lambda m: dict[str, list[m]],
}


@pytest.mark.parametrize("hint", HINTS)
def test_f03_validators_of_fields_under_most_type_hints_are_dropped(engine, rx, hint):
    reporting = Reporting(on_fail="exception")

    class Item(BaseModel):
        name: str
        strength: Annotated[str, Field(json_schema_extra={"validators": [reporting]})]
        frequency: str
        duration: str

    schema = type("Record", (BaseModel,), {"__annotations__": {"medications": HINTS[hint](Item)}})
    item = rx.bad["medications"][1]
    shaped = {"Model | None": item, "list[list[Model]]": [[item]], "dict[str, Model]": {"a": item}, "dict[str, list[Model]]": {"a": [item]}}
    raw = json.dumps({"medications": shaped.get(hint, [item])})
    guard = engine.guard.for_pydantic(schema)
    if hint == "list[Model]":
        with pytest.raises(ValidationError):
            engine.validate(guard, raw)
    else:
        assert (engine.validate(guard, raw).validation_passed, reporting.calls) == (True, 0)
    closed(engine, rx, raw, schema=schema)


def test_f04_a_serialised_guard_loses_its_validators(engine, rx):
    kept = engine.guard().use(ClinicalFidelity()).to_dict()
    kept.pop("history", None)
    with pytest.raises(ContractError, match="serialised"):
        engine.guard.from_dict(kept)

    kept["validators"][0]["id"] = "tests/nowhere"
    with pytest.warns(UserWarning, match="Ignoring"):
        assert engine.validate(engine.guard.from_dict(kept), rx.bad_text).validation_passed
    closed(engine, rx, rx.bad_text)
    with pytest.raises(ContractError, match="instances"):
        SealedGuard((Reporting(),))


# ---- the validator runs, and its answer is lost ----


def test_f05_a_null_key_turns_a_failure_into_a_pass(engine, rx):
    raw = json.dumps(rx.bad | {"note": None})
    result = engine.validate(engine.guard.for_pydantic(Loose).use(Reporting(on_fail="noop"), on="$"), raw)
    assert result.validation_passed is True
    assert WRONG in words(result.validated_output)
    blocked(engine, rx, engine.guard.for_pydantic(Loose).use(ClinicalFidelity(on_fail="noop"), on="$"), raw)
    closed(engine, rx, raw, Reporting(on_fail="noop"), schema=Loose)


def test_f06_a_validator_that_returns_nothing_or_somebody_elses_class(engine, rx):
    class Foreign:
        outcome = "fail"
        error_message = "wrong"
        metadata = None
        value_override = PassResult.ValueOverrideSentinel

    for answer in (None, Foreign()):
        theirs = Doing(lambda value, metadata, answer=answer: answer, on_fail="exception")
        if engine.name != "sequential":  # which refuses both
            assert engine.validate(engine.guard().use(theirs), rx.bad_text).validation_passed
        closed(engine, rx, rx.bad_text, theirs)
    metadata = {"medfence_source": rx.source}
    assert type(ClinicalFidelity().validate(rx.good_text, metadata)) is PassResult
    assert type(ClinicalFidelity(mode="result").validate(rx.bad_text, metadata)) is FailResult


def test_f07_another_validators_fix_outvotes_the_failure(engine, rx):
    guard = engine.guard().use(Reporting(on_fail="noop"), Fixing(rx.bad_text + " "))
    result = engine.validate(guard, rx.bad_text)
    assert result.validation_passed is True
    assert WRONG in result.validated_output
    blocked(engine, rx, engine.guard().use(ClinicalFidelity(on_fail="noop"), Fixing(rx.bad_text + " ")), rx.bad_text)
    closed(engine, rx, rx.bad_text, Reporting(on_fail="noop"), Fixing(rx.bad_text + " "))


def test_f08_a_fix_without_a_value_beside_another_fix(engine, rx):
    passed = set()
    for order in ((Reporting(on_fail="fix"), Fixing(rx.bad_text + " ")), (Fixing(rx.bad_text + " "), Reporting(on_fail="fix"))):
        passed.add(engine.validate(engine.guard().use(*order), rx.bad_text).validation_passed)
        closed(engine, rx, rx.bad_text, *order)
    assert True in passed
    for validators in ((ClinicalFidelity(), Fixing()), (Fixing(), ClinicalFidelity())):
        next(v for v in validators if isinstance(v, ClinicalFidelity)).on_fail_descriptor = OnFailAction.FIX
        blocked(engine, rx, engine.guard().use(*validators), rx.bad_text)


@pytest.mark.parametrize("on_fail", ["fix", "reask", "fix_reask"])
def test_f09_a_fix_value_passes_unverified(engine, rx, on_fail):
    theirs = Fixing(rx.bad_text, on_fail=on_fail)
    assert engine.validate(engine.guard().use(Fixing(rx.bad_text)), rx.good_text).validated_output == rx.bad_text
    closed(engine, rx, rx.good_text, theirs)
    assert ClinicalFidelity(mode="result").validate(rx.bad_text, {"medfence_source": rx.source}).fix_value is None
    with pytest.raises(ContractError, match="refused"):
        ClinicalFidelity(on_fail=on_fail)


@pytest.mark.parametrize("answer", ["PENDING HUMAN REVIEW", "corrected", {}, "", None])
def test_f10_what_an_on_fail_function_returns_is_released(engine, rx, answer):
    answer = rx.text(strength="5 g") if answer == "corrected" else answer
    refusing = Doing(lambda value, metadata: FailResult(error_message="ask"), on_fail=lambda value, result: answer)
    if answer:
        result = engine.validate(engine.guard().use(refusing), rx.good_text)
        assert (result.validation_passed, result.validated_output) == (True, answer)
    closed(engine, rx, rx.good_text, refusing)
    with pytest.raises(ContractError, match="refused"):
        ClinicalFidelity(on_fail=lambda value, result: answer)


def test_f11_an_on_fail_function_that_changes_the_value_in_place(engine, rx):
    def act(value, result):
        value["medications"][1]["strength"] = "5 g"
        return value

    asked = []
    refusing = Doing(lambda value, metadata: FailResult(error_message="ask"), on_fail=act)
    result = engine.validate(engine.guard.for_pydantic(Prescription).use(refusing, on="$"), rx.good_text)
    assert "5 g" in words(result.validated_output)
    closed(engine, rx, rx.good_text, refusing, schema=Prescription, review=asked.append)
    closed(engine, rx, rx.bad_text, refusing, schema=Prescription, review=asked.append)
    assert ["5 g" in request.summary for request in asked if request.verdict is Verdict.FAIL][-1:] == [False]


# ---- what is handed out is not what was verified ----


def test_f12_another_validator_fixes_what_ours_has_passed(engine, rx):
    ours, theirs = ClinicalFidelity(), Fixing(rx.bad_text)
    result = engine.validate(engine.guard().use(ours, theirs), rx.good_text, **source_of(rx))
    assert (result.validation_passed, result.validated_output) == (True, rx.bad_text)
    closed(engine, rx, rx.good_text, theirs)


def test_f13_another_validator_changes_the_shared_object(engine, rx):
    theirs = passing(lambda value, metadata: value["medications"][1].update(strength=WRONG))
    result = engine.validate(engine.guard.for_pydantic(Prescription).use(theirs, on="$"), rx.good_text)
    assert result.validation_passed is True
    assert WRONG in words(result.validated_output)
    assert closed(engine, rx, rx.good_text, theirs, schema=Prescription).report.overall is Verdict.FAIL


def test_f14_what_one_call_leaves_behind_asks_nobody_in_the_next(engine, rx, tmp_path):
    """A validator that raises leaves its neighbours' work in the loop of the thread. Nobody is asked in there."""
    asked = []
    theirs = Doing(lambda value, metadata: 1 / 0 if "Dolo" in words(value) else PassResult())
    sealed = SealedGuard(theirs, Reporting(), review=lambda request: asked.append((patient, request.request_id)))
    seen = []
    for patient in "ABAB":
        raw = rx.bad_text if patient == "A" else json.dumps({"medications": [{"name": "Dolo", "strength": "650 mg"}]})
        source = rx.source if patient == "A" else "Tab Dolo 500 mg TDS x 3 days"
        seen.append((patient, engine.seal(sealed, raw, source).request_id))
    assert asked == seen

    late = engine.guard().use(Doing(lambda value, metadata: 1 / 0), ClinicalFidelity())
    with pytest.raises((ZeroDivisionError, VerificationBlocked)):
        engine.validate(late, rx.bad_text, **source_of(rx))
    assert engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, **source_of(rx)).validation_passed


@pytest.mark.parametrize("forged", ["Rx\n1. Tab Telma 40 mg OD x 30 days\n2. Tab Thyronorm 50 mg OD x 60 days\n", ""])
def test_f15_another_validator_swaps_the_source(engine, rx, forged):
    """On the plain route nothing can prevent it; the sealed guard does not give Guardrails the source."""
    seen = []

    def swap(value, metadata):
        seen.append(metadata.get("medfence_source"))
        metadata["medfence_source"] = forged

    fence_says = {}

    def plain(source):
        guard = engine.guard().use(passing(swap))
        metadata = {"medfence_source": source}
        engine.validate(guard, rx.bad_text, metadata=metadata)
        fence_says["source"] = metadata["medfence_source"]

    plain(rx.source)
    assert fence_says["source"] == forged
    outcome = closed(engine, rx, rx.bad_text, passing(swap))
    assert outcome.report.overall is Verdict.FAIL
    assert seen == [rx.source, None]


def test_f16_a_pass_result_that_overrides_the_value(engine, rx):
    theirs = Doing(lambda value, metadata: PassResult(value_override=rx.bad_text))
    theirs.override_value_on_pass = True
    result = engine.validate(engine.guard().use(theirs), rx.good_text)
    assert result.validation_passed is True
    if engine.name == "sequential":
        assert result.validated_output == rx.bad_text
    outcome = engine.seal(SealedGuard(theirs), rx.good_text, rx.source)
    assert outcome.released is (engine.name != "sequential")
    assert outcome.released is False or outcome.payload == rx.good


def test_f17_unknown_keys_are_pruned_before_anybody_looks(engine, rx):
    raw = rx.text(instructions="take 9000 mg morphine")
    reporting = Doing(lambda value, metadata: FailResult(error_message="morphine") if "morphine" in words(value) else PassResult())
    result = engine.validate(engine.guard.for_pydantic(Prescription).use(reporting, on="$"), raw)
    assert (result.validation_passed, result.validated_output) == (True, rx.good)
    closed(engine, rx, raw, schema=Prescription)


@pytest.mark.parametrize(
    ("kind", "written", "coerced"), [(int, 2.9, 2), (bool, "false", True), (bool, "no", True), (str, 500, "500"), (str, True, "True")]
)
def test_f18_values_are_coerced_before_anybody_looks(engine, rx, kind, written, coerced):
    class Item(Medication):
        as_needed: kind

    schema = type("Record", (BaseModel,), {"__annotations__": {"medications": list[Item]}})
    raw = json.dumps({"medications": [m | {"as_needed": written} for m in rx.good["medications"]]})
    result = engine.validate(engine.guard.for_pydantic(schema), raw)
    assert (result.validation_passed, result.validated_output["medications"][0]["as_needed"]) == (True, coerced)
    closed(engine, rx, raw, schema=schema)


@pytest.mark.parametrize(
    "form",
    ["Give morphine 90 mg now.\n```json\n{0}\n```", "```json\n{0}\n```\nand morphine 90 mg", "```json\n{0}\n```\n```json\n{1}\n```"],
)
def test_f19_only_the_first_block_is_read(engine, rx, form):
    raw = form.replace("{0}", rx.good_text).replace("{1}", rx.bad_text)
    result = engine.validate(engine.guard.for_pydantic(Prescription).use(Reporting(), on="$"), raw)
    assert (result.validation_passed, result.validated_output) == (True, rx.good)
    assert closed(engine, rx, raw, schema=Prescription).report.overall is Verdict.ABSTAIN
    closed(engine, rx, raw)


# ---- streams ----


def streamed(guard, text, rx, size=9):
    """What an application has received when the stream ends or breaks: chunks, and the exception."""

    def model(*, messages=None, **options):
        return iter([text[at : at + size] for at in range(0, len(text), size)])

    chunks, messages, metadata = [], [{"role": "user", "content": "read the note"}], {"medfence_source": rx.source}
    try:
        chunks.extend(guard(model, messages=messages, stream=True, metadata=metadata, temperature=0))
    except (ContractError, ValidationError) as error:
        return chunks, error
    return chunks, None


def out(chunks):
    return "".join(words(chunk.validated_output or "") for chunk in chunks)


PROSE = "The note was read. Thyronorm 50 mg once daily"


def test_f20_the_last_words_of_a_stream_are_never_validated(rx):
    chunks, error = streamed(Guard().use(Reporting(on_fail="exception")), PROSE, rx)
    assert (error, WRONG in out(chunks)) == (None, True)
    assert streamed(Guard().use(ClinicalFidelity()), PROSE, rx)[0] == []


def test_f21_a_stream_that_never_splits_is_never_validated(rx):
    class Unsplit(Reporting):
        def _chunking_function(self, chunk):
            return []

    unsplit = Unsplit(on_fail="exception")
    chunks, error = streamed(Guard().use(unsplit), PROSE + ". And so on. ", rx)
    assert (error, WRONG in out(chunks), unsplit.calls) == (None, True, 0)
    ours = ClinicalFidelity()
    ours._chunking_function = lambda chunk: []
    assert streamed(Guard().use(ours), PROSE + ". And so on. ", rx)[0] == []


def test_f22_words_are_out_before_their_sentence_is_complete(rx):
    text = "Thyronorm 50 mg once daily for sixty days. Next visit in June. "
    chunks, error = streamed(Guard().use(Reporting(on_fail="exception")), text, rx)
    assert isinstance(error, ValidationError)
    assert WRONG in out(chunks)
    chunks, error = streamed(Guard().use(ClinicalFidelity()), text, rx)
    assert (chunks, error.code) == ([], "guardrails.refused")


def test_f23_a_stream_of_json_passes_its_fragments(rx):
    chunks, error = streamed(Guard.for_pydantic(Loose).use(Reporting(on_fail="noop"), on="$"), rx.bad_text, rx)
    assert error is None
    assert any(chunk.validation_passed and WRONG in words(chunk.validated_output) for chunk in chunks)
    for guard in (Guard.for_pydantic(Loose), Guard.for_pydantic(Prescription)):
        chunks, error = streamed(guard.use(ClinicalFidelity(), on="$"), rx.bad_text, rx)
        assert (chunks, type(error)) == ([], VerificationBlocked)


def test_f24_async_streams_are_refused_as_well(loop, rx):
    with pytest.raises(ContractError, match="streaming"):
        loop.run_until_complete(ClinicalFidelity().async_validate_stream("Thyronorm 50 mg.", {"medfence_source": rx.source}))

    async def model(*, messages=None, **options):
        async def chunks():
            for word in ("Thyronorm 50 mg once daily. ", "Next visit in June. "):
                yield word

        class Answer:
            completion_stream = chunks()

        return Answer()

    async def received():
        found = []
        guard = AsyncGuard().use(ClinicalFidelity())
        messages = [{"role": "user", "content": "read the note"}]
        try:
            stream = await guard(model, messages=messages, stream=True, metadata={"medfence_source": rx.source}, temperature=0)
            found.extend([chunk async for chunk in stream])
        except ContractError as error:
            return found, error.code
        return found, None

    assert loop.run_until_complete(received()) == ([], "guardrails.refused")


def test_f25_chunks_of_two_patients_never_meet_on_one_instance(rx):
    theirs, metadata = Reporting(), {"medfence_source": rx.source}
    theirs.validate_stream("Alice takes ", metadata)
    theirs.validate_stream("Bob takes ", metadata)
    assert "".join(theirs.accumulated_chunks) == "Alice takes Bob takes "
    ours = ClinicalFidelity()
    for chunk in ("Alice takes ", "Bob takes "):
        with pytest.raises(ContractError, match="streaming"):
            ours.validate_stream(chunk, metadata)
    assert ours.accumulated_chunks == []


# ---- nothing to verify, or nothing to verify against ----


@pytest.mark.parametrize("source", [None, "", " \n"])
def test_f26_a_required_source_may_be_blank(engine, rx, source):
    theirs = Reporting()
    theirs.required_metadata_keys = ["medfence_source"]
    assert engine.validate(engine.guard().use(theirs), rx.good_text, metadata={"medfence_source": source}).validation_passed
    with pytest.raises(VerificationBlocked, match="ABSTAIN"):
        engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, metadata={"medfence_source": source})
    outcome = engine.seal(SealedGuard(), rx.good_text, source)
    assert (outcome.status, outcome.report.overall) == (OutcomeStatus.HELD, Verdict.ABSTAIN)
    with pytest.raises(ValueError, match="metadata"):
        engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, metadata={})


@pytest.mark.parametrize("raw", ["{}", "[]", '{"medications": []}', '{"medications": null}'])
def test_f27_an_empty_record_passes(engine, rx, raw):
    schema = list[Medication] if raw == "[]" else Loose
    assert engine.validate(engine.guard.for_pydantic(schema), raw).validation_passed
    with pytest.raises(VerificationBlocked):
        engine.validate(engine.guard.for_pydantic(schema).use(ClinicalFidelity(), on="$"), raw, **source_of(rx))
    closed(engine, rx, raw, schema=schema)


# ---- LangChain's side of it ----


def test_f28_a_validator_as_a_runnable_lets_through_what_it_cannot_judge():
    theirs = Doing(lambda value, metadata: None).to_runnable()
    assert theirs.invoke("Thyronorm 50 mg") == "Thyronorm 50 mg"
    with pytest.raises(ContractError, match="MedfenceGuard"):
        ClinicalFidelity().to_runnable()


def test_f29_metadata_kept_on_a_validator_is_shared_by_all_calls(rx):
    theirs = Reporting()
    first, second = theirs.with_metadata({"source": "A"}), theirs.with_metadata({"source": "B"})
    assert first._metadata is second._metadata
    with pytest.raises(ContractError, match="each call"):
        ClinicalFidelity().with_metadata({"medfence_source": rx.source})
    with pytest.raises(ContractError, match=r"guard\.validate"):
        ClinicalFidelity()(rx.good_text)


def test_f30_tool_calls_go_through_a_guards_runnable_unseen(engine, rx):
    message = AIMessage(rx.good_text, tool_calls=[{"name": "order", "args": {"drug": "morphine"}, "id": "1"}])
    handed_on = Guard().use(Reporting()).to_runnable().invoke(message)
    assert handed_on.tool_calls[0]["args"] == {"drug": "morphine"}
    with pytest.raises(ValueError, match="metadata"):
        Guard().use(ClinicalFidelity()).to_runnable().invoke(message)
    with pytest.raises(ContractError, match="Tool calls"):
        engine.seal(SealedGuard(), message, rx.source)


def test_f31_of_a_repeated_key_the_last_one_is_taken(engine, rx):
    raw = rx.bad_text.replace('"strength": "50 mg"', '"strength": "50 mg", "strength": "50 mcg"')
    result = engine.validate(engine.guard.for_pydantic(Prescription).use(Reporting(), on="$"), raw)
    assert (result.validation_passed, result.validated_output) == (True, rx.good)
    blocked(engine, rx, engine.guard().use(ClinicalFidelity()), raw)
    assert closed(engine, rx, raw, schema=Prescription).report.overall is Verdict.ABSTAIN


def test_f32_a_fallback_hands_out_what_the_guard_refused(engine, rx):
    """An outcome is no exception: a fallback has nothing to catch, and a batch nothing to return in its place."""
    theirs = RunnableLambda(lambda raw: Guard().use(Reporting(on_fail="exception")).validate(raw).validated_output)
    assert theirs.with_fallbacks([RunnableLambda(lambda raw: raw)]).invoke(rx.bad_text) == rx.bad_text
    sealed = SealedGuard()
    step = RunnableLambda(lambda raw: engine.seal(sealed, raw, rx.source)).with_fallbacks([RunnableLambda(lambda raw: raw)])
    assert step.invoke(rx.bad_text).status is OutcomeStatus.HELD
    plain = RunnableLambda(lambda raw: engine.validate(engine.guard().use(ClinicalFidelity()), raw, **source_of(rx)))
    (error,) = plain.batch([rx.bad_text], return_exceptions=True)
    assert type(error) is VerificationBlocked
    assert "Thyronorm" not in str(error) + repr(error) + repr(error.args)


# ---- around the validator ----


def test_f33_another_package_takes_the_registered_name(engine, rx):
    kept = engine.guard().use(ClinicalFidelity()).to_dict()
    kept.pop("history", None)
    try:

        @register_validator(name="medfence/clinical_fidelity", data_type="all")
        class Impostor(Validator):
            def __init__(self, on_fail=None, **options):
                super().__init__(on_fail=on_fail, **options)

            def _validate(self, value, metadata):
                return PassResult()

        assert engine.validate(engine.guard.from_dict(kept), rx.bad_text, **source_of(rx)).validation_passed
        closed(engine, rx, rx.bad_text)
        blocked(engine, rx, engine.guard().use(ClinicalFidelity()), rx.bad_text)
    finally:
        validators_registry["medfence/clinical_fidelity"] = ClinicalFidelity


def test_f34_the_failing_value_is_there_for_whoever_does_not_ask(engine, rx):
    result = engine.validate(engine.guard().use(Reporting(on_fail="noop")), rx.bad_text)
    assert (result.validation_passed, result.validated_output) == (False, rx.bad_text)
    outcome = closed(engine, rx, rx.bad_text)
    assert WRONG not in json.dumps(outcome.to_dict()) + repr(outcome)
    with pytest.raises(ContractError):
        bool(outcome)
    with pytest.raises(ContractError, match="refused"):
        ClinicalFidelity(mode="result", on_fail="noop")


def test_f35_a_server_answers_with_the_models_own_text(engine, rx, monkeypatch, tmp_path):
    sealed = SealedGuard(audit=AuditLog(tmp_path / "audit.jsonl", fsync=False))
    assert engine.seal(sealed, rx.good_text, rx.source).released
    monkeypatch.setattr(settings, "use_server", True)
    with pytest.raises(ContractError, match="server"):
        SealedGuard()
    with pytest.raises(ContractError, match="server"):
        engine.seal(sealed, rx.good_text, rx.source)


# ---- every on_fail, in every way Guardrails delivers ----

DELIVERIES = ("text", "text beside a fixer", "object", "async", "stream of text", "stream of JSON")


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize(
    "on_fail", [action for action in OnFailAction if action is not OnFailAction.CUSTOM], ids=lambda action: action.value
)
def test_whatever_on_fail_says_a_failure_raises(loop, rx, on_fail, delivery):
    """The constructor refuses most of these; here somebody has set them afterwards."""
    ours = ClinicalFidelity()
    ours.on_fail_descriptor = on_fail
    if delivery.startswith("stream"):
        guard = Guard() if delivery == "stream of text" else Guard.for_pydantic(Prescription)
        chunks, error = streamed(guard.use(ours), rx.bad_text + ". ", rx)
        assert chunks == []
        assert isinstance(error, (VerificationBlocked, ContractError))
        return
    guard = {
        "text": lambda: Guard().use(ours),
        "text beside a fixer": lambda: Guard().use(Fixing(rx.bad_text), ours),
        "object": lambda: Guard.for_pydantic(Prescription).use(ours),
        "async": lambda: AsyncGuard().use(ours),
    }[delivery]()
    with pytest.raises(VerificationBlocked):
        done = guard.validate(rx.bad_text, **source_of(rx))
        assert delivery == "async", "handed out"
        loop.run_until_complete(done)
