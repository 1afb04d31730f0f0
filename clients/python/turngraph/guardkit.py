"""GuardKit's two functions for cross-turn learning, on Turngraph, with GuardKit's names and signatures.

As in GuardKit, neither function raises: a turn that cannot be stored now is logged, and waits on this disk while the service
is away. The service is that of TURNGRAPH_URL, TURNGRAPH_TOKEN and TURNGRAPH_PROJECT.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import logging
import math
import os
import threading
import time
import urllib.parse
import uuid
from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import Any

from ._generated import SHAPES
from .client import TurngraphClient
from .errors import TurngraphError, is_spooled

logger = logging.getLogger(__name__)

SPOOL = ".turngraph/spool"
TIMEOUT_S = 15.0
UNKNOWN_FEATURE = "FEAT-UNKNOWN"
MAX_SLUG = 200
MAX_REPORT_BYTES = 1024 * 1024
# GuardKit writes task_work_results.json together with the Player's report of the same turn.
TOGETHER_S = 60.0
# An entity that was given no start has the moment at which it was made, as its end is.
NO_DURATION = timedelta(seconds=1)
_PROCESS_STARTED = time.time()


class _Run:
    """State of a session of a task in this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.world_slug: str | None = None
        self.folder: Path | None = None
        self.turns: set[int] = set()
        # Turns whose reports were not found when they were captured.
        self.incomplete: dict[int, dict[str, Any]] = {}


_lock = threading.Lock()
_runs: dict[tuple[str, str, str], _Run] = {}
_configured: TurngraphClient | None = None


def configure(client: TurngraphClient | None) -> None:
    """Names the client that the two functions use; None: the one of the environment again."""
    global _configured
    with _lock:
        _configured = client


async def capture_turn_state(graphiti_client: object, entity: Any) -> None:
    """Stores the state at the end of a turn.

    :param graphiti_client: not used; it may be None
    :param entity: GuardKit's TurnStateEntity, or any object with its ``to_episode_body``. Promises, verifications, issues and
        files are sent too if the entity has them, otherwise from the reports of the turn in the ``autobuild_dir``
    """
    try:
        await asyncio.to_thread(_capture_entity, entity)
    except Exception as error:
        logger.warning("Turn state %s is not stored: %s", getattr(entity, "id", "?"), error)


async def load_turn_continuation_context(
    graphiti_client: object,
    feature_id: str,
    task_id: str,
    current_turn: int,
    autobuild_dir: str | os.PathLike[str] | None = None,
) -> str | None:
    """Returns what turn N needs to know; None for the first turn, without a prior turn, and if the service is away.

    :param graphiti_client: not used; it may be None
    :param autobuild_dir: the folder with the reports of the task; captures of the task read them from then on
    """
    if current_turn <= 1:
        return None
    try:
        return await asyncio.to_thread(_load, feature_id, task_id, current_turn, autobuild_dir)
    except Exception as error:
        logger.warning("The context of turn %s of %s is not loaded: %s", current_turn, task_id, error)
        return None


def _capture_entity(entity: Any) -> None:
    body = _to_body(entity)
    run = _run_of(body)
    with run.lock:
        turn: int = body["turn_number"]
        _choose_world(run, body)
        run.turns.add(turn)
        own = _parts_of(entity)
        has_own = bool(own.keys() & {"promises", "verifications", "issues"})
        reports = {} if has_own else _read_reports(run, body)
        if not reports and not has_own:
            run.incomplete[turn] = body
        _send(run, body, own, reports)


def _load(
    feature_id: str, task_id: str, current_turn: int, autobuild_dir: str | os.PathLike[str] | None
) -> str | None:
    run = _run_of({"feature_id": feature_id, "task_id": task_id})
    with run.lock:
        if autobuild_dir is not None:
            run.folder = _folder_of(Path(autobuild_dir), task_id)
            _complete(run)
        slug = run.world_slug
    feature = feature_id or (UNKNOWN_FEATURE if slug is None else None)
    try:
        answer = _client().load_turn_continuation_context(
            feature_id=feature, task_id=task_id, current_turn=current_turn, world_slug=slug
        )
    except TurngraphError as error:
        if error.code in ("unknown_world", "not_found"):
            return None  # its first capture has not arrived
        raise
    return answer["context"]


def _client() -> TurngraphClient:
    global _configured
    with _lock:
        if _configured is None:
            try:
                _configured = TurngraphClient.from_environment(spool=SPOOL, timeout=TIMEOUT_S, retries=1, log=logger.info)
            except TurngraphError as error:
                logger.warning("Turns do not wait on this disk while the service is away: %s", error)
                _configured = TurngraphClient.from_environment(timeout=TIMEOUT_S, retries=1)
        return _configured


