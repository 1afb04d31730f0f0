"""The form of a request on the wire, and of a capture that waits in a spool."""

from __future__ import annotations

import json
import math
import re
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Any

from ._generated import ROUTES, SHAPES
from .errors import TurngraphError, invalid_field


# Far more than any record has; what is deeper would exhaust the stack of a program that reads it.
MAX_DEPTH = 200


def check_values(fields: Mapping[str, Any]) -> None:
    """Refuses what JSON has no form for, before it is sent and before it waits in a spool."""
    waiting: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in fields.items()]
    while waiting:
        path, value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise invalid_field(path[:100], f"holds itself, or is nested deeper than {MAX_DEPTH} levels")
        if isinstance(value, dict):
            for key in value:
                if not isinstance(key, (str, int, float)) and key is not None:
                    raise invalid_field(path, f"has a key that is no text, but {type(key).__name__}")
                _check_scalar(path, key)
            waiting += [(f"{path}.{key}", entry, depth + 1) for key, entry in value.items()]
        elif isinstance(value, (list, tuple)):
            waiting += [(f"{path}[{index}]", entry, depth + 1) for index, entry in enumerate(value)]
        else:
            _check_scalar(path, value)


def _check_scalar(path: str, value: Any) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as cause:
            at = path.encode(errors="replace").decode()
            raise invalid_field(at, "holds half of a surrogate pair, which is no text") from cause
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise invalid_field(path, f"is {value}, which JSON has no number for")
    elif isinstance(value, int):
        if value.bit_length() > 1024:
            raise invalid_field(path, "is a number of more digits than JSON keeps")
    else:
        hint = ISO_HINT if hasattr(value, "isoformat") else "give a text, a number, a list or a dict"
        raise invalid_field(path, f"is a {type(value).__name__}, which JSON has no form for; {hint}")


ISO_HINT = "give its .isoformat()"


def check_fields(operation: str, fields: Mapping[str, Any]) -> None:
    """Refuses what the service would refuse, before it waits in a spool: a missing field, and an unknown one."""
    problems = [(name, "is missing") for name in ROUTES[operation].required if fields.get(name) is None]
    problems += _unknown_keys(SHAPES[operation], fields, "")
    if problems:
        listed = [{"path": path, "message": message} for path, message in problems]
        text = "; ".join(f"{path}: {message}" for path, message in problems)
        raise TurngraphError("invalid_request", text, details={"problems": listed})


def _unknown_keys(shape: Any, value: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(shape, list) and isinstance(value, (list, tuple)):
        return [problem for i, entry in enumerate(value) for problem in _unknown_keys(shape[0], entry, f"{path}[{i}]")]
    if not isinstance(shape, dict) or not isinstance(value, Mapping):
        return []
    problems: list[tuple[str, str]] = []
    for key, entry in value.items():
        at = f"{path}.{key}" if path else str(key)
        if key in shape:
            problems += _unknown_keys(shape[key], entry, at)
        else:
            problems.append((at, "is no field here; put what has no field of its own into extra"))
    return problems


def to_path(operation: str, fields: Mapping[str, Any]) -> tuple[str, bytes | None]:
    """The path with its query, and the body, of a request."""
    route = ROUTES[operation]
    rest = {name: value for name, value in fields.items() if value is not None or route.has_body}
    path = re.sub(r"\{(\w+)\}", lambda found: _segment(found[1], rest), route.path)
    if route.has_body:
        return path, json.dumps(rest, ensure_ascii=False, allow_nan=False).encode()
    query = urllib.parse.urlencode({name: _query_value(value) for name, value in rest.items()})
    return (f"{path}?{query}" if query else path), None


def _segment(field: str, fields: dict[str, Any]) -> str:
    """``.`` and ``..`` are steps in a path, however they are encoded: they would reach another route."""
    if fields.get(field) is None:
        raise invalid_field(field, "is missing")
    value = str(fields.pop(field))
    if value in (".", ".."):
        hint = "MCP takes such a name, and so does the command line on the graph itself, without a service."
        raise invalid_field(field, f'"{value}" cannot stand in an address', hint=hint)
    return urllib.parse.quote(value, safe="")


def _query_value(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def to_spool_form(operation: str, fields: Mapping[str, Any]) -> Any:
    """As it waits: the names of fields in camelCase, and somebody's own keys as they are."""
    return _renamed(SHAPES[operation], fields, _camel_case)


def from_spool_form(operation: str, waiting: Mapping[str, Any]) -> Any:
    """As it is sent."""
    return _renamed(SHAPES[operation], waiting, lambda name: name)


def _renamed(shape: Any, value: Any, to: Callable[[str], str]) -> Any:
    if isinstance(shape, list) and isinstance(value, (list, tuple)):
        return [_renamed(shape[0], entry, to) for entry in value]
    if not isinstance(shape, dict) or not isinstance(value, Mapping):
        return value
    by_either_name = {form: name for name in shape for form in (name, _camel_case(name))}
    return {
        to(by_either_name[key]): _renamed(shape[by_either_name[key]], entry, to)
        for key, entry in value.items()
        if key in by_either_name
    }


def _camel_case(name: str) -> str:
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)
