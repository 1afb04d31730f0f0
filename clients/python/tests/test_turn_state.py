"""The two functions of GuardKit's orchestrator."""

from __future__ import annotations

import asyncio
import inspect
import os
import time
from datetime import datetime, timezone

import turngraph
from turngraph import TurngraphError, TurnMode, capture_turn_state, load_turn_continuation_context

from .service import ServiceTest


def set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    time.tzset()


def instant_of(local: datetime) -> datetime:
    return local.astimezone(timezone.utc)


class TurnStateTest(ServiceTest):
    def setUp(self) -> None:
        super().setUp()
        turngraph.configure(self.client())
        self.addCleanup(turngraph.configure, None)

    def test_the_context_of_the_next_turn_has_the_lessons_of_the_last_one(self) -> None:
        async def session() -> str | None:
            feature, task = self.task["feature_id"], self.task["task_id"]
            self.assertIsNone(await load_turn_continuation_context(feature, 1))
            self.assertIsNone(await load_turn_continuation_context(feature, 2))
            entity = await capture_turn_state(
                feature,
                task,
                1,
                "Built the login",
                "implemented",
                "feedback",
                coach_feedback="Tests are missing",
                mode=TurnMode.FRESH_START,
                blockers_found=["no network"],
                acceptance_criteria_status={"AC-1": "verified", "AC-2": "rejected"},
                lessons_from_turn=["run ruff first"],
                what_to_try_next="AC-2",
            )
            self.assertEqual(entity.id, f"TURN-{feature}-1")
            return await load_turn_continuation_context(feature, 2)

        context = asyncio.run(session())
        self.assertEqual(
            context,
            "## Previous Turn Summary (Turn 1)\n"
            "**What was attempted**: Built the login\n"
            "**Coach decision**: feedback\n"
            "**Feedback**: Tests are missing\n"
            "**Blockers found**: no network\n"
            "**Lessons learned**: run ruff first\n"
            "**Suggested focus for this turn**: AC-2\n"
            "\n"
            "**Acceptance Criteria Status**:\n"
            "  ✓ AC-1: verified\n"
            "  ✗ AC-2: rejected",
        )

    def test_a_time_without_a_zone_is_local_time(self) -> None:
        self.addCleanup(set_zone, os.environ.get("TZ"))
        set_zone("Asia/Kolkata")
        local = datetime(2026, 1, 31, 12, 0, 0)
        feature, task = self.task["feature_id"], self.task["task_id"]
        captured = capture_turn_state(
            feature, task, 1, "Built it", "implemented", "approved", started_at=local, completed_at=local
        )
        asyncio.run(captured)
        client = self.client()
        slug = client.list_worlds(**self.task)["items"][0]["world_slug"]
        stored = client.get_turn(world_slug=slug, turn_number=1)
        for field in (stored["started_at"], stored["completed_at"]):
            self.assertEqual(datetime.fromisoformat(str(field).replace("Z", "+00:00")), instant_of(local))

    def test_the_same_turn_captured_again_is_the_same_record(self) -> None:
        feature, task = self.task["feature_id"], self.task["task_id"]
        turngraph.configure(self.client())
        for _ in range(2):
            asyncio.run(capture_turn_state(feature, task, 1, "Built it", "implemented", "feedback"))
        slug = self.client().list_worlds(**self.task)["items"][0]["world_slug"]
        stored = self.client().get_turn(world_slug=slug, turn_number=1)
        self.assertIsNone(stored["started_at"])
        self.assertIsNotNone(stored["completed_at"])

    def test_a_call_without_a_task_uses_the_most_recently_active_session(self) -> None:
        client, feature = self.client(), self.task["feature_id"]
        for minute, (task, number) in enumerate((("z", 1), ("a", 1), ("z", 2))):
            turn = self.turn(number, player_summary=f"{task} {number}", completed_at=f"2026-01-31T12:0{minute}:00Z")
            client.capture_turn_state(**{**turn, "task_id": f"{self.task['task_id']}-{task}"})
        context = asyncio.run(load_turn_continuation_context(feature, 3))
        self.assertIn("z 2", context or "")

    def test_the_first_turn_has_no_context_and_sends_no_request(self) -> None:
        network = self.network()
        turngraph.configure(self.client(network.url))
        task, feature = self.task["task_id"], self.task["feature_id"]
        self.assertIsNone(asyncio.run(load_turn_continuation_context(feature, 1, task_id=task)))
        self.assertEqual(network.seen, [])

    def test_an_unreachable_service_is_an_error_and_not_an_empty_context(self) -> None:
        turngraph.configure(self.client("http://127.0.0.1:1"))
        with self.assertRaises(TurngraphError) as raised:
            asyncio.run(load_turn_continuation_context("F", 2))
        self.assertEqual(raised.exception.code, "store_unavailable")

    def test_the_signatures_are_those_of_the_orchestrator(self) -> None:
        positional = [
            name
            for name, parameter in inspect.signature(load_turn_continuation_context).parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        self.assertEqual(positional, ["feature_id", "current_turn"])
        self.assertEqual(
            list(inspect.signature(capture_turn_state).parameters),
            [
                "feature_id",
                "task_id",
                "turn_number",
                "player_summary",
                "player_decision",
                "coach_decision",
                "coach_feedback",
                "mode",
                "kwargs",
            ],
        )
