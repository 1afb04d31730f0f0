"""The requests, answers and errors of the client."""

from __future__ import annotations

import datetime
import socket
import threading
import time
import unittest
from collections.abc import Callable
from typing import Any

from turngraph import TurngraphClient, TurngraphError, is_spooled
from turngraph._http import canonical_address

from .service import Fate, ServiceTest


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def drip(server: socket.socket, first: bytes, done: threading.Event) -> None:
    """Answers ``first``, and then a byte every 0.1 s until the client disconnects, for at most 10 s."""
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(first)
        for _ in range(100):
            if done.wait(0.1):
                return
            try:
                connection.sendall(b"x")
            except OSError:
                return


def always(fate: Fate) -> Callable[[str, str], Fate]:
    return lambda method, path: fate


class ClientTest(ServiceTest):
    def test_a_captured_turn_is_in_the_context_of_the_next(self) -> None:
        client = self.client()
        status = {"AC-1": "verified", "äß/…": "rejected"}
        stored = client.capture_turn_state(**self.turn(1, acceptance_criteria_status=status, extra={"my_key": 1}))
        self.assertTrue(stored["created"])
        self.assertEqual(stored["acceptance_criteria_status"], status)
        self.assertEqual(stored["extra"], {"my_key": 1})
        again = client.capture_turn_state(**self.turn(1, acceptance_criteria_status=status, extra={"my_key": 1}))
        self.assertFalse(again["created"])
        answer = client.load_turn_continuation_context(**self.task, current_turn=2)
        self.assertIn("✓ AC-1: verified", answer["context"] or "")

    def test_the_timeout_of_next_attempt_includes_its_wait(self) -> None:
        client = self.client(timeout=2.0, retries=0)
        slug = client.create_world(**self.task)["world_slug"]
        nothing = client.next_attempt(world_slug=slug, worker_id="w", with_continuation=False, wait_ms=3_000)
        self.assertEqual(nothing, {"claim": None})
        attempt_id = client.run_turn(world_slug=slug)["attempt_id"]
        claim = client.next_attempt(world_slug=slug, worker_id="w", with_continuation=False)["claim"]
        self.assertEqual(claim and claim["attempt_id"], attempt_id)

    def test_names_are_encoded_in_paths(self) -> None:
        client = self.client()
        slug = f"a%2Fb~%20{self.task['task_id']}"
        client.create_world(**self.task, world_slug=slug)
        self.assertEqual(client.get_world(world_slug=slug)["world_slug"], slug)
        for step in (".", ".."):
            with self.assertRaises(TurngraphError) as raised:
                client.get_world(world_slug=step)
            self.assertEqual(raised.exception.code, "invalid_request")
            self.assertIn("MCP takes such a name", raised.exception.hint or "")

    def test_a_value_that_json_cannot_represent_is_rejected_with_its_field_and_never_spooled(self) -> None:
        itself: dict[str, object] = {}
        itself["itself"] = itself
        deep: dict[str, object] = {}
        inner = deep
        for _ in range(5_000):
            inner["a"] = inner = {}
        fields: list[tuple[str, dict[str, Any]]] = [
            ("player_summary", {"player_summary": "\ud800"}),
            ("coverage", {"coverage": float("nan")}),
            ("extra.a[0]", {"extra": {"a": [float("inf")]}}),
            ("extra.itself", {"extra": itself}),
            ("extra.a.a", {"extra": deep}),
            ("extra.n", {"extra": {"n": 10**5_000}}),
            ("completed_at", {"completed_at": datetime.datetime(2026, 1, 31)}),
            ("files_modified", {"files_modified": {"a.py"}}),
            ("commit", {"commit": b"abc"}),
        ]
        away = f"http://127.0.0.1:{free_port()}"
        for client in (self.client(), self.client(away, spool=self.folder)):
            for path, field in fields:
                with self.assertRaises(TurngraphError, msg=path) as raised:
                    client.capture_turn_state(**self.turn(1, **field))
                self.assertEqual(raised.exception.code, "invalid_request")
                self.assertIn(path, str(raised.exception))
            if client.spool is not None:
                self.assertEqual(client.spool.waiting, 0)
        with self.assertRaises(TurngraphError) as raised:
            self.client().list_worlds(feature_id="\ud800")
        self.assertEqual(raised.exception.code, "invalid_request")

    def test_an_invalid_address_or_setting_is_rejected_by_name_and_without_its_password(self) -> None:
        urls: list[Any] = [
            "http://h:99999",
            "http://h:abc",
            "http://[::1",
            "http://a..b",
            "http://user:secret@h:99999",
            "http://ex ample.com",
            "http://h/ü",
            "ftp://x",
            "",
            None,
        ]
        for url in urls:
            with self.assertRaises(TurngraphError, msg=url) as raised:
                self.client(url)
            self.assertIn("url: ", str(raised.exception))
            self.assertNotIn("secret", str(raised.exception))
        for timeout in (None, "5", 0, -1, float("nan"), 1e18):
            with self.assertRaises(TurngraphError, msg=timeout) as raised:
                self.client(timeout=timeout)
            self.assertIn("timeout: ", str(raised.exception))
        with self.assertRaises(TurngraphError) as raised:
            self.client(token="a\n")
        self.assertIn("token: ", str(raised.exception))
        with self.assertRaises(TurngraphError) as raised:
            self.client(f"http://user:secret@127.0.0.1:{free_port()}").list_worlds()
        self.assertEqual(raised.exception.code, "store_unavailable")
        self.assertNotIn("secret", str(raised.exception))

    def test_an_answer_whose_headers_drip_ends_with_the_timeout(self) -> None:
        for first in (b"HTT", b"HTTP/1.1 200 OK\r\nX-A: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"):
            with socket.create_server(("127.0.0.1", 0)) as server:
                done = threading.Event()
                dripping = threading.Thread(target=drip, args=(server, first, done))
                dripping.start()
                client = self.client(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=1)
                with self.assertRaises(TurngraphError, msg=first) as raised:
                    client.list_worlds()
                self.assertEqual(raised.exception.code, "timeout")
                done.set()
                dripping.join()

    def test_an_error_has_the_code_the_hint_and_the_fields_of_the_service(self) -> None:
        client = self.client()
        client.capture_turn_state(**self.turn(1))
        with self.assertRaises(TurngraphError) as raised:
            client.capture_turn_state(**self.turn(1, player_summary="Another"))
        self.assertEqual((raised.exception.code, raised.exception.status), ("turn_conflict", 409))
        with self.assertRaises(TurngraphError) as raised:
            client.capture_turn_state(**self.turn(2, coach_decision="aproved"))
        self.assertEqual(raised.exception.code, "invalid_request")
        self.assertIn("coach_decision", str(raised.exception))
        with self.assertRaises(TurngraphError) as raised:
            self.client(token="wrong").get_world(world_slug="w")
        self.assertEqual((raised.exception.code, raised.exception.status), ("unauthorized", 401))
        self.assertFalse(is_spooled(raised.exception))

    def test_calls_without_a_project_use_the_project_of_the_client(self) -> None:
        shop, toys = self.client(project="shop"), self.client(project="toys")
        shop.capture_turn_state(**self.turn(1))
        context = toys.load_turn_continuation_context(**self.task, current_turn=2)
        self.assertEqual(context["status"], "no_prior_turn")
        own = toys.load_turn_continuation_context(**self.task, current_turn=2, project="shop")
        self.assertEqual(own["status"], "ok")
        self.assertIn("items", shop.list_projects())

    def test_a_call_is_repeated_while_the_service_is_away_and_stored_once(self) -> None:
        network = self.network()
        fates: list[Fate] = ["refuse", "lose the answer", (503, {"error": {"code": "store_unavailable", "message": "away"}})]
        network.fate = lambda method, path: fates.pop(0) if fates else None
        stored = self.client(network.url, retries=3).capture_turn_state(**self.turn(1))
        self.assertEqual(len(network.seen), 4)
        self.assertFalse(stored["created"])
        self.assertEqual(self.numbers(), [1])

    def test_a_call_is_not_repeated_if_a_repeat_cannot_succeed(self) -> None:
        network = self.network()
        client = self.client(network.url, retries=3)
        with self.assertRaises(TurngraphError):
            client.get_world(world_slug="nowhere")
        self.assertEqual(len(network.seen), 1)
        network.fate = lambda method, path: "refuse"
        with self.assertRaises(TurngraphError) as raised:
            client.run_turn(world_slug="w")
        self.assertEqual((raised.exception.code, len(network.seen)), ("store_unavailable", 2))

    def test_a_world_is_created_once_however_often_its_creation_is_repeated(self) -> None:
        network = self.network()
        fates = ["lose the answer"]
        network.fate = lambda method, path: fates.pop() if fates else None
        self.client(network.url, retries=1).create_world(**self.task)
        keys = {headers["Idempotency-Key"] for _, _, headers in network.seen}
        self.assertEqual((len(network.seen), len(keys)), (2, 1))
        self.assertEqual(len(self.client().list_worlds(**self.task)["items"]), 1)

    def test_a_deletion_whose_answer_was_lost_answers_the_deleted_world(self) -> None:
        network = self.network()
        slug = self.client().create_world(**self.task)["world_slug"]
        fates = ["lose the answer"]
        network.fate = lambda method, path: fates.pop() if fates else None
        client = self.client(network.url, retries=1)
        deleted = client.delete_world(world_slug=slug)
        self.assertEqual((deleted["world_slug"], len(network.seen)), (slug, 2))
        self.assertIsNotNone(deleted["deleted_at"])
        with self.assertRaises(TurngraphError) as raised:
            client.delete_world(world_slug=slug)
        self.assertEqual(raised.exception.code, "world_deleted")

    def test_a_call_to_a_service_that_hangs_or_drips_ends_with_the_timeout(self) -> None:
        network = self.network()
        for fate in ("hang", "drip"):
            network.fate = always(fate)
            with self.assertRaises(TurngraphError) as raised:
                self.client(network.url, timeout=0.2).get_world(world_slug="w")
            self.assertEqual(raised.exception.code, "timeout", fate)

    def test_the_timeout_of_a_query_includes_its_own_limit(self) -> None:
        network = self.network()

        def slow(method: str, path: str) -> Fate:
            time.sleep(0.6)
            return None

        network.fate = slow
        answer = self.client(network.url, timeout=0.2).query_graph(query="RETURN 1 AS one", timeout_ms=20_000)
        self.assertEqual(answer["rows"], [[1]])

    def test_a_query_with_a_name_that_the_graph_does_not_have_answers_with_a_warning(self) -> None:
        answer = self.client().query_graph(query="MATCH (t:Trun) RETURN t")
        self.assertEqual(answer["warnings"], [{"unknown": "Trun", "near": ["Turn"]}])

    def test_an_address_is_written_into_a_spool_as_the_other_client_writes_it(self) -> None:
        for url, canonical in (
            ("http://host", "http://host/"),
            ("http://HOST:80/x", "http://host/x"),
            ("http://host:8080", "http://host:8080/"),
            ("https://[::1]:443", "https://[::1]/"),
        ):
            self.assertEqual(canonical_address(url), canonical)

    def test_a_refused_connection_is_store_unavailable(self) -> None:
        with self.assertRaises(TurngraphError) as raised:
            self.client(f"http://127.0.0.1:{free_port()}").get_world(world_slug="w")
        self.assertEqual(raised.exception.code, "store_unavailable")
        self.assertTrue(raised.exception.is_away)

    def test_an_answer_of_another_program_is_an_error_with_a_hint(self) -> None:
        network = self.network()
        strange = {"error": {"code": "teapot", "message": "I am none of theirs"}}
        answers: list[tuple[Fate, str]] = [
            ((200, b"<html>"), "internal"),
            ((502, b"bad"), "store_unavailable"),
            ((302, b""), "store_unavailable"),
            ((302, {"world_slug": "w"}), "store_unavailable"),
            ((400, strange), "internal"),
        ]
        for fate, code in answers:
            network.fate = always(fate)
            with self.assertRaises(TurngraphError) as raised:
                self.client(network.url).get_world(world_slug="w")
            self.assertEqual(raised.exception.code, code)

    def test_a_closed_client_and_an_invalid_address_are_errors(self) -> None:
        client = self.client()
        client.close()
        with self.assertRaises(TurngraphError) as raised:
            client.get_world(world_slug="w")
        self.assertEqual(raised.exception.code, "invalid_request")
        for url in ("", "127.0.0.1:7480", "ftp://host"):
            with self.assertRaises(TurngraphError):
                TurngraphClient(url)
        with self.assertRaises(TurngraphError):
            TurngraphClient("http://127.0.0.1:1", token="line\nbreak")

    def test_close_ends_the_pauses_of_a_repeated_call(self) -> None:
        network = self.network()
        network.fate = lambda method, path: "refuse"
        client = self.client(network.url, retries=100)
        failed: list[str] = []

        def call() -> None:
            try:
                client.get_world(world_slug="w")
            except TurngraphError as error:
                failed.append(error.code)

        caller = threading.Thread(target=call)
        caller.start()
        while not network.seen:
            time.sleep(0.01)
        client.close()
        caller.join()
        self.assertEqual(failed, ["store_unavailable"])


if __name__ == "__main__":
    unittest.main()
