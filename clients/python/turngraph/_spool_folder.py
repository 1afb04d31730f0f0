"""The folder in which captures wait while the service is away: one file a capture, as the TypeScript client has it."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import re
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .errors import TurngraphError

MAX_ENTRIES = 1_000
MAX_BYTES = 64 * 1024 * 1024
NAME = re.compile(r"^\d{16}\.json$")


class SpoolFolder:
    """What stands in it was flushed to the disk. One process has a folder at a time, of either client."""

    def __init__(self, folder: str | os.PathLike[str], *, max_entries: int, max_bytes: int) -> None:
        self.path = Path(folder).resolve()
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._refused = self.path / "refused"
        with self._on_disk():
            self._refused.mkdir(mode=0o700, parents=True, exist_ok=True)
            # Parents are made with the mode of the process, and a folder may have been made by another program.
            for private in (self.path, self._refused):
                private.chmod(0o700)
        self._lock = _FolderLock(self.path)
        with self._on_disk():
            self._waiting = [(name, (self.path / name).stat().st_size) for name in _names_in(self.path)]
            known = [name for name, _ in self._waiting] + _names_in(self._refused)
        self._last = max((int(name[:16]) for name in known), default=0)

    @property
    def worker_id(self) -> str:
        """Who this program is in leases, in this life and in the next."""
        file = self.path / "instance"
        with self._on_disk():
            if not file.exists():
                _write_durably(file, f"{uuid.uuid4()}\n")
            return file.read_text().strip()

    @property
    def waiting(self) -> int:
        """How many captures wait."""
        return len(self._waiting)

    @property
    def refused(self) -> int:
        """How many the service has refused; they stay in ``refused/`` with the error beside them."""
        with self._on_disk():
            return len(_names_in(self._refused))

    @property
    def address(self) -> str | None:
        """Where what waits is to go, as the first one that waits was told; None where nothing waits."""
        file = self.path / "address"
        with self._on_disk():
            return file.read_text() if self._waiting and file.exists() else None

    def add(self, entry: dict[str, Any], address: str) -> None:
        """Keeps a capture. Raises ``too_large`` where the spool is full, ``store_unavailable`` where the disk is."""
        content = json.dumps(entry, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        size = len(content.encode())
        total = sum(size for _, size in self._waiting)
        if len(self._waiting) >= self._max_entries or total + size > self._max_bytes:
            raise TurngraphError(
                "too_large",
                f"The spool is full: {self.waiting} captures, {total} bytes. Nothing was kept.",
                hint=f"Bring the service back, or give the spool in {self.path} more room (max_entries, max_bytes).",
                details={"spooled": False, "waiting": self.waiting, "bytes": total},
            )
        name = f"{self._last + 1:016d}.json"
        with self._on_disk():
            if not self._waiting:
                _write_durably(self.path / "address", address)
            _write_durably(self.path / name, content)
        self._last += 1
        self._waiting.append((name, size))

    def oldest(self) -> dict[str, Any] | None:
        """The capture that goes next. Raises ``invalid_request`` where its file is not a spool's."""
        if not self._waiting:
            return None
        name = self._waiting[0][0]
        try:
            entry = json.loads((self.path / name).read_text(encoding="utf-8"))
            if isinstance(entry["operation"], str) and isinstance(entry["input"], dict):
                return dict(entry)
        except (OSError, ValueError, KeyError, TypeError) as cause:
            raise _no_capture(name) from cause
        raise _no_capture(name)

    def remove_oldest(self) -> None:
        """It is stored."""
        with self._on_disk():
            (self.path / self._waiting[0][0]).unlink(missing_ok=True)
        self._waiting.pop(0)

    def refuse_oldest(self, reason: Any) -> None:
        """It will never be stored: it stays readable, beside the reason."""
        name = self._waiting[0][0]
        with self._on_disk():
            self._refused.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_durably(self._refused / f"{name[:16]}.error.json", json.dumps(reason, indent=2))
            if (self.path / name).exists():
                (self.path / name).rename(self._refused / name)
        self._waiting.pop(0)

    def release(self) -> None:
        """Another process may have it."""
        self._lock.release()

    @contextmanager
    def _on_disk(self) -> Iterator[None]:
        try:
            yield
        except OSError as cause:
            raise TurngraphError(
                "store_unavailable",
                f"The spool in {self.path} cannot be used ({os.strerror(cause.errno or 0)}).",
                hint="Check that the folder is there, that it can be written, and that the disk has room.",
                details={"spooled": False},
            ) from cause


# Node has no file locks, so the TypeScript client locks a folder by an embedded graph in it, whose engine takes an flock of
# its file. Where no such file is, this is one, as the engine makes it (Grafeo 0.6): it refuses to open an empty file.
EMPTY_GRAPH = zlib.decompress(
    base64.b64decode(
        "eNrt3U8rBHEYB/D5rc2B1NYevAvtycHJ+jeUpH0FDpwcuAkpObg5ubgpJeKAkoPyEhycNgcXJ7wAF5S1M8JmKTlM2+dT0zO/5ul3"
        "eOb0nZmauFIeaYtqClHd+sbJ0Xk8fLByeHk7175037f+UtwJUVTq6e0pRc2dPm6PRwAAAEAmxUMDo7V4H+WaXA/vJ6tJOa4d3ZfV"
        "uLFvJn1OsH/9UDFVAAAAyGb+D7/l//mP/D9bmRts7JtI8//V1HLZVAEAACBbcknEL3wJ/OEPGwWzBAAAgKwKz5/DPwAAANCKOkJX"
        "/TFAFML0012bgQAAAEAL8v0/AAAAtL54aKzy01v/kGsS7PuT0p4uO2+2LpL+/Pf9k0kppsu96trZW83lm+w/lZT3nwks7m4uuFsA"
        "AADQYvm/JP8DAADAf3kFnaY40Q=="
    )
)


class _FolderLock:
    """The lock that the TypeScript client takes, too; a kill -9 releases it."""

    def __init__(self, folder: Path) -> None:
        place = folder / "instance.lock"
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = place / "graph.db"
            if not file.exists():
                _create_durably(file, EMPTY_GRAPH)
            self._descriptor = os.open(file, os.O_RDWR)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as cause:
            os.close(self._descriptor)
            raise TurngraphError(
                "store_unavailable",
                f"The spool in {folder} is in use by another process.",
                hint="Give each process a spool of its own, or end the other one.",
            ) from cause
        except OSError as cause:
            raise TurngraphError(
                "store_unavailable",
                f"The spool in {folder} cannot be used.",
                hint="Check that it is a folder, and that it can be written.",
            ) from cause

    def release(self) -> None:
        os.close(self._descriptor)


def _names_in(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if NAME.match(entry.name))


def _write_durably(file: Path, text: str) -> None:
    """Whole or not at all, also after a power cut: drafts have another name until they are on the disk."""
    draft = file.with_name(f"{file.name}.draft")
    _flush_to(draft, text.encode())
    draft.rename(file)
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _create_durably(file: Path, content: bytes) -> None:
    """Of two processes that start at once the first one's file stays."""
    draft = file.with_name(f"{file.name}.{uuid.uuid4()}")
    _flush_to(draft, content)
    try:
        os.link(draft, file)
    except FileExistsError:
        pass  # the other one's is as good
    finally:
        draft.unlink()


def _flush_to(file: Path, content: bytes) -> None:
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(content)
        out.flush()
        os.fsync(out.fileno())


def _no_capture(name: str) -> TurngraphError:
    return TurngraphError("invalid_request", f"{name} is no capture that a spool has kept.")
