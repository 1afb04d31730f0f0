"""The real service of the tests, and a network before it that a test can disturb."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import tempfile
import threading
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Union

from turngraph import TurngraphClient

URL = os.environ["TURNGRAPH_URL"]
TOKEN = os.environ["TURNGRAPH_TOKEN"]
NUMBERS = itertools.count()

# The fate of a request: it arrives (None), its connection is closed, its answer is lost after the service has handled it,
# it is never answered, or the test answers it.
Fate = Union[None, str, "tuple[int, Any]"]


class ServiceTest(unittest.TestCase):
    """A test case whose tests have their own task and folder."""

    def setUp(self) -> None:
        self.task: Any = {"feature_id": f"FEAT-{next(NUMBERS)}", "task_id": f"TASK-{os.getpid()}-{next(NUMBERS)}"}
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def client(self, url: str = URL, **options: Any) -> TurngraphClient:
        client = TurngraphClient(url, **{"token": TOKEN, "retries": 0, "log": lambda _message: None, **options})
        self.addCleanup(client.close)
        return client

    def turn(self, number: int, **more: Any) -> Any:
        summary = f"Attempt {number}"
        time = "2026-01-31T12:00:00Z"
        return {**self.task, "turn_number": number, "player_summary": summary, "completed_at": time, **more}

    def numbers(self) -> list[int]:
        """Lists the turns of the task in the service."""
        with TurngraphClient(URL, token=TOKEN) as client:
            worlds = client.list_worlds(**self.task)["items"]
            turns = client.list_turns(world_slug=worlds[0]["world_slug"])["items"]
            return [int(turn["turn_number"]) for turn in turns]

    def network(self) -> Network:
        network = Network()
        self.addCleanup(network.close)
        return network


class Network:
    """A proxy before the service. ``fate`` decides on each request, and ``seen`` lists them."""

    def __init__(self) -> None:
        self.fate: Callable[[str, str], Fate] = lambda method, path: None
        self.seen: list[tuple[str, str, dict[str, str]]] = []
        self.answer_headers: dict[str, str] = {}
        self._release = threading.Event()
        network = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if self.raw_requestline and self.parse_request():
                    network._handle(self)
                self.close_connection = True

            def log_message(self, *_args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._release.set()
        self._server.shutdown()
        self._server.server_close()

    def _handle(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        self.seen.append((request.command, request.path, dict(request.headers)))
        fate = self.fate(request.command, request.path)
        if fate == "refuse":
            return
        if fate == "hang":
            self._release.wait()
            return
        if fate == "drip":
            self._drip(request)
            return
        status, content = fate if isinstance(fate, tuple) else self._forward(request, body)
        if fate == "lose the answer":
            return
        request.send_response(status)
        for name, value in self.answer_headers.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content if isinstance(content, bytes) else json.dumps(content).encode())

    def _drip(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not self._release.wait(0.02):
            try:
                request.wfile.write(b" ")
            except OSError:
                return

    def _forward(self, request: BaseHTTPRequestHandler, body: bytes) -> tuple[int, bytes]:
        parts = urllib.parse.urlsplit(URL)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        headers = {name: value for name, value in request.headers.items() if name != "Host"}
        connection.request(request.command, request.path, body=body or None, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
