"""The client: every operation of a service, with repeats, time-outs and an optional spool."""

from __future__ import annotations

import os
import random
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._generated import ROUTES, Calls
from ._http import canonical_address, checked_url, exchange
from ._wire import check_values, to_path
from .errors import TurngraphError, invalid_field

if TYPE_CHECKING:
    from .spool import Spool, SpoolOptions

RETRY_FIRST_S = 0.2
RETRY_LAST_S = 2.0
VISIBLE_ASCII = re.compile(r"[\x21-\x7e]+")
# Not every operating system accepts a longer timeout.
LONGEST_S = 1_000_000
NEXT_WAIT_MS = 30_000


class TurngraphClient(Calls):
    """A client of Turngraph: each operation is a method whose arguments have the names of the REST interface.

    If a method returns, its data is stored. Every method raises TurngraphError with a code, and may be called from any thread.

    >>> with TurngraphClient("http://127.0.0.1:7480", token=token, spool=".turngraph/spool") as client:
    ...     client.capture_turn_state(feature_id="F", task_id="T", turn_number=1, player_summary="Built it")
    ...     context = client.load_turn_continuation_context(feature_id="F", task_id="T", current_turn=2)["context"]
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        project: str | None = None,
        timeout: float = 30.0,
        retries: int = 3,
        spool: str | os.PathLike[str] | SpoolOptions | None = None,
        log: Callable[[str], None] | None = None,
    ) -> None:
        """
        :param project: project of calls without one; default: that of the token, or of the service
        :param timeout: maximum time of one request, in seconds
        :param retries: maximum number of repeats of a call while the service is away, after 0.2 to 2 s each; ``run_turn`` is
            repeated only if the request never arrived
        :param spool: folder where captures wait while the service is away, or the folder and its limits
        :param log: called with messages that belong to no call, such as a rejected spooled turn; default: a warning
        """
        self._base = checked_url(url)
        if token is not None and not (isinstance(token, str) and VISIBLE_ASCII.fullmatch(token)):
            raise invalid_field("token", "holds characters that no token has")
        if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not 0 < timeout <= LONGEST_S:
            raise invalid_field("timeout", f"must be a number of seconds above 0 and up to {LONGEST_S:,}")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise invalid_field("retries", "must be a whole number from 0 on")
        self._token = token
        self._project = project
        self._timeout = timeout
        self._retries = retries
        self._closed = threading.Event()
        self._spool: Spool | None = None
        if spool is not None:
            from .spool import Spool

            self._spool = Spool(spool, send=self._send_once, address=canonical_address(self._base), log=log)
        self.worker_id = str(uuid.uuid4()) if self._spool is None else self._spool.worker_id

    @classmethod
    def from_environment(cls, **options: Any) -> TurngraphClient:
        """Creates a client from TURNGRAPH_URL, TURNGRAPH_TOKEN and TURNGRAPH_PROJECT, and further options."""
        given = {
            "token": os.environ.get("TURNGRAPH_TOKEN") or None,
            "project": os.environ.get("TURNGRAPH_PROJECT") or None,
            **options,
        }
        return cls(os.environ.get("TURNGRAPH_URL") or "http://127.0.0.1:7480", **given)

    @property
    def spool(self) -> Spool | None:
        """The spool of captures that wait while the service is away, or None."""
        return self._spool

    def close(self) -> None:
        """Closes the client. Spooled captures stay on disk for the next client of the folder."""
        self._closed.set()
        if self._spool is not None:
            self._spool.close()

    def __enter__(self) -> TurngraphClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _call(self, operation: str, fields: Mapping[str, Any]) -> Any:
        if self._closed.is_set():
            raise TurngraphError("invalid_request", "The client is closed.", hint="Make another one.")
        wire = dict(fields)
        if ROUTES[operation].takes_project and wire.get("project") is None and self._project is not None:
            wire["project"] = self._project
        if self._spool is not None:
            return self._spool.call(operation, wire, self._send)
        return self._send(operation, wire)

    def _send(self, operation: str, fields: Mapping[str, Any]) -> Any:
        """Sends a request, and repeats it while the service is away and the timeout has not passed."""
        # With a key, a repeat returns the world that the first request created.
        key = str(uuid.uuid4()) if operation == "createWorld" and self._retries > 0 else None
        until = time.monotonic() + self._timeout
        pause = RETRY_FIRST_S
        may_have_arrived = False
        for left in range(self._retries, -1, -1):
            try:
                return self._send_once(operation, fields, key)
            except TurngraphError as error:
                # An earlier try deleted the world, but its answer was lost.
                if operation == "deleteWorld" and may_have_arrived and error.code == "world_deleted":
                    if isinstance(error.details, dict) and "world" in error.details:
                        return error.details["world"]
                may_have_arrived = may_have_arrived or not _never_arrived(error)
                may_repeat = error.is_away and (operation != "runTurn" or _never_arrived(error))
                wait = min(pause * random.uniform(1, 2), RETRY_LAST_S)
                if left == 0 or not may_repeat or time.monotonic() + wait >= until or self._closed.wait(wait):
                    raise
                pause *= 2
        raise AssertionError("unreachable")

    def _send_once(self, operation: str, fields: Mapping[str, Any], key: str | None = None) -> Any:
        route = ROUTES[operation]
        check_values(fields)
        path, body = to_path(operation, fields)
        return exchange(
            self._base,
            route.method,
            path,
            headers=self._headers(body is not None, key),
            body=body,
            timeout=self._timeout + _time_it_may_take(operation, fields),
        )

    def _headers(self, has_body: bool, key: str | None) -> dict[str, str]:
        given = {
            "Accept": "application/json",
            "Authorization": None if self._token is None else f"Bearer {self._token}",
            "Content-Type": "application/json" if has_body else None,
            "Idempotency-Key": key,
        }
        return {name: value for name, value in given.items() if value is not None}


def _time_it_may_take(operation: str, fields: Mapping[str, Any]) -> float:
    """Returns the extra time of an operation: twice the limit of a query, which may wait as long, or the wait for an attempt."""
    if operation == "nextAttempt":
        wait = fields.get("wait_ms")
        return wait / 1000 if isinstance(wait, int) and 0 <= wait < NEXT_WAIT_MS else NEXT_WAIT_MS / 1000
    given = fields.get("timeout_ms")
    return 2 * given / 1000 if isinstance(given, (int, float)) and 0 < given < LONGEST_S else 0.0


def _never_arrived(error: TurngraphError) -> bool:
    """Returns whether the connection was refused, so the service did nothing."""
    return isinstance(error.__cause__, ConnectionRefusedError)
