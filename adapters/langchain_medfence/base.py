"""What both runnables share: the Fence's settings, the calls LangChain makes, and the ways LangChain has of switching a step off."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from os import PathLike
from typing import Any, Literal, NoReturn

from langchain_core.runnables import RunnableConfig, RunnableSerializable
from pydantic import BaseModel, ConfigDict, Field, InstanceOf, PrivateAttr

from langchain_medfence.reading import ModelAnswer, normalise
from langchain_medfence.result import MedfenceBlocked, with_problem
from langchain_medfence.streams import gathered
from medfence_guard import AuditLog, ContractError, Fence, Outcome, ReviewDecision, ReviewQueue, ReviewRequest, Rulepack, SourceDocument

NO_SOURCE = (
    "there is no source to compare with: pass source= a SourceDocument, the name of the key of the input that holds the clinician's text, "
    "or a function from the input to it"
)
Review = Callable[[ReviewRequest], "ReviewDecision | Awaitable[ReviewDecision | None] | None"]
"""A function that asks a person; sync or async."""

WITHHELD = "withheld by medfence"
"""What a tracer sees instead of the input, which is health data."""


class _WhenLangGraphRuns(type):
    """`isinstance` against LangGraph's control flow, without importing LangGraph: where it is not loaded, nothing raises it."""

    def __instancecheck__(cls, error: object) -> bool:
        errors = sys.modules.get("langgraph.errors")
        return errors is not None and isinstance(error, errors.GraphBubbleUp)


class GraphControlFlow(BaseException, metaclass=_WhenLangGraphRuns):
    """LangGraph's interrupts and commands: they pass through the fence, with nothing released."""


class OutcomeShape(BaseModel):
    """`Outcome.to_dict()`, for schemas; `payload` is there only if released."""

    status: str
    released: bool
    code: str
    why: str
    request_id: str | None
    verdict: str | None
    held: list[dict[str, str]]
    not_checked: list[str]
    decision: dict[str, str] | None
    payload: Any = None


