"""Captures that wait on disk while the service is away, and go to it in their order once it is back."""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._secrets import mask_record
from ._spool_folder import MAX_BYTES, MAX_ENTRIES, SpoolFolder
from ._wire import check_fields, check_values, from_spool_form, to_spool_form
from .errors import TurngraphError

FIRST_AGAIN_S = 1.0
LAST_AGAIN_S = 15.0
SPOOLED = ("captureTurnState", "commitAttempt")

# Asking again would not help: the record itself is refused, not the moment.
REFUSALS = frozenset(
    {
        "invalid_request",
        "too_large",
        "turn_conflict",
        "world_conflict",
        "unknown_world",
        "world_deleted",
        "not_found",
        "lease_lost",
    }
)

Send = Callable[[str, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class SpoolOptions:
    """A folder, for one process at a time, and how much may wait in it."""

    folder: str | os.PathLike[str]
    max_entries: int = MAX_ENTRIES
    max_bytes: int = MAX_BYTES


@dataclass(frozen=True)
class Replayed:
    """How many the service has stored or refused, how many still wait, and why they do."""

    sent: int
    refused: int
    waiting: int
    stopped_by: TurngraphError | None


class Spool:
    """A kill -9 loses none that waits; one that was sent just before it is sent again, and stored once.

    The folder's form is that of the TypeScript client: what one of them has kept, the other sends. Secrets are masked
    before a capture is sent or waits, as there: the record that waits must be the one whose answer was lost.
    """

    def __init__(
        self,
        options: str | os.PathLike[str] | SpoolOptions,
        *,
        send: Send,
        address: str,
        log: Callable[[str], None] | None,
    ) -> None:
        given = options if isinstance(options, SpoolOptions) else SpoolOptions(options)
        self._folder = SpoolFolder(given.folder, max_entries=given.max_entries, max_bytes=given.max_bytes)
        self._send = send
        self._address = address
        self._log = log or _warn
        # One at a time: what waits goes in its order, also where several threads capture.
        self._mutex = threading.RLock()
        self._refusals: dict[str, int] = {}
        self._pause = FIRST_AGAIN_S
        # A service that hangs is not asked again before then: every call would wait for its time-out.
        self._hangs: tuple[float, TurngraphError] | None = None
        self._timer: threading.Timer | None = None
        self._closed = False
        if (waits_for := self._folder.address) not in (None, address):
            self._folder.release()
            raise _waits_for_another(self.folder, str(waits_for), address)
        self._schedule()

    @property
    def folder(self) -> Path:
        return self._folder.path

    @property
    def worker_id(self) -> str:
        return self._folder.worker_id

    @property
    def waiting(self) -> int:
        """How many captures wait."""
        return self._folder.waiting

    @property
    def refused(self) -> int:
        """How many the service has refused; they stay in ``refused/`` with the error beside them."""
        return self._folder.refused

    def call(self, operation: str, fields: Mapping[str, Any], send: Send) -> Any:
        """Sends what waits, then this; a capture that cannot go now waits too, and raises what says so."""
        if operation not in SPOOLED:
            with self._mutex:
                if (away := self._clear()) is not None:
                    raise away
            return send(operation, fields)
        check_values(fields)
        check_fields(operation, fields)
        fields = _masked(operation, fields)
        world = _world_of(operation, fields)
        with self._mutex:
            before = self._refusals.get(world, 0)
            away = self._clear()
            if self._refusals.get(world, 0) > before:
                raise _built_on_refused()
            # Also where it waits for a world that is at work, behind others.
            if away is not None or self.waiting > 0:
                raise self._keep(operation, fields) from away
            try:
                return send(operation, fields)
            except TurngraphError as error:
                if not error.is_away:
                    raise
                raise self._keep(operation, fields) from error

    def replay(self) -> Replayed:
        """Sends what waits, as far as the service takes it. It happens by itself, too."""
        with self._mutex:
            return self._replay()

    def close(self) -> None:
        """What is being sent is sent first: the folder is somebody else's then."""
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            if self._timer is not None:
                self._timer.cancel()
            self._folder.release()

    def _keep(self, operation: str, fields: Mapping[str, Any]) -> TurngraphError:
        self._folder.add({"operation": operation, "input": to_spool_form(operation, fields)}, self._address)
        self._schedule()
        return TurngraphError(
            "store_unavailable",
            "The turn is not stored yet: it waits on this disk, and is sent when the service is back.",
            hint=f"Nothing has to be done; {self.folder} keeps it until then.",
            details={"spooled": True, "waiting": self.waiting},
        )

    def _clear(self) -> TurngraphError | None:
        """Sends what waits before anything else is asked; answers what keeps it waiting where the service is away."""
        if self.waiting == 0:
            return None
        if self._hangs is not None and time.monotonic() < self._hangs[0]:
            return self._hangs[1]
        stopped_by = self._replay().stopped_by
        return stopped_by if stopped_by is not None and stopped_by.is_away else None

    def _replay(self) -> Replayed:
        sent = refused = 0
        stopped_by: TurngraphError | None = None
        torn: set[str] = set()  # worlds that had a turn refused: their later turns were built on it
        while self.waiting > 0 and not self._closed:
            world = ""
            try:
                entry = self._folder.oldest()
                if entry is None:
                    break
                operation, fields = entry["operation"], from_spool_form(entry["operation"], entry["input"])
                world = _world_of(operation, fields)
                if world in torn:
                    raise _built_on_refused()
                self._store(operation, fields)
            except TurngraphError as error:
                if error.code not in REFUSALS:
                    stopped_by = error
                    break
                torn.add(world)
                self._refusals[world] = self._refusals.get(world, 0) + 1
                self._folder.refuse_oldest(error.to_wire())
                self._log(f"A spooled turn was refused ({error}); it stays in {self.folder}/refused.")
                refused += 1
            else:
                self._folder.remove_oldest()
                sent += 1
        if sent > 0:
            self._log(f"{sent} spooled turns were sent to the service.")
        self._pause = FIRST_AGAIN_S if sent + refused > 0 else min(2 * self._pause, LAST_AGAIN_S)
        hangs = stopped_by is not None and stopped_by.code == "timeout"
        self._hangs = (time.monotonic() + self._pause, stopped_by) if hangs and stopped_by else None
        self._schedule()
        return Replayed(sent, refused, self.waiting, stopped_by)

    def _store(self, operation: str, fields: dict[str, Any]) -> None:
        """A commit whose lease has run out meanwhile is captured as the turn that it is.

        The graph refuses it where anybody else has written that turn, or is at work on it.
        """
        try:
            self._send(operation, fields)
        except TurngraphError as error:
            turn = fields.get("turn")
            if operation != "commitAttempt" or error.code != "lease_lost" or not isinstance(turn, dict):
                raise
            if any(turn.get(name) is None for name in ("feature_id", "task_id", "turn_number")):
                raise
            self._send("captureTurnState", {**turn, "project": fields.get("project")})

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._closed or self.waiting == 0:
            return
        self._timer = threading.Timer(self._pause, self._replay_by_itself)
        self._timer.daemon = True
        self._timer.start()

    def _replay_by_itself(self) -> None:
        try:
            if not self._closed:
                self.replay()
        except TurngraphError as error:
            self._log(str(error))


def _masked(operation: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
    if operation == "captureTurnState":
        return dict(mask_record(dict(fields)))
    return {**fields, "turn": mask_record(fields.get("turn"))}


def _world_of(operation: str, fields: Mapping[str, Any]) -> str:
    given: Any = fields if operation == "captureTurnState" else fields.get("turn", {})
    names = (given.get("feature_id") or "", given.get("task_id") or "", given.get("world_slug"))
    return json.dumps([fields.get("project"), *names])


def _built_on_refused() -> TurngraphError:
    return TurngraphError(
        "turn_conflict",
        "It was built on a turn of its world that was refused.",
        hint="The spool's folder `refused` holds that turn with the reason; somebody else may have gone on with the world.",
    )


def _waits_for_another(folder: Path, waits_for: str, address: str) -> TurngraphError:
    return TurngraphError(
        "invalid_request",
        f"spool: turns in {folder} wait for {waits_for}, not for {address}",
        hint="Open it with that url until they are sent, or name another folder.",
        details={"problems": [{"path": "spool", "message": f"holds turns for {waits_for}"}]},
    )


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
