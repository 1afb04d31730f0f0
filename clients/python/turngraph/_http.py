"""Sends a request to a service, and reads its answer within a time limit."""

from __future__ import annotations

import http.client
import io
import json
import re
import socket
import time
import urllib.parse
from collections.abc import Mapping
from typing import Any

from ._generated import STATUSES
from .errors import TurngraphError, invalid_field


def checked_url(url: str) -> str:
    """Removes trailing slashes from the address, and user and password, which are never sent.

    Raises ``invalid_request`` if it is no address.
    """
    if not isinstance(url, str):
        raise invalid_field("url", f"must be a text, and is {type(url).__name__}")
    shown = re.sub(r"//[^/]*@", "//***@", url)
    try:
        parts = urllib.parse.urlsplit(url)
        parts.port  # noqa: B018 - raises where it is none
        (parts.hostname or "").encode("idna")
        parts.path.encode("ascii")
    except ValueError as cause:
        raise invalid_field("url", f'"{shown}" is no http address ({_reason(cause)})') from cause
    if parts.scheme not in ("http", "https") or not parts.hostname or re.search(r"[\x00-\x20\x7f]", url):
        raise invalid_field("url", f'"{shown}" is no http address')
    if "@" in parts.netloc:
        url = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return url.rstrip("/")


def _reason(cause: ValueError) -> str:
    """Describes the error without the text of the exception, which could contain a password."""
    return "percent-encode what is not ASCII" if isinstance(cause, UnicodeError) else "its host or port is none"


def canonical_address(url: str) -> str:
    """Returns the address in the form that the TypeScript client writes into a spool: that of the WHATWG URL."""
    parts = urllib.parse.urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else (parts.hostname or "")
    default = {"http": 80, "https": 443}[parts.scheme]
    port = "" if parts.port is None or parts.port == default else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}{parts.path or '/'}"


def exchange(
    base: str,
    method: str,
    path: str,
    *,
    headers: Mapping[str, str],
    body: bytes | None,
    timeout: float,
) -> Any:
    """Sends one request. Raises TurngraphError unless the service answers with a status of 2xx."""
    parts = urllib.parse.urlsplit(base)
    connect = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = connect(parts.hostname or "", parts.port, timeout=timeout)
    until = time.monotonic() + timeout
    try:
        connection.request(method, f"{parts.path}{path}", body=body, headers=dict(headers))
        response = _TimedResponse(connection.sock, until, method)
        response.begin()
        content = response.read()
    except TimeoutError as cause:
        hint = "Try again: a repeated capture is stored once."
        raise TurngraphError("timeout", f"{base} did not answer within {timeout:g} s.", hint=hint) from cause
    except (OSError, http.client.HTTPException) as cause:
        hint = "Start it (`turngraph serve`), or set TURNGRAPH_URL to where it is."
        raise TurngraphError("store_unavailable", f"The service at {base} cannot be reached.", hint=hint) from cause
    finally:
        connection.close()
    return _answer_of(base, response, content)


class _TimedResponse(http.client.HTTPResponse):
    """A response with one time limit. The timeout of a socket limits each read, so a slow answer would never end."""

    def __init__(self, sock: socket.socket, until: float, method: str) -> None:
        super().__init__(sock, method=method)
        self.fp.close()
        self.fp = io.BufferedReader(_TimedReader(sock, until))


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, until: float) -> None:
        self._sock = sock
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return self._sock.recv_into(buffer)


def _answer_of(base: str, response: http.client.HTTPResponse, content: bytes) -> Any:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        body = None
    if not 200 <= response.status < 300:
        raise _error_of(base, response.status, body)
    if body is None:
        hint = "Use the same version of Turngraph on both sides."
        raise TurngraphError("internal", f"{base} gave an answer that this version cannot read.", hint=hint)
    return body


def _error_of(base: str, status: int, body: Any) -> TurngraphError:
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict) and error.get("code") in STATUSES:
        return TurngraphError(
            error["code"], str(error.get("message")), hint=error.get("hint"), details=error.get("details")
        )
    # The page of a proxy, such as a login page, or the answer of another program.
    return TurngraphError(
        "store_unavailable" if status in (502, 503, 504) or 300 <= status < 400 else "internal",
        f"{base} answered {status} in a form that is not Turngraph's.",
        hint="Check that TURNGRAPH_URL is the address of a Turngraph service.",
    )
