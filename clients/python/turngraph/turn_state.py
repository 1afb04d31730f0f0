"""The two functions of an autobuild orchestrator, with the names and signatures of GuardKit."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from .client import TurngraphClient


class TurnMode(Enum):
    """How a turn began."""

    FRESH_START = "fresh_start"
    RECOVERING_STATE = "recovering_state"
    CONTINUING_WORK = "continuing_work"


def _now() -> datetime:
    return datetime.now(timezone.utc)


@dataclass
class TurnStateEntity:
    """The state at the end of a turn."""

    id: str
    feature_id: str
    task_id: str
    turn_number: int
    player_summary: str
    player_decision: str
    coach_decision: str
    coach_feedback: str | None
    mode: TurnMode
    blockers_found: list[str] = field(default_factory=list)
    progress_summary: str = ""
    acceptance_criteria_status: dict[str, str] = field(default_factory=dict)
    tests_passed: int | None = None
    tests_failed: int | None = None
    coverage: float | None = None
    arch_score: int | None = None
    started_at: datetime = field(default_factory=_now)
    completed_at: datetime = field(default_factory=_now)
    duration_seconds: int | None = None
    lessons_from_turn: list[str] = field(default_factory=list)
    what_to_try_next: str | None = None

    def to_episode_body(self) -> dict[str, Any]:
        """Returns the record in the form that Turngraph captures."""
        return {
            "entity_type": "turn_state",
            **vars(self),
            "mode": self.mode.value,
            "started_at": self.started_at.isoformat(),
            "completed_at": self.completed_at.isoformat(),
        }


_configured: TurngraphClient | None = None


def configure(client: TurngraphClient | None) -> None:
    """Sets the client of the two functions, or restores the one from the environment if it is None."""
    global _configured
    _configured = client


def _client() -> TurngraphClient:
    global _configured
    if _configured is None:
        _configured = TurngraphClient.from_environment()
    return _configured


async def capture_turn_state(
    feature_id: str,
    task_id: str,
    turn_number: int,
    player_summary: str,
    player_decision: str,
    coach_decision: str,
    coach_feedback: str | None = None,
    mode: TurnMode = TurnMode.CONTINUING_WORK,
    **kwargs: Any,
) -> TurnStateEntity:
    """Captures the state at the end of a turn. Returns the stored state, or raises TurngraphError."""
    turn_state = TurnStateEntity(
        id=f"TURN-{feature_id}-{turn_number}",
        feature_id=feature_id,
        task_id=task_id,
        turn_number=turn_number,
        player_summary=player_summary,
        player_decision=player_decision,
        coach_decision=coach_decision,
        coach_feedback=coach_feedback,
        mode=mode,
        **kwargs,
    )
    body = turn_state.to_episode_body()
    for time in ("started_at", "completed_at"):
        if time in kwargs:
            # A time without a zone is local time here, but UTC for the service.
            body[time] = getattr(turn_state, time).astimezone().isoformat()
        else:
            # The time of this call is not sent: a repeated capture would be a different record.
            del body[time]
    await asyncio.to_thread(lambda: _client().capture_turn_state(**body))
    return turn_state


async def load_turn_continuation_context(
    feature_id: str,
    current_turn: int,
    *,
    task_id: str | None = None,
    world_slug: str | None = None,
) -> str | None:
    """Returns the context for turn N if N > 1, and None for the first turn.

    Without a task and a world, the most recently active session of the feature is used, because a feature may have several
    tasks.
    """
    if current_turn <= 1:
        return None
    return await asyncio.to_thread(_load, feature_id, task_id, world_slug, current_turn)


def _load(feature_id: str, task_id: str | None, world_slug: str | None, current_turn: int) -> str | None:
    client = _client()
    if task_id is None and world_slug is None:
        task_id, world_slug = _last_active(client, feature_id)
        if world_slug is None:
            return None
    answer = client.load_turn_continuation_context(
        feature_id=feature_id, task_id=task_id, world_slug=world_slug, current_turn=current_turn
    )
    return answer["context"]


def _last_active(client: TurngraphClient, feature_id: str) -> tuple[str | None, str | None]:
    from .errors import TurngraphError

    try:
        worlds = client.list_worlds(feature_id=feature_id, order="last_activity", limit=1)["items"]
    except TurngraphError as error:
        if error.code == "not_found":
            return None, None
        raise
    return (worlds[0]["task_id"], worlds[0]["world_slug"]) if worlds else (None, None)
