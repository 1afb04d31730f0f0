"""Captures that wait on disk while the service is away."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from turngraph import TurngraphClient, TurngraphError, is_spooled
from turngraph.spool import SpoolOptions

from .service import URL, Fate, Network, ServiceTest


class SpoolTest(ServiceTest):
    def away(self) -> Network:
        network = self.network()
        network.fate = lambda method, path: "refuse"
        return network

    def spooled(self, client: TurngraphClient, *numbers: int, **more: Any) -> None:
        for number in numbers:
            with self.assertRaises(TurngraphError) as raised:
                client.capture_turn_state(**self.turn(number, **more))
            self.assertTrue(is_spooled(raised.exception), raised.exception)

    def test_captures_wait_in_order_and_are_sent_before_any_other_call(self) -> None:
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        self.spooled(client, 1, 2)
        files = sorted(Path(self.folder).glob("*.json"))
        self.assertEqual([file.name for file in files], ["0000000000000001.json", "0000000000000002.json"])
        self.assertEqual({stat.S_IMODE(file.stat().st_mode) for file in files}, {0o600})
        with self.assertRaises(TurngraphError):
            client.load_turn_continuation_context(**self.task, current_turn=3)
        network.fate = lambda method, path: None
        answer = client.load_turn_continuation_context(**self.task, current_turn=3)
        self.assertEqual(answer["previous_turn"], 2)
        self.assertEqual(client.spool.waiting if client.spool else None, 0)
        self.assertEqual(self.numbers(), [1, 2])

    def test_a_spool_that_git_tracks_is_refused(self) -> None:
        linked = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, linked)
        Path(linked).chmod(0o755)
        spool = Path(self.folder) / "my spool"
        spool.mkdir()
        (spool / "refused").symlink_to(linked)
        for command in (["init", "-q"], ["add", "-f", "."]):
            subprocess.run(["git", "-C", self.folder, *command], check=True)
        with self.assertRaisesRegex(TurngraphError, "git tracks it") as refused:
            self.client(self.away().url, spool=spool)
        self.assertTrue((refused.exception.hint or "").endswith(f"git rm -r '{spool}'"))
        self.assertEqual(stat.S_IMODE(Path(linked).stat().st_mode), 0o755)

    def test_secrets_are_masked_before_a_capture_waits_in_a_folder_of_its_owner(self) -> None:
        Path(self.folder).chmod(0o755)
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        secret = "k7Qp2vXz9Lm" + "T4wBn8RfD"
        short = "hunter2" + "Qx9z"
        extra = {f"token={secret}": [secret], "command": ["mysql", "--password", short]}
        self.spooled(client, 1, player_summary=f"export DB_PASSWORD={secret}", extra=extra)
        self.assertEqual(stat.S_IMODE(Path(self.folder).stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((Path(self.folder) / "refused").stat().st_mode), 0o700)
        [file] = Path(self.folder).glob("*.json")
        self.assertNotIn(f"={secret}", file.read_text())
        self.assertNotIn(short, file.read_text())
        self.assertRegex(json.loads(file.read_text())["input"]["playerSummary"], r"^export DB_PASSWORD=\[redacted:[0-9a-f]{32}\]$")
        network.fate = lambda method, path: None
        client.list_projects()
        self.assertEqual(self.numbers(), [1])
        again = client.capture_turn_state(
            **self.turn(1, player_summary=f"export DB_PASSWORD={secret}", extra=extra)
        )
        self.assertFalse(again["created"])
        self.assertRegex(again["player_summary"], r"^export DB_PASSWORD=\[redacted:[0-9a-f]{2}\]$")

    def test_a_capture_waits_behind_one_whose_world_is_busy(self) -> None:
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        self.spooled(client, 1)
        network.fate = lambda method, path: (409, {"error": {"code": "busy", "message": "Somebody is at work"}})
        self.spooled(client, 2)
        network.fate = lambda method, path: None
        client.list_projects()
        self.assertEqual(self.numbers(), [1, 2])

    def test_an_error_about_one_world_does_not_hold_up_the_captures_of_others(self) -> None:
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        self.spooled(client, 1)
        self.spooled(client, 1, task_id="TASK-2", world_slug="w-2")
        posts: list[str] = []

        def fate(method: str, path: str) -> Fate:
            if method == "POST":
                posts.append(path)
            is_first = method == "POST" and len(posts) % 2 == 1
            return (409, {"error": {"code": "restore_unfinished", "message": "Not finished"}}) if is_first else None

        network.fate = fate
        assert client.spool is not None
        client.spool.replay()
        self.assertEqual(client.spool.waiting, 1)
        self.assertEqual(self.client(URL).get_world(world_slug="w-2")["current_turn"], 1)

    def test_a_commit_whose_lease_has_expired_is_captured_as_a_turn(self) -> None:
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        attempt = "1b4e28ba-2fa1-41d2-883f-0016d3cca427"
        with self.assertRaises(TurngraphError) as raised:
            client.commit_attempt(attempt_id=attempt, fence=1, turn=self.turn(1))
        self.assertTrue(is_spooled(raised.exception), raised.exception)
        lost = (409, {"error": {"code": "lease_lost", "message": "The lease has passed to another owner"}})
        network.fate = lambda method, path: lost if path.endswith("/commit") else None
        client.list_projects()
        self.assertEqual(self.numbers(), [1])

    def test_spooled_fields_are_in_camel_case_and_free_keys_stay_unchanged(self) -> None:
        client = self.client(self.away().url, spool=self.folder, project="shop")
        status, extra = {"ac_1": "verified"}, {"my_key": {"in_it": 1}}
        issue = {"severity": "blocking", "description": "d", "criterion_ids": ["ac_1"], "details": {"a_b": 1}}
        self.spooled(client, 1, acceptance_criteria_status=status, extra=extra, issues=[issue])
        entry = json.loads((Path(self.folder) / "0000000000000001.json").read_text())
        self.assertEqual(entry["operation"], "captureTurnState")
        waiting = entry["input"]
        self.assertEqual((waiting["project"], waiting["turnNumber"]), ("shop", 1))
        self.assertEqual((waiting["acceptanceCriteriaStatus"], waiting["extra"]), (status, extra))
        self.assertEqual(waiting["issues"][0]["criterionIds"], ["ac_1"])
        self.assertEqual(waiting["issues"][0]["details"], {"a_b": 1})

    def test_a_capture_whose_answer_was_lost_is_stored_once(self) -> None:
        network = self.network()
        fates = ["lose the answer"]
        network.fate = lambda method, path: fates.pop() if fates else None
        client = self.client(network.url, spool=self.folder)
        self.spooled(client, 1)
        client.capture_turn_state(**self.turn(2))
        self.assertEqual(self.numbers(), [1, 2])

    def test_spooled_captures_are_sent_automatically_when_the_service_is_back(self) -> None:
        network = self.away()
        said: list[str] = []
        client = self.client(network.url, spool=self.folder, log=said.append)
        self.spooled(client, 1)
        network.fate = lambda method, path: None
        while not said:
            time.sleep(0.02)
        self.assertEqual(said, ["1 spooled turns were sent to the service."])
        self.assertEqual(self.numbers(), [1])

    def test_a_rejected_turn_is_kept_with_its_reason_and_the_turns_built_on_it(self) -> None:
        network = self.away()
        said: list[str] = []
        client = self.client(network.url, spool=self.folder, log=said.append)
        self.spooled(client, 1, 2)
        self.client().capture_turn_state(**self.turn(1, player_summary="Somebody else's"))
        network.fate = lambda method, path: None
        with self.assertRaises(TurngraphError) as raised:
            client.capture_turn_state(**self.turn(3))
        self.assertEqual(raised.exception.code, "turn_conflict")
        assert client.spool is not None
        self.assertEqual((client.spool.waiting, client.spool.refused), (0, 2))
        refused = Path(self.folder) / "refused"
        codes = [json.loads(file.read_text())["error"]["code"] for file in sorted(refused.glob("*.error.json"))]
        self.assertEqual(codes, ["turn_conflict", "turn_conflict"])
        self.assertEqual(len(said), 2)
        self.assertEqual(self.numbers(), [1])

    def test_a_file_that_is_no_capture_does_not_block_other_captures(self) -> None:
        network = self.away()
        client = self.client(network.url, spool=self.folder)
        self.spooled(client, 1, 2)
        (Path(self.folder) / "0000000000000001.json").write_text('{"half":')
        network.fate = lambda method, path: None
        assert client.spool is not None
        replayed = client.spool.replay()
        self.assertEqual((replayed.sent, replayed.refused, replayed.waiting), (1, 1, 0))
        self.assertEqual(self.numbers(), [2])

    def test_a_record_with_an_unknown_field_is_not_spooled(self) -> None:
        client = self.client(self.away().url, spool=self.folder)
        problems = {"verifications[0].evidense": "no field", "player_summary": "missing"}
        with self.assertRaises(TurngraphError) as raised:
            record = self.turn(1, verifications=[{"criterion_id": "AC-1", "status": "verified", "evidense": "x"}])
            client.capture_turn_state(**{**record, "player_summary": None})
        self.assertEqual(raised.exception.code, "invalid_request")
        self.assertEqual({problem["path"] for problem in raised.exception.details["problems"]}, set(problems))
        assert client.spool is not None
        self.assertEqual(client.spool.waiting, 0)

    def test_a_full_spool_rejects_captures(self) -> None:
        client = self.client(self.away().url, spool=SpoolOptions(self.folder, max_entries=1))
        self.spooled(client, 1)
        with self.assertRaises(TurngraphError) as raised:
            client.capture_turn_state(**self.turn(2))
        self.assertEqual((raised.exception.code, is_spooled(raised.exception)), ("too_large", False))

    def test_turns_that_wait_for_one_service_are_not_sent_to_another(self) -> None:
        first = self.client(self.away().url, spool=self.folder)
        self.spooled(first, 1)
        first.close()
        with self.assertRaises(TurngraphError) as raised:
            self.client(URL, spool=self.folder)
        self.assertEqual(raised.exception.code, "invalid_request")
        self.assertIn("wait for", str(raised.exception))

    def test_processes_share_a_folder_and_a_kill_releases_claimed_captures(self) -> None:
        program = (
            "import sys, time; from turngraph import TurngraphClient\n"
            f"client = TurngraphClient('http://127.0.0.1:1', spool={self.folder!r})\n"
            "print('open', client.worker_id, flush=True); time.sleep(600)"
        )
        with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            _open, worker_id = other.stdout.readline().split()
            network = self.away()
            client = self.client(network.url, spool=self.folder)
            self.assertNotEqual(client.worker_id, worker_id)
            self.spooled(client, 1, 2)
            file = Path(self.folder) / "0000000000000001.json"
            file.rename(f"{file}.claimed-{other.pid}-{time.time_ns() // 1_000_000}")
            network.fate = lambda method, path: None
            assert client.spool is not None
            replayed = client.spool.replay()
            self.assertEqual((replayed.sent, replayed.waiting), (0, 2))
            other.kill()
        self.assertEqual(client.spool.replay().sent, 2)
        self.assertEqual(self.numbers(), [1, 2])
        self.assertEqual(self.client(network.url, spool=self.folder).worker_id, worker_id)

    def test_a_fifo_and_a_link_are_skipped_and_reported_once(self) -> None:
        os.mkfifo(Path(self.folder) / "0000000000000001.json")
        (Path(self.folder) / "0000000000000002.json").symlink_to("/dev/zero")
        said: list[str] = []
        client = self.client(spool=self.folder, log=said.append)
        self.assertTrue(client.capture_turn_state(**self.turn(1))["created"])
        self.assertEqual(client.spool.waiting if client.spool else None, 0)
        names = ["0000000000000001.json", "0000000000000002.json"]
        self.assertEqual(said, [f"{Path(self.folder).resolve() / name} is passed over: it is not a regular file." for name in names])
