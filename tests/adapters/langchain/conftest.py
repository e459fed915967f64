"""These tests need LangChain: without it they are skipped, and a skipped test is a failure where every test must run."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain_core")
