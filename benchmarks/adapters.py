"""What the fence and its adapters cost on top of `verify()`: medians of one run, as multiples of `verify()` alone.

`python -m benchmarks.adapters`, in the environment of `make test`. An adapter whose framework is missing is named and left out.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from medfence_guard import Extraction, Fence, SourceDocument, verify

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 60
NOTE = "Rx\n1. Tab Telma 40 mg OD x 30 days\n2. Tab Thyronorm 50 mcg OD x 60 days\n"
PAYLOAD = {
    "medications": [
        {"name": "Telma", "strength": "40 mg", "frequency": "OD", "duration": "30 days"},
        {"name": "Thyronorm", "strength": "50 mcg", "frequency": "OD", "duration": "60 days"},
    ]
}


def median_ms(call: Callable[[], object]) -> float:
    call()
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1000


def langchain(text: str, source: SourceDocument) -> dict[str, Callable[[], object]]:
    from langchain_core.messages import AIMessage
    from langchain_core.runnables import RunnableLambda

    from langchain_medfence import GuardedChain, MedfenceGuard

    answer = AIMessage(text, response_metadata={"finish_reason": "stop"})
    guard = MedfenceGuard(source=source)
    chain = GuardedChain(generate=RunnableLambda(lambda _: answer), source="note")
    return {"MedfenceGuard.invoke": lambda: guard.invoke(answer), "GuardedChain.invoke": lambda: chain.invoke({"note": NOTE})}


def guardrails(text: str, source: SourceDocument) -> dict[str, Callable[[], object]]:
    from guardrails_medfence import SealedGuard

    sealed = SealedGuard()
    return {"SealedGuard.validate": lambda: sealed.validate(text, source)}


def main() -> int:
    sys.path.insert(0, str(ROOT / "adapters"))
    source, text = SourceDocument(NOTE), json.dumps(PAYLOAD)
    fence = Fence()
    calls: dict[str, Callable[[], object]] = {
        "verify": lambda: verify(Extraction("prescription", text), source),
        "Fence.check": lambda: fence.check(text, source),
    }
    for adapter in (langchain, guardrails):
        try:
            calls.update(adapter(text, source))
        except ImportError as missing:
            print(f"{adapter.__name__}: not installed ({missing.name})")
    print(f"{'':22}  median ms  x verify")
    base = 0.0
    for name, call in calls.items():
        taken = median_ms(call)
        base = base or taken
        print(f"{name:22}  {taken:9.2f}  {taken / base:8.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
