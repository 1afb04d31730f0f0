"""GuardKit's two functions on a real service, with its entity as it is in GuardKit."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import subprocess
import sys
import time
import unittest
from dataclasses import dataclass, field
from datetime import datetime, timezone
from enum import Enum
from pathlib import Path
from typing import Any, Dict, List, Optional

from turngraph import guardkit
from turngraph.guardkit import capture_turn_state, load_turn_continuation_context

from .service import TOKEN, URL, ServiceTest


class TurnMode(Enum):
    FRESH_START = "fresh_start"
    RECOVERING_STATE = "recovering_state"
    CONTINUING_WORK = "continuing_work"


@dataclass
class TurnStateEntity:
    id: str
    feature_id: str
    task_id: str
    turn_number: int
    player_summary: str
    player_decision: str
    coach_decision: str
    coach_feedback: Optional[str]
    mode: TurnMode
    blockers_found: List[str] = field(default_factory=list)
    progress_summary: str = ""
    acceptance_criteria_status: Dict[str, str] = field(default_factory=dict)
    tests_passed: Optional[int] = None
    tests_failed: Optional[int] = None
    coverage: Any = None
    arch_score: Optional[int] = None
    started_at: datetime = field(default_factory=datetime.now)
    completed_at: datetime = field(default_factory=datetime.now)
    duration_seconds: Optional[int] = None
    lessons_from_turn: List[str] = field(default_factory=list)
    what_to_try_next: Optional[str] = None

    def to_episode_body(self) -> dict[str, Any]:
        return {
            "entity_type": "turn_state",
            "id": self.id,
            "feature_id": self.feature_id,
            "task_id": self.task_id,
            "turn_number": self.turn_number,
            "player_summary": self.player_summary,
            "player_decision": self.player_decision,
            "coach_decision": self.coach_decision,
            "coach_feedback": self.coach_feedback,
            "mode": self.mode.value,
            "blockers_found": self.blockers_found,
            "progress_summary": self.progress_summary,
            "acceptance_criteria_status": self.acceptance_criteria_status,
            "tests_passed": self.tests_passed,
            "tests_failed": self.tests_failed,
            "coverage": self.coverage,
            "arch_score": self.arch_score,
            "started_at": self.started_at.isoformat(),
            "completed_at": self.completed_at.isoformat(),
            "duration_seconds": self.duration_seconds,
            "lessons_from_turn": self.lessons_from_turn,
            "what_to_try_next": self.what_to_try_next,
        }


def entity(feature_id: str, task_id: str, turn: int, **more: Any) -> TurnStateEntity:
    """As GuardKit makes it: the Coach's word is the Player's decision too."""
    given: dict[str, Any] = {
        "player_summary": f"Attempt {turn}",
        "player_decision": "feedback",
        "coach_decision": "feedback",
        "coach_feedback": f"Feedback {turn}",
        "mode": TurnMode.FRESH_START if turn == 1 else TurnMode.CONTINUING_WORK,
        **more,
    }
    return TurnStateEntity(
        id=f"TURN-{feature_id}-{turn}", feature_id=feature_id, task_id=task_id, turn_number=turn, **given
    )


def capture(*turns: TurnStateEntity) -> None:
    async def session() -> None:
        for turn in turns:
            await capture_turn_state(None, turn)

    asyncio.run(session())


PROCESS = """
import sys, asyncio, json
from tests.test_guardkit import capture, entity
feature, task, turns, end = json.loads(sys.argv[1])
capture(*(entity(feature, task, turn) for turn in turns))
if end == "crash":
    import os
    os._exit(1)
