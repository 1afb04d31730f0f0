"""Adds to schemathesis one media type of the service, a limit of CPU time per request, and short waits for attempts."""

import os
import time

import schemathesis

MOST_CPU_SECONDS = 1.0
# While a stream or a long poll is open, it reads the graph, and the service does its regular work.
MOST_CPU_SHARE_WHILE_OPEN = 0.1
WAIT_MS = 500
MOST_WAIT_MS = 30_000
STAT = f"/proc/{os.environ.get('FUZZ_SERVICE_PID')}/stat"
before = {"cpu": 0.0, "time": 0.0}


@schemathesis.serializer("application/jsonl")
def jsonl(_context, value):
    return value if isinstance(value, bytes) else str(value).encode()


def cpu_seconds():
    """The CPU time that the service has used; 0 on a system without /proc."""
    try:
        with open(STAT, encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(") ", 1)[1].split()
    except OSError:
        return 0.0
    user, system = int(fields[11]), int(fields[12])
    return (user + system) / os.sysconf("SC_CLK_TCK")


@schemathesis.hook
def before_call(_context, case, _kwargs):
    # By default, such a request waits for 30 s. A wrong wait_ms stays, because the service must reject it.
    if case.path.endswith("/next") and isinstance(case.query, dict):
        wait = str(case.query.setdefault("wait_ms", WAIT_MS))
        if wait.isdecimal() and WAIT_MS < int(wait) <= MOST_WAIT_MS:
            case.query["wait_ms"] = WAIT_MS
    before.update(cpu=cpu_seconds(), time=time.monotonic())


@schemathesis.check
def cpu_time(_context, _response, _case):
    used = cpu_seconds() - before["cpu"]
    most = MOST_CPU_SECONDS + MOST_CPU_SHARE_WHILE_OPEN * (time.monotonic() - before["time"])
    assert used <= most, f"The request took {used:.2f} s of CPU; at most {most:.2f} s are allowed."