class FencedRunnable(RunnableSerializable[object, Outcome]):
    """A runnable whose every output is the core's Outcome.

    review, audit, rulepack, timeout, min_reviewers: as for `medfence_guard.Fence`. artifact_type: what the model was asked to make.
    on_block: `return` the HELD or REJECTED outcome, or `raise` MedfenceBlocked, which carries it.
    tool_name, require_raw, allow_missing_finish_reason: what counts as the model's answer; see `normalise`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, hide_input_in_errors=True)

    # Out of every repr, dump and manifest: a source is health data, and a callback or a log is nobody's business.
    review: Callable[..., Any] | InstanceOf[ReviewQueue] | None = Field(default=None, exclude=True, repr=False)
    audit: InstanceOf[AuditLog] | str | PathLike[str] | None = Field(default=None, exclude=True, repr=False)
    rulepack: InstanceOf[Rulepack] | None = Field(default=None, exclude=True, repr=False)
    timeout: float | None = None
    min_reviewers: int = 1
    artifact_type: str = "prescription"
    on_block: Literal["return", "raise"] = "return"
    tool_name: str | None = None
    require_raw: bool = False
    allow_missing_finish_reason: bool = False
    _fence: Fence = PrivateAttr()

    def model_post_init(self, context: object, /) -> None:
        super().model_post_init(context)
        self._fence = Fence(
            self.rulepack, self.review, self.audit, self.timeout, min_reviewers=self.min_reviewers, control_flow=(GraphControlFlow,)
        )

    @property
    def fence(self) -> Fence:
        """The Fence inside, for a decision that comes later: `guard.fence.settle(request_id, decision)`."""
        return self._fence

    @property
    def OutputType(self) -> type[Outcome]:  # noqa: N802 - LangChain's name
        """Outcome."""
        return Outcome

    def get_output_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:  # noqa: ARG002 - LangChain's signature
        """The shape of `Outcome.to_dict()`."""
        return OutcomeShape

    # ---- what a subclass says ----

    @abstractmethod
    def _prepared(self, given: object, config: RunnableConfig, /) -> tuple[ModelAnswer, SourceDocument | None]:
        """The model's answer and the document it must be faithful to."""

    async def _aprepared(self, given: object, config: RunnableConfig, /) -> tuple[ModelAnswer, SourceDocument | None]:
        return self._prepared(given, config)

    @property
    def _streamed_key(self) -> str | None:
        """Where in a streamed dict the model's answer stands; None when it is the whole input."""
        return None

    # ---- the calls LangChain makes ----

    def invoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Outcome:  # noqa: A002 - LangChain's name
        """The outcome for this input. Options are refused: `bind` must not be able to change what a guard does."""
        _refuse_options(kwargs)
        outcomes: list[Outcome] = []

        def judged(_: object, config: RunnableConfig) -> dict[str, str]:
            answer, document = self._prepared(input, config)
            checked = self._fence.check(answer.payload, document or SourceDocument(""), self.artifact_type)
            outcomes.append(with_problem(checked, answer.problem))
            return _traced(outcomes[-1])

        # The true input and output go around the tracer, which keeps what it sees.
        self._call_with_config(judged, WITHHELD, config, run_type="parser")  # type: ignore[arg-type]
        return self._given_back(outcomes[-1])

    async def ainvoke(self, input: object, config: RunnableConfig | None = None, **kwargs: object) -> Outcome:  # noqa: A002
        """As `invoke`; an async review callback is awaited."""
        _refuse_options(kwargs)
        outcomes: list[Outcome] = []

        async def judged(_: object, config: RunnableConfig) -> dict[str, str]:
            answer, document = await self._aprepared(input, config)
            checked = await self._fence.acheck(answer.payload, document or SourceDocument(""), self.artifact_type)
            outcomes.append(with_problem(checked, answer.problem))
            return _traced(outcomes[-1])

        await self._acall_with_config(judged, WITHHELD, config, run_type="parser")  # type: ignore[arg-type]
        return self._given_back(outcomes[-1])

    def transform(self, input: Iterator[object], config: RunnableConfig | None = None, **kwargs: object) -> Iterator[Outcome]:  # noqa: A002
        """Waits for the whole stream and gives one outcome: for an empty stream, too."""
        yield self.invoke(gathered(list(input), self._streamed_key), config, **kwargs)

    async def atransform(
        self,
        input: AsyncIterator[object],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: object,
    ) -> AsyncIterator[Outcome]:
        """As `transform`."""
        yield await self.ainvoke(gathered([piece async for piece in input], self._streamed_key), config, **kwargs)

    def _given_back(self, outcome: Outcome) -> Outcome:
        if self.on_block == "raise" and not outcome.released:
            raise MedfenceBlocked(outcome)
        return outcome

    def _read(self, answer: object) -> ModelAnswer:
        return normalise(
            answer,
            tool_name=self.tool_name,
            require_raw=self.require_raw,
            allow_missing_finish_reason=self.allow_missing_finish_reason,
        )

    # ---- the ways of switching a step off ----

    @classmethod
    def is_lc_serializable(cls) -> bool:
        """Never: a manifest that rebuilds a guard with another setting is a way around it."""
        return False

    def configurable_fields(self, *_: object, **__: object) -> NoReturn:
        """Refused: a client of a served graph sets what is configurable."""
        raise _not_for_guards("configurable_fields", "build one guard per setting")

    def configurable_alternatives(self, *_: object, **__: object) -> NoReturn:
        """Refused: the alternative would run instead of the guard."""
        raise _not_for_guards("configurable_alternatives", "put alternatives on the model")

    def with_fallbacks(self, *_: object, **__: object) -> NoReturn:
        """Refused: a fallback would run instead of the guard, and swallow interrupts."""
        raise _not_for_guards("with_fallbacks", "put fallbacks on the model")

    def with_retry(self, *_: object, **__: object) -> NoReturn:
        """Refused: asking again until it passes is no verification."""
        raise _not_for_guards("with_retry", "put retries on the model")

    def bind(self, *_: object, **__: object) -> NoReturn:
        """Refused: a guard has no options per call."""
        raise _not_for_guards("bind", "set them where the guard is built")


def document_in(value: object, where: str) -> SourceDocument | str:
    """The document, or why there is none. Only text a caller owns is one: never a message, which a model may have written."""
    if isinstance(value, SourceDocument):
        return value if value.text.strip() else f"the source {where} is empty"
    if type(value) is str:
        return SourceDocument(value) if value.strip() else f"the source {where} is empty"
    if isinstance(value, Coroutine):
        value.close()  # so that it does not warn that nobody awaited it
    return f"the source {where} is a {type(value).__name__}; it must be the clinician's text (str) or a SourceDocument"


def _traced(outcome: Outcome) -> dict[str, str]:
    return {"status": outcome.status.value, "code": outcome.code}


def _refuse_options(kwargs: dict[str, object]) -> None:
    if kwargs:
        raise ContractError("langchain.options", f"a guard takes no options per call, and was given {', '.join(sorted(kwargs))}")


def _not_for_guards(name: str, instead: str) -> ContractError:
    return ContractError("langchain.refused", f"`{name}` would let something leave unverified; {instead}")