"""


class GuardkitTest(ServiceTest):
    def setUp(self) -> None:
        super().setUp()
        guardkit._runs.clear()
        guardkit.configure(self.client())
        self.addCleanup(guardkit.configure, None)
        self.feature: str = self.task["feature_id"]
        self.task_id: str = self.task["task_id"]

    def entity(self, turn: int, **more: Any) -> TurnStateEntity:
        return entity(self.feature, self.task_id, turn, **more)

    def load(self, turn: int, autobuild_dir: Any = None) -> str | None:
        return asyncio.run(load_turn_continuation_context(None, self.feature, self.task_id, turn, autobuild_dir))

    def process(self, *turns: int, run_id: str | None = None, end: str = "") -> None:
        """Another process of the orchestrator, which captures these turns."""
        env = {**os.environ, "TURNGRAPH_URL": URL, "TURNGRAPH_TOKEN": TOKEN}
        if run_id is not None:
            env["TURNGRAPH_RUN_ID"] = run_id
        package = str(Path(__file__).parent.parent)
        env["PYTHONPATH"] = os.pathsep.join([package, env.get("PYTHONPATH", "")])
        given = json.dumps([self.feature, self.task_id, turns, end])
        done = subprocess.run([sys.executable, "-c", PROCESS, given], env=env, cwd=self.folder, timeout=60)
        self.assertEqual(done.returncode, 1 if end else 0)

    def worlds(self) -> dict[str, list[int]]:
        """The turns of each world of the task, the worlds in the order of their first capture."""
        client = self.client()
        worlds = client.list_worlds(feature_id=self.feature, task_id=self.task_id)["items"]
        return {
            world["world_slug"]: [
                turn["turn_number"] for turn in client.list_turns(world_slug=world["world_slug"])["items"]
            ]
            for world in worlds
        }

    def stored(self, turn: int) -> Any:
        (slug,) = self.worlds()
        return self.client().get_turn(world_slug=slug, turn_number=turn)

    def write_reports(self, folder: Path, turn: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        player = {
            "task_id": self.task_id,
            "turn": turn,
            "implementation_notes": f"Built part {turn}",
            "files_modified": [f"src/part_{turn}.py"],
            "completion_promises": [
                {"criterion_id": f"AC-{turn}", "criterion_text": f"Part {turn} works", "status": "complete"}
            ],
        }
        coach = {
            "task_id": self.task_id,
            "turn": turn,
            "decision": "feedback",
            "rationale": f"Look at part {turn}",
            "criteria_verification": [{"criterion_id": f"AC-{turn}", "result": "verified", "notes": "Seen"}],
            "issues": [{"severity": "must_fix", "description": f"No test of part {turn}"}],
        }
        (folder / f"player_turn_{turn}.json").write_text(json.dumps(player), encoding="utf-8")
        (folder / f"coach_turn_{turn}.json").write_text(json.dumps(coach), encoding="utf-8")

    def test_six_turns_with_their_reports(self) -> None:
        folder = Path(self.folder, "autobuild", self.task_id)
        for turn in range(1, 7):
            context = self.load(turn, folder)
            if turn == 1:
                self.assertIsNone(context)
            else:
                self.assertIn(f"Built part {turn - 1}", context or "")
                self.assertIn(f"No test of part {turn - 1}", context or "")
                self.assertIn("✓ AC-1", context or "")
            self.write_reports(folder, turn)
            capture(self.entity(turn))
        self.assertEqual(self.worlds(), {self.task_id: [1, 2, 3, 4, 5, 6]})
        for turn in (1, 6):  # the folder is known from turn 2 on; turn 1 is completed then
            stored = self.stored(turn)
            self.assertEqual(stored["promises"][0]["criterion_id"], f"AC-{turn}")
            self.assertEqual(stored["verifications"][0]["status"], "verified")
            self.assertEqual(stored["issues"][0]["severity"], "blocking")
            self.assertEqual(stored["files_modified"], [f"src/part_{turn}.py"])
            self.assertEqual(stored["player_decision"], "implemented")

    def test_reports_in_the_working_folder_are_found_and_those_of_an_earlier_run_are_not(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        folder = Path(".guardkit", "worktrees", self.feature, ".guardkit", "autobuild", self.task_id)
        for turn in (1, 2):
            self.write_reports(folder, turn)
        for name in ("player_turn_2.json", "coach_turn_2.json"):
            os.utime(folder / name, (0, 0))
        capture(self.entity(1), self.entity(2))
        self.assertEqual(self.stored(1)["promises"][0]["criterion_id"], "AC-1")
        self.assertEqual((self.stored(2)["promises"], self.stored(2)["player_summary"]), ([], "Attempt 2"))

    def test_both_reports_of_a_worktree_are_sent_if_the_coach_s_is_next_to_the_worktrees(self) -> None:
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        worktree = Path(".guardkit", "worktrees", self.feature, ".guardkit", "autobuild", self.task_id)
        private = Path(".guardkit", "autobuild-private", self.task_id)
        for folder in (private, Path(".guardkit", "worktrees", "A-FEATURE-OF-ANOTHER-TASK")):
            folder.mkdir(parents=True)
        for turn in (1, 2, 3):
            self.write_reports(worktree, turn)
            (worktree / f"coach_turn_{turn}.json").rename(private / f"coach_turn_{turn}.json")
        os.utime(private / "coach_turn_3.json", (0, 0))  # of an earlier run
        capture(self.entity(1))
        self.load(2, worktree)
        capture(self.entity(2), self.entity(3))
        for turn in (1, 2):
            stored = self.stored(turn)
            self.assertEqual(stored["promises"][0]["criterion_id"], f"AC-{turn}")
            self.assertEqual(stored["verifications"][0]["criterion_id"], f"AC-{turn}")
        self.assertEqual((len(self.stored(3)["promises"]), self.stored(3)["verifications"]), (1, []))

    def test_a_report_in_prose_is_sent_as_text(self) -> None:
        folder = Path(self.folder, self.task_id)
        self.write_reports(folder, 1)
        report = (folder / "coach_turn_1.json").read_text(encoding="utf-8")
        (folder / "coach_turn_1.json").write_text(f"Verdict:\n```json\n{report}\n```\n", encoding="utf-8")
        self.load(2, self.folder)
        capture(self.entity(1))
        self.assertEqual(self.stored(1)["coach_feedback"], "Look at part 1")

    def test_what_the_entity_has_is_sent(self) -> None:
        turn = self.entity(1)
        more: dict[str, Any] = {
            "completion_promises": [{"criterion_id": "AC-1", "status": "complete"}],
            "verifications": [{"criterion_id": "AC-1", "status": "verified"}],
            "issues": [{"severity": "blocking", "description": "No test"}],
            "files_modified": ["src/a.py"],
        }
        for name, value in more.items():
            setattr(turn, name, value)
        capture(turn)
        stored = self.stored(1)
        self.assertEqual(stored["promises"][0]["status"], "complete")
        self.assertEqual(stored["verifications"][0]["status"], "verified")
        self.assertEqual(stored["issues"][0]["description"], "No test")
        self.assertEqual(stored["files_modified"], ["src/a.py"])
        self.assertEqual((stored["player_decision"], stored["player_decision_raw"]), ("implemented", "feedback"))
        self.assertEqual(stored["player_summary"], "Attempt 1")

    def test_a_field_that_does_not_fit_does_not_lose_the_turn(self) -> None:
        turn = self.entity(1, coverage="85%")
        setattr(turn, "promises", [{"ac_id": "AC-1", "status": "done", "confidence": "high"}])
        capture(turn)
        stored = self.stored(1)
        self.assertEqual(stored["coverage"], 85)
        self.assertEqual((stored["promises"][0]["criterion_id"], stored["promises"][0]["status"]), ("AC-1", "complete"))
        self.assertEqual(stored["player_summary"], "Attempt 1")

    def test_a_value_that_json_has_no_form_for_does_not_lose_the_turn(self) -> None:
        folder = Path(self.folder, self.task_id)
        self.write_reports(folder, 2)
        report = (folder / "player_turn_2.json").read_text(encoding="utf-8")
        (folder / "player_turn_2.json").write_text(report.replace("Built", "\\ud83d Built"), encoding="utf-8")
        capture(self.entity(1, coverage=float("nan"), player_summary="Cut at \ud83d"))
        self.load(2, self.folder)
        capture(self.entity(2, coverage=float("inf")))
        stored = self.stored(1)
        self.assertEqual((stored["coverage"], stored["player_summary"]), (None, "Cut at \ufffd"))
        self.assertEqual(self.stored(2)["player_summary"], "\ufffd Built part 2")

    def test_a_key_that_guardkit_adds_is_kept(self) -> None:
        class Newer(TurnStateEntity):
            def to_episode_body(self) -> dict[str, Any]:
                return {**super().to_episode_body(), "sdk_turns": 7}

        capture(Newer(**vars(self.entity(1))))
        self.assertEqual(self.stored(1)["extra"], {"sdk_turns": 7})

    def test_a_resume_goes_on_in_the_same_world_and_a_new_run_begins_another(self) -> None:
        self.process(1, 2)
        self.process(3)
        self.assertEqual(self.worlds(), {self.task_id: [1, 2, 3]})
        self.process(1)
        self.assertEqual(self.worlds(), {self.task_id: [1, 2, 3], f"{self.task_id}.2": [1]})

    def test_a_crash_loses_no_turn_and_the_repeated_turn_replaces_the_earlier_one(self) -> None:
        self.process(1, 2, end="crash")
        self.process(2, 3)
        self.assertEqual(self.worlds(), {self.task_id: [1, 2, 3]})
        history = self.client().get_turn_history(world_slug=self.task_id, turn_number=2)["items"]
        self.assertEqual(len(history), 1)

    def test_a_run_id_names_the_world_of_all_its_processes(self) -> None:
        self.process(1, run_id="nightly 7", end="crash")
        self.process(1, 2, run_id="nightly 7")
        self.process(1, run_id="nightly 8")
        self.assertEqual(
            self.worlds(), {f"{self.task_id}.nightly%207": [1, 2], f"{self.task_id}.nightly%208": [1]}
        )

    def test_a_run_again_in_one_process_is_a_new_world(self) -> None:
        capture(self.entity(1), self.entity(1), self.entity(2), self.entity(1))
        self.assertEqual(list(self.worlds().values()), [[1, 2], [1]])

    def test_two_tasks_at_once(self) -> None:
        tasks = [f"{self.task_id}-{name}" for name in "ab"]

        async def session(task: str) -> None:
            for turn in range(1, 4):
                await capture_turn_state(None, entity(self.feature, task, turn, player_summary=f"{task} {turn}"))
                context = await load_turn_continuation_context(None, self.feature, task, turn + 1)
                self.assertIn(f"{task} {turn}", context or "")

        async def both() -> None:
            await asyncio.gather(*(session(task) for task in tasks))

        asyncio.run(both())
        for self.task_id in tasks:
            self.assertEqual(self.worlds(), {self.task_id: [1, 2, 3]})

    def test_a_service_that_is_away_stops_nothing_and_gets_the_turns_when_it_is_back(self) -> None:
        network = self.network()
        network.fate = lambda method, path: "refuse"
        client = self.client(network.url, spool=os.path.join(self.folder, "spool"))
        guardkit.configure(client)
        with self.assertLogs("turngraph.guardkit", "WARNING") as logs:
            capture(self.entity(1))
            self.write_reports(Path(self.folder, self.task_id), 2)
            self.assertIsNone(self.load(2, self.folder))
            capture(self.entity(2))
        self.assertIn("waits on this disk", logs.output[0])
        network.fate = lambda method, path: None
        capture(self.entity(3))
        ((slug, turns),) = self.worlds().items()
        self.assertEqual(turns, [1, 2, 3])
        self.assertEqual(self.client().get_turn(world_slug=slug, turn_number=2)["player_summary"], "Built part 2")
        self.assertIn("Attempt 3", self.load(4) or "")

    def test_nothing_raises(self) -> None:
        guardkit.configure(self.client("http://127.0.0.1:1"))
        with self.assertLogs("turngraph.guardkit", "WARNING"):
            capture(self.entity(1))
            asyncio.run(capture_turn_state(None, object()))
            self.assertIsNone(self.load(2))

    def test_the_context_of_a_run_is_not_that_of_an_earlier_run(self) -> None:
        capture(self.entity(1, player_summary="Of the earlier run"))
        guardkit._runs.clear()
        network = self.network()
        network.fate = lambda method, path: "refuse" if method == "POST" else None
        guardkit.configure(self.client(network.url))
        with self.assertLogs("turngraph.guardkit", "WARNING"):
            capture(self.entity(1))
        self.assertIsNone(self.load(2))

    def test_an_empty_feature_is_taken(self) -> None:
        self.feature = ""
        capture(self.entity(1))
        self.assertIn("Attempt 1", self.load(2) or "")
        guardkit._runs.clear()
        self.assertIn("Attempt 1", self.load(2) or "")
        self.feature = "FEAT-UNKNOWN"
        self.assertEqual(self.worlds(), {self.task_id: [1]})

    @unittest.skipUnless(hasattr(time, "tzset"), "the zone of a process cannot be set here")
    def test_a_time_without_a_zone_is_the_machine_s(self) -> None:
        earlier = os.environ.get("TZ")

        def restore() -> None:
            os.environ.pop("TZ", None)
            if earlier is not None:
                os.environ["TZ"] = earlier
            if sys.platform != "win32":
                time.tzset()

        self.addCleanup(restore)
        os.environ["TZ"] = "America/New_York"
        if sys.platform != "win32":
            time.tzset()
        capture(
            self.entity(1, started_at=datetime(2026, 1, 31, 12), completed_at=datetime(2026, 1, 31, 12, 5)),
            self.entity(2, completed_at=datetime(2026, 7, 4, 12, tzinfo=timezone.utc)),
            self.entity(3),
        )
        winter, summer, now = (self.stored(turn) for turn in (1, 2, 3))
        self.assertEqual(
            (winter["started_at"], winter["completed_at"], winter["duration_seconds"]),
            ("2026-01-31T17:00:00Z", "2026-01-31T17:05:00Z", 300),
        )
        self.assertEqual(summer["completed_at"], "2026-07-04T12:00:00Z")
        # An entity that was given no times has the moment of its making twice, which is no duration.
        self.assertIsNone(now["started_at"])
        age = datetime.now(timezone.utc) - datetime.fromisoformat(now["completed_at"].replace("Z", "+00:00"))
        self.assertLess(abs(age.total_seconds()), 300)

    def test_the_signatures_are_those_of_guardkit(self) -> None:
        self.assertEqual(list(inspect.signature(capture_turn_state).parameters), ["graphiti_client", "entity"])
        loads = inspect.signature(load_turn_continuation_context).parameters
        self.assertEqual(
            list(loads), ["graphiti_client", "feature_id", "task_id", "current_turn", "autobuild_dir"]
        )
        self.assertIsNone(loads["autobuild_dir"].default)
