"""The arguments a tool will really run with: its defaults and its coercions happen after any gate that looks at the model's words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.tools import BaseTool
from pydantic import BaseModel, create_model

from langchain_medfence.reading import ModelAnswer, refused


def effective_arguments(tool: BaseTool | None, arguments: Mapping[str, Any]) -> ModelAnswer:
    """What the tool makes of the arguments, as a payload. Injected ones (state, runtime) are not the model's, and not in it."""
    if tool is None:
        return refused("the tool is not registered", arguments)
    schema = schema_of(tool)
    if schema is None:
        return refused("the tool's schema is not one of pydantic 2", arguments)
    if isinstance(schema, dict):
        if _names_a_default(schema):
            return refused("the tool's JSON schema names defaults, which would be filled in after the verification", arguments)
        return ModelAnswer(dict(arguments))
    try:
        injected = schema.model_fields.keys() - own_names(tool)
        return ModelAnswer(schema.model_validate({name: value for name, value in arguments.items() if name not in injected}))
    except ValueError as error:
        return refused(f"the tool does not accept the arguments ({type(error).__name__})", arguments)


def is_what_will_run(tool: BaseTool | None, payload: object) -> bool:
    """True if the tool takes the released arguments as they are: no default is added and no value changed."""
    schema = None if tool is None else schema_of(tool)
    if schema is None or not isinstance(payload, Mapping):
        return False
    if isinstance(schema, dict):
        return not _names_a_default(schema)
    try:
        taken = schema.model_validate(payload)
    except ValueError:
        return False
    return _said(taken) == _said(payload)


def schema_of(tool: BaseTool) -> type[BaseModel] | dict[str, Any] | None:
    """What validates the arguments when the tool runs: a pydantic model, or a JSON schema. None for what this package does not read.

    Not `tool_call_schema`, which LangChain makes without the validators. Injected fields are there, but need no value.
    """
    told = tool.tool_call_schema
    if isinstance(told, dict):
        return told
    schema = tool.get_input_schema()
    if not issubclass(told, BaseModel) or not issubclass(schema, BaseModel):
        return None
    injected: dict[str, Any] = {name: (Any, None) for name in schema.model_fields if name not in told.model_fields}
    return create_model(schema.__name__, __base__=schema, **injected) if injected else schema


def own_names(tool: BaseTool) -> frozenset[str]:
    """The names of the arguments a model gives; the rest is injected."""
    told = tool.tool_call_schema
    if isinstance(told, dict):
        return frozenset(told.get("properties", {}))
    return frozenset(told.model_fields if issubclass(told, BaseModel) else ())


def _said(value: object) -> object:
    """Plain values without those that are None: an absent field and one that is None make the same call."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _said(each) for key, each in value.items() if each is not None}
    if isinstance(value, list | tuple):
        return [_said(each) for each in value]
    return value


def _names_a_default(schema: object) -> bool:
    if isinstance(schema, Mapping):
        return schema.get("default") is not None or any(map(_names_a_default, schema.values()))
    return isinstance(schema, list) and any(map(_names_a_default, schema))