def _run_of(named: Mapping[str, Any]) -> _Run:
    run_id = os.environ.get("TURNGRAPH_RUN_ID") or ""
    with _lock:
        run = _runs.setdefault((named["feature_id"], named["task_id"], run_id), _Run())
        if run_id:
            run.world_slug = _slug(named["task_id"], run_id)
        return run


def _choose_world(run: _Run, body: Mapping[str, Any]) -> None:
    """A new run is a new world. A process that begins above turn 1 resumes the newest world of the task."""
    is_named = bool(os.environ.get("TURNGRAPH_RUN_ID"))
    if is_named or body["turn_number"] != 1 or run.turns == {1}:
        return
    run.turns.clear()
    run.incomplete.clear()
    key = uuid.uuid4().hex
    # Replaced only by the answer: a turn of this run must not land in the world of an earlier one.
    run.world_slug = _slug(body["task_id"], f"{datetime.now():%Y%m%dT%H%M%S}-{key[:6]}")
    try:
        made = _client().create_world(
            feature_id=body["feature_id"] or UNKNOWN_FEATURE, task_id=body["task_id"], idempotency_key=key
        )
        run.world_slug = made["world_slug"]
    except TurngraphError as error:
        logger.info("The world of this run is named %s: %s", run.world_slug, error)


def _slug(task_id: str, run_id: str) -> str:
    slug = urllib.parse.quote(f"{task_id}.{run_id}", safe="")
    if len(slug) <= MAX_SLUG:
        return slug
    return f"{slug[:MAX_SLUG]}~{hashlib.sha256(slug.encode()).hexdigest()[:16]}"


def _send(run: _Run, body: dict[str, Any], own: dict[str, Any], reports: dict[str, Any]) -> None:
    """Sends a turn. A turn that is captured again replaces its earlier record, which stays in the history of the turn."""
    place: dict[str, Any] = {"on_conflict": "supersede"}
    if run.world_slug is not None:
        place |= {"world_slug": run.world_slug, "create_world": True}
    try:
        answer = _capture(body, place, own, reports)
    except TurngraphError as error:
        if not is_spooled(error):
            raise
        logger.warning("Turn %s of %s waits on this disk: the service is away.", body["turn_number"], body["task_id"])
        return
    run.world_slug = answer["world_slug"]
    for warning in answer.get("warnings", []):
        logger.info("Turn %s of %s: %s", body["turn_number"], body["task_id"], warning)


def _capture(
    body: dict[str, Any], place: dict[str, Any], own: dict[str, Any], reports: dict[str, Any]
) -> Mapping[str, Any]:
    if reports:
        try:
            return _capture_reports(body, place, reports)
        except TurngraphError as error:
            if error.code != "invalid_request":
                raise
            logger.warning("The reports of turn %s are not sent: %s", body["turn_number"], error)
    return _capture_record(body, place, own)


def _capture_record(body: dict[str, Any], place: dict[str, Any], own: dict[str, Any]) -> Mapping[str, Any]:
    known = SHAPES["captureTurnState"]
    fields = {name: value for name, value in {**body, **own}.items() if name in known}
    extra = {name: value for name, value in body.items() if name not in known}
    if extra:
        fields["extra"] = extra
    try:
        return _client().capture_turn_state(**fields, **place)
    except TurngraphError as error:
        if error.code != "invalid_request":
            raise
        # At least one field is invalid. The service reads reports field by field.
        return _capture_reports(body, place, _as_reports(body, own))


def _capture_reports(
    body: dict[str, Any], place: dict[str, Any], reports: dict[str, Any]
) -> Mapping[str, Any]:
    scope = {name: body[name] for name in ("feature_id", "task_id", "turn_number")}
    return _client().capture_reports(**scope, **place, turn_state=body, **reports)


def _as_reports(body: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Converts the fields of an entity into the form of the agents' reports."""
    reports: dict[str, Any] = {}
    if "promises" in own:
        reports["player_report"] = {
            "implementation_notes": body.get("player_summary"),
            "success": body.get("player_decision") != "failed",
            "completion_promises": own["promises"],
            "files_modified": own.get("files_modified", body.get("files_modified")),
        }
    if own.keys() & {"verifications", "issues"}:
        reports["coach_report"] = {
            "decision": body.get("coach_decision"),
            "rationale": body.get("coach_feedback"),
            "criteria_verification": own.get("verifications"),
            "issues": own.get("issues"),
        }
    return reports


def _to_body(entity: Any) -> dict[str, Any]:
    given = entity if isinstance(entity, Mapping) else entity.to_episode_body()
    body: dict[str, Any] = _plain(given)
    for name in ("started_at", "completed_at"):
        moment = _moment(given.get(name) if isinstance(entity, Mapping) else getattr(entity, name, given.get(name)))
        if moment is not None:
            body[name] = moment.isoformat()
    started, completed = _moment(body.get("started_at")), _moment(body.get("completed_at"))
    if started is not None and completed is not None and abs(completed - started) < NO_DURATION:
        del body["started_at"]
    return body


def _moment(given: Any) -> datetime | None:
    """A time with its zone. A time without one is the machine's here, and UTC for the service."""
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given.replace("Z", "+00:00"))
        except ValueError:
            return None
    try:
        return given.astimezone() if isinstance(given, datetime) else None
    except (OSError, OverflowError, ValueError):
        return None  # before the first time that the system knows


