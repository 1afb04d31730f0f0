"""Captures that wait on disk while the service is away: one file per turn, in a folder that processes share.

The folder has the form of the TypeScript client: each client also sends the captures of the other.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._secrets import mask_record
from ._wire import check_fields, check_values, from_spool_form, to_spool_form
from .errors import TurngraphError

FIRST_AGAIN_S = 1.0
LAST_AGAIN_S = 15.0
# An older claim of a turn belongs to a process that ended, even if another process has its number now.
CLAIM_S = 600.0
NAME = re.compile(r"(?:(?P<turn>\d{16})\.json|worker-(?P<worker>[0-9a-f-]{36}))(?:\.claimed-(?P<pid>\d+)-(?P<since>\d+))?")
SPOOLED = ("captureTurnState", "captureReports", "commitAttempt")
# Errors that each capture would meet. Any other error holds up one world.
FOR_ALL_WORLDS = frozenset("store_unavailable timeout unauthorized rate_limited".split())
# Errors of the record itself: sending it again does not help.
REFUSALS = frozenset(
    "invalid_request too_large turn_conflict world_conflict unknown_world world_deleted not_found lease_lost".split()
)
# Constants of the Windows API.
PROCESS_QUERY_LIMITED_INFORMATION, STILL_ACTIVE, ERROR_ACCESS_DENIED = 0x1000, 259, 5
# Claims of this process: an earlier process may have had the same number.
_own_claims: set[Path] = set()

Send = Callable[[str, Mapping[str, Any]], Any]
Entry = dict[str, Any]


@dataclass(frozen=True)
class SpoolOptions:
    """The folder of a spool, and the maximum number and total size of its captures."""

    folder: str | os.PathLike[str]
    max_entries: int = 1_000
    max_bytes: int = 64 * 1024 * 1024


@dataclass(frozen=True)
class Replayed:
    """The number of captures that were stored, rejected and still wait, and the error why they wait."""

    sent: int
    refused: int
    waiting: int
    stopped_by: TurngraphError | None


class Spool:
    """A spool of captures. A kill -9 loses none: one that was sent just before is sent again, and stored once."""

    def __init__(
        self,
        options: str | os.PathLike[str] | SpoolOptions,
        *,
        send: Send,
        address: str,
        log: Callable[[str], None] | None,
    ) -> None:
        self._options = options if isinstance(options, SpoolOptions) else SpoolOptions(options)
        self.folder = Path(self._options.folder).resolve()
        self._refused = self.folder / "refused"
        self._send, self._address, self._log = send, address, log or _warn
        self._mutex = threading.RLock()
        self._pause, self._last = FIRST_AGAIN_S, 0
        # Time of the next request to a service that hangs: otherwise every call would wait for its timeout.
        self._hangs: tuple[float, TurngraphError] | None = None
        self._timer: threading.Timer | None = None
        self._closed = False
        self._passed_over: set[Path] = set()
        if _is_tracked_by_git(Path(os.path.abspath(self._options.folder))):
            raise TurngraphError(
                "invalid_request",
                f"{self.folder} is not used as a spool: git tracks it.",
                hint=f"Its turns may come from another person. Remove it: git rm -r {shlex.quote(str(self.folder))}",
            )
        with self._on_disk():
            is_new = not self.folder.exists()
            self._refused.mkdir(mode=0o700, parents=True, exist_ok=True)
            for private in (self.folder, self._refused):
                private.chmod(0o700)
            if is_new:  # an existing folder may hold files that the user wants to commit
                (self.folder / ".gitignore").write_text("*\n")
        others = [entry["address"] for entry in map(_read, self._list(self.folder)) if entry and entry["address"] != address]
        if others:
            raise _waits_for_another(self.folder, others[0], address)
        self._worker = self._claim_worker()
        self.worker_id = _part(self._worker, "worker")
        self._schedule()

    @property
    def waiting(self) -> int:
        """The number of captures that wait."""
        return len(self._list(self.folder))

    @property
    def refused(self) -> int:
        """The number of captures that the service has rejected. They stay in ``refused/``, each with its error."""
        return len(self._list(self._refused))

    def call(self, operation: str, fields: Mapping[str, Any], send: Send) -> Any:
        """Sends the waiting captures, then this call. A capture that cannot be sent waits, and raises ``store_unavailable``."""
        if operation not in SPOOLED:
            with self._mutex:
                if (away := self._clear()) is not None:
                    raise away
            return send(operation, fields)
        check_values(fields)
        check_fields(operation, fields)
        # If an answer is lost, the spooled record must equal the sent one, so the capture is masked before it is sent.
        fields = mask_record(dict(fields))
        entry = {"operation": operation, "input": to_spool_form(operation, fields), "address": self._address}
        world = _world_of(entry)
        with self._mutex:
            before = self._count_refused(world)
            away = self._clear()
            if self._count_refused(world) > before:
                raise _built_on_refused()
            # Also if an earlier turn of its world waits for another process.
            if away is not None or any(_world_of(_read(file)) == world for file in self._list(self.folder)):
                raise self._keep(entry) from away
            try:
                return send(operation, fields)
            except TurngraphError as error:
                if not error.is_away:
                    raise
                raise self._keep(entry) from error

    def replay(self) -> Replayed:
        """Sends the waiting captures until one fails. A timer does the same."""
        with self._mutex:
            return self._replay()

    def close(self) -> None:
        """Closes the spool after the current capture was sent."""
        with self._mutex:
            if self._timer is not None:
                self._timer.cancel()
            if not self._closed:
                self._move(self._worker, _unclaimed(self._worker))
            self._closed = True

    def _keep(self, entry: Entry) -> TurngraphError:
        content = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
        waiting = self._list(self.folder)
        total = sum(file.stat().st_size for file in waiting if file.exists())
        if len(waiting) >= self._options.max_entries or total + len(content) > self._options.max_bytes:
            raise TurngraphError(
                "too_large",
                f"The spool is full: {len(waiting)} captures, {total} bytes. Nothing was kept.",
                hint=f"Bring the service back, or give the spool in {self.folder} more room (max_entries, max_bytes).",
                details={"spooled": False, "waiting": len(waiting), "bytes": total},
            )
        self._last = max([self._last, *(int(file.name[:16]) for file in waiting + self._list(self._refused))]) + 1
        with self._on_disk():
            while not _create(self.folder / f"{self._last:016d}.json", content):
                self._last += 1  # another process has taken the number
        self._schedule()
        return TurngraphError(
            "store_unavailable",
            "The turn is not stored yet: it waits on this disk, and is sent when the service is back.",
            hint=f"Nothing has to be done; {self.folder} keeps it until then.",
            details={"spooled": True, "waiting": self.waiting},
        )

    def _clear(self) -> TurngraphError | None:
        """Sends the waiting captures. Returns an error if the service is away."""
        if self.waiting == 0:
            return None
        if self._hangs is not None and time.monotonic() < self._hangs[0]:
            return self._hangs[1]
        stopped_by = self._replay().stopped_by
        return stopped_by if stopped_by is not None and stopped_by.is_away else None

    def _replay(self) -> Replayed:
        sent = refused = 0
        stopped_by: TurngraphError | None = None
        blocked: set[str] = set()
        while not self._closed and (stopped_by is None or stopped_by.code not in FOR_ALL_WORLDS):
            if (claimed := self._claim_next(blocked)) is None:
                break
            entry = _read(claimed)
            world = _world_of(entry)
            try:
                self._store(entry, _unclaimed(claimed).name)
                with self._on_disk():
                    claimed.unlink(missing_ok=True)
                _own_claims.discard(claimed)
                sent += 1
            except TurngraphError as error:
                if error.code in REFUSALS:
                    refused += self._refuse(claimed, world, error)
                    continue
                self._move(claimed, _unclaimed(claimed))
                blocked.add(world)
                if error.code not in {*FOR_ALL_WORLDS, "busy"} and (stopped_by is None or str(error) != str(stopped_by)):
                    self._log(f"A spooled turn waits ({error}), and with it the later turns of its world.")
                stopped_by = error
        if sent > 0:
            self._log(f"{sent} spooled turns were sent to the service.")
        self._pause = FIRST_AGAIN_S if sent + refused > 0 else min(2 * self._pause, LAST_AGAIN_S)
        hangs = stopped_by is not None and stopped_by.code == "timeout"
        self._hangs = (time.monotonic() + self._pause, stopped_by) if hangs and stopped_by else None
        self._schedule()
        return Replayed(sent, refused, self.waiting, stopped_by)

    def _claim_next(self, blocked: set[str]) -> Path | None:
        """Claims the oldest capture for this service without an earlier one in its world."""
        worlds = set(blocked)
        for file in self._list(self.folder):
            entry = _read(file)
            if entry is None and not file.exists():
                return self._claim_next(blocked)  # another process has sent it: its world is unknown
            is_free = _world_of(entry) not in worlds and not _is_held(file)
            if is_free and (entry["address"] == self._address if entry else not self._is_unreadable(file)):
                if (claimed := self._claim(file)) is not None:
                    return claimed
            worlds.add(_world_of(entry))
        return None

    def _is_unreadable(self, file: Path) -> bool:
        """Returns whether this process cannot read a capture now. It stays in its place. Reports each once."""
        try:
            file.open("rb").close()
        except FileNotFoundError:
            return False
        except OSError as error:
            if file not in self._passed_over:
                self._passed_over.add(file)
                self._log(f"{file} waits: it cannot be read ({error.strerror}).")
            return True
        return False

    def _refuse(self, claimed: Path, world: str, error: TurngraphError) -> int:
        """Moves a turn to ``refused/`` with the reason, after the later turns of its world, which were built on it."""
        later = [file for file in self._list(self.folder) if world and not _is_held(file) and _world_of(_read(file)) == world]
        for file, reason in [*((file, _built_on_refused()) for file in later), (claimed, error)]:
            with self._on_disk():
                self._refused.mkdir(mode=0o700, exist_ok=True)
                _create(self._refused / f"{file.name[:16]}.error.json", json.dumps(reason.to_wire(), indent=2).encode())
            self._move(file, self._refused / _unclaimed(file).name)
            self._log(f"A spooled turn was refused ({reason}); it stays in {self._refused}.")
        return len(later) + 1

    def _store(self, entry: Entry | None, name: str) -> None:
        """Sends a capture. If the lease of a commit has expired, captures its turn, unless another turn was stored there."""
        if entry is None:
            raise TurngraphError("invalid_request", f"{name} is no capture that a spool has kept.")
        operation, fields = entry["operation"], from_spool_form(entry["operation"], entry["input"])
        try:
            self._send(operation, fields)
        except TurngraphError as error:
            turn = fields.get("turn") or {}
            is_whole = all(turn.get(name) is not None for name in ("feature_id", "task_id", "turn_number"))
            if error.code != "lease_lost" or not is_whole:
                raise
            self._send("captureTurnState", {**turn, "project": fields.get("project")})

    def _count_refused(self, world: str) -> int:
        return sum(_world_of(_read(file)) == world for file in self._list(self._refused))

    def _list(self, folder: Path) -> list[Path]:
        """Lists the turns in a folder, oldest first. Reports each FIFO, link and device once."""
        with self._on_disk():
            found = sorted(file for file in folder.iterdir() if (form := NAME.fullmatch(file.name)) and form["turn"])
        for file in found:
            if _is_other(file) and file not in self._passed_over:
                self._passed_over.add(file)
                self._log(f"{file} is passed over: it is not a regular file.")
        return [file for file in found if file not in self._passed_over]

    def _claim_worker(self) -> Path:
        """Claims the identity of an ended process, or a new one, so that a program is the same worker after a kill."""
        with self._on_disk():
            for file in [*self.folder.glob("worker-*"), self.folder / f"worker-{uuid.uuid4()}"]:
                if not file.exists():
                    _create(file, b"")
                if not _is_held(file) and (claimed := self._claim(file)) is not None:
                    return claimed
        return self._claim_worker()

    def _claim(self, file: Path) -> Path | None:
        claimed = file.with_name(f"{_unclaimed(file).name}.claimed-{os.getpid()}-{time.time_ns() // 1_000_000}")
        if not self._move(file, claimed):
            return None
        _own_claims.add(claimed)
        return claimed

    def _move(self, file: Path, to: Path) -> bool:
        _own_claims.discard(file)
        with self._on_disk():
            try:
                file.rename(to)
            except FileNotFoundError:
                return False  # another process was faster
            except PermissionError:
                if sys.platform != "win32" or not file.exists():
                    raise
                return False  # another process reads it at this moment
        return True

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as cause:
            raise TurngraphError(
                "store_unavailable",
                f"The spool in {self.folder} cannot be used ({os.strerror(cause.errno or 0)}).",
                hint="Check that the folder is there, that it can be written, and that the disk has room.",
                details={"spooled": False},
            ) from cause

    def _schedule(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._closed or self.waiting == 0:
            return
        self._timer = threading.Timer(self._pause, self._replay_on_timer)
        self._timer.daemon = True
        self._timer.start()

    def _replay_on_timer(self) -> None:
        try:
            if not self._closed:
                self.replay()
        except TurngraphError as error:
            self._log(str(error))


def _part(file: Path, name: str) -> str:
    found = NAME.fullmatch(file.name)
    return (found and found[name]) or ""


def _unclaimed(file: Path) -> Path:
    return file.with_name(file.name.partition(".claimed-")[0])


def _is_other(file: Path) -> bool:
    try:
        return not stat.S_ISREG(file.lstat().st_mode)
    except FileNotFoundError:
        return False


def _is_held(file: Path) -> bool:
    """Returns whether a running process has claimed the file. A worker keeps its identity while it runs."""
    pid = int(_part(file, "pid") or 0)
    if pid == 0 or file in _own_claims:
        return pid != 0
    is_old = _part(file, "turn") != "" and abs(time.time() - int(_part(file, "since")) / 1000) > CLAIM_S
    if pid == os.getpid() or is_old:
        return False
    return _is_alive(pid)


if sys.platform == "win32":

    def _is_alive(pid: int) -> bool:
        # Signal 0 would end the process there.
        import ctypes

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid)
        if not handle:
            return ctypes.get_last_error() == ERROR_ACCESS_DENIED  # it belongs to another user
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        kernel.CloseHandle(handle)
        return code.value == STILL_ACTIVE

    def _sync_folder(folder: Path) -> None:
        """Does nothing: Windows cannot open a folder, and its file system keeps a journal of names."""

else:

    def _is_alive(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it belongs to another user
        return True

    def _sync_folder(folder: Path) -> None:
        opened = os.open(folder, os.O_RDONLY)
        os.fsync(opened)
        os.close(opened)


def _create(file: Path, content: bytes) -> bool:
    """Creates a file atomically. Returns False if it already exists."""
    draft = file.with_name(f".{uuid.uuid4()}.draft")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        os.link(draft, file)
    except FileExistsError:
        return False
    finally:
        draft.unlink(missing_ok=True)
    _sync_folder(file.parent)
    return True


def _is_tracked_by_git(folder: Path) -> bool:
    """Checks whether git tracks a folder, a link with its name, or a file in it. Returns False without a repository or git."""
    parent = folder.parent.resolve()
    root = next((above for above in (parent, *parent.parents) if (above / ".git").exists()), None)
    if root is None:
        return False
    # Settings of a repository must not start a program, and variables of git must not choose another repository.
    command = ["git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-C", str(root), "ls-files", "--error-unmatch", "--"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    place = str((parent / folder.name).relative_to(root))
    try:
        return subprocess.run([*command, place], capture_output=True, env=environment, timeout=2).returncode == 0
    except FileNotFoundError:
        return False
    except subprocess.TimeoutExpired:
        return True


def _read(file: Path) -> Entry | None:
    """Reads a capture. Returns None if the file is gone or is no capture."""
    try:
        entry = json.loads(file.read_text(encoding="utf-8"))
        is_capture = entry["operation"] in SPOOLED and isinstance(entry["input"], dict) and isinstance(entry["address"], str)
        return dict(entry) if is_capture else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _world_of(entry: Entry | None) -> str:
    """Returns the key of the world, or an empty string for a file that is no capture."""
    if entry is None:
        return ""
    given = entry["input"].get("turn") or {} if entry["operation"] == "commitAttempt" else entry["input"]
    names = (given.get("featureId") or "", given.get("taskId") or "", given.get("worldSlug"))
    return json.dumps([entry["input"].get("project"), *names])


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
        hint="Open it with that url until they are sent, or name another folder. If the service has moved: turngraph spool send --moved.",
        details={"problems": [{"path": "spool", "message": f"holds turns for {waits_for}"}]},
    )


def _warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)
