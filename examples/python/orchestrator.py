"""An orchestrator in Python over REST: context in, turn out. Standard library only.

python3 examples/python/orchestrator.py FEATURE TASK   (TURNGRAPH_URL and TURNGRAPH_TOKEN name the service)
"""

import json
import os
import sys
import urllib.parse
import urllib.request

URL = os.environ.get("TURNGRAPH_URL", "http://127.0.0.1:7480")
HEADERS = {"Authorization": "Bearer " + os.environ.get("TURNGRAPH_TOKEN", ""), "Content-Type": "application/json"}


def call(path, query=None, body=None):
    address = URL + path + ("?" + urllib.parse.urlencode(query) if query else "")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(address, data, HEADERS), timeout=30) as answer:
        return json.load(answer)


def play(context, turn):
    """Replace this with your Player and your Coach. This example completes one criterion per turn."""
    done = [n for n in (1, 2, 3) if f"✓ AC-{n}: verified" in (context or "")]
    now = f"AC-{len(done) + 1}"
    decision = "approved" if len(done) == 2 else "feedback"
    return {"player_summary": f"Built {now}", "coach_decision": decision, "acceptance_criteria_status": {now: "verified"}}


feature, task = sys.argv[1:3]
for turn in range(1, 6):
    scope = {"feature_id": feature, "task_id": task}
    known = call("/v1/continuation-context", query={**scope, "current_turn": turn})
    record = play(known["context"], turn)
    stored = call("/v1/turns", body={**scope, "turn_number": turn, **record})
    print(f"turn {turn}: {stored['player_summary']}, {stored['coach_decision']}")
    if stored["coach_decision"] == "approved":
        break