# The names that an entity may have for each part of a turn.
PARTS = {
    "promises": ("promises", "completion_promises"),
    "verifications": ("verifications", "criteria_verification"),
    "issues": ("issues",),
    "files_modified": ("files_modified",),
}


def _parts_of(entity: Any) -> dict[str, Any]:
    def get(name: str) -> Any:
        return entity.get(name) if isinstance(entity, Mapping) else getattr(entity, name, None)

    found = {part: next((value for value in map(get, names) if value), None) for part, names in PARTS.items()}
    return {part: _plain(value) for part, value in found.items() if value is not None}


def _plain(value: Any) -> Any:
    """A value as JSON has it. Half of a surrogate pair becomes U+FFFD; NaN and infinity become None."""
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, datetime):
        return (_moment(value) or value).isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _plain(dataclasses.asdict(value))
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return _plain(str(value))


def _folder_of(autobuild_dir: Path, task_id: str) -> Path:
    """The folder of the task: the given one, or the one in it that is named after the task."""
    below = autobuild_dir / task_id
    return below if below.is_dir() else autobuild_dir


def _read_reports(run: _Run, body: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the reports of a turn. Empty without a report of the Player or the Coach.

    Without an ``autobuild_dir``, reads the folders of the task in the working folder and in the worktree below it that has most
    reports. A file there that is older than this process is of an earlier run.
    """
    turn: int = body["turn_number"]
    if run.folder is not None:
        return _read_folder(run.folder, turn, 0.0)
    own = Path(".guardkit", "autobuild", body["task_id"])
    if own.name != body["task_id"]:
        return {}  # its name leads to another folder
    roots = [Path(), *sorted(Path(".guardkit", "worktrees").glob("*"))]
    working, *worktrees = (_read_folder(root / own, turn, _PROCESS_STARTED - 1) for root in roots)
    of_worktree = max(worktrees, key=len, default={})
    return {**of_worktree, **working}


def _read_folder(folder: Path, turn: int, not_before: float) -> dict[str, Any]:
    player, coach = f"player_turn_{turn}.json", f"coach_turn_{turn}.json"
    written = _changed_at(folder / player)
    # A private folder outlives its worktree. A file there that is older than the Player's report is of an earlier run.
    private = [_read(place / coach, max(not_before, written - TOGETHER_S)) for place in _private_folders(folder)]
    reports: dict[str, Any] = {
        "player_report": _read(folder / player, not_before),
        "coach_report": next(filter(None, private), None) or _read(folder / coach, not_before),
    }
    if not any(reports.values()):
        return {}
    reports["task_work_results"] = _read(folder / "task_work_results.json", written - TOGETHER_S) if written else None
    reports["coach_feedback"] = _read(folder / f"coach_feedback_for_turn_{turn}.json", not_before)
    return {field: report for field, report in reports.items() if report}


def _private_folders(folder: Path) -> list[Path]:
    """Lists the folders in which newer sessions hide the Coach's files from the Player.

    They are next to ``autobuild``, or next to the folder of the worktrees if the Player works in a worktree.
    """
    parents = folder.absolute().parents
    places = [place for i, place in enumerate(parents) if i == 1 or (i == 4 and parents[3].name == "worktrees")]
    return [place / "autobuild-private" / folder.name for place in places]


def _complete(run: _Run) -> None:
    """Captures turns again whose reports were not known where they were captured."""
    for turn, body in sorted(run.incomplete.items()):
        reports = _read_reports(run, body)
        if reports:
            _send(run, body, {}, reports)
        del run.incomplete[turn]


def _read(file: Path, not_before: float) -> Any:
    try:
        found = file.stat()
        if found.st_mtime < not_before or found.st_size > MAX_REPORT_BYTES or not file.is_file():
            return None
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
    try:
        return _plain(json.loads(text, parse_constant=_refuse_constant))
    except (ValueError, RecursionError):
        return text  # the service finds JSON in prose


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _changed_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0
