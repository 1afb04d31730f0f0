"""Runs the session of examples/autobuild with the Python client: three turns that need the memory to succeed.

PYTHONPATH=clients/python python3 examples/python/session.py   (TURNGRAPH_URL and TURNGRAPH_TOKEN name the service)
"""

from turngraph import TurngraphClient

TASK = {"feature_id": "FEAT-SHOP", "task_id": "TASK-SHOP-PY"}
CRITERIA = {
    "AC-001": "Unknown products are answered with 404",
    "AC-002": "Every answer names its request id",
    "AC-003": "A sold out product cannot be ordered",
}


def player(context, turn):
    """Builds the first unverified criterion. Makes its promises in the first turn only."""
    now = [name for name in CRITERIA if f"✓ {name}: verified" not in context][0]
    promised = CRITERIA.items() if turn == 1 else ()
    promises = [{"criterion_id": name, "criterion_text": text, "status": "complete"} for name, text in promised]
    return {"player_summary": f"Built {now}", "player_decision": "implemented", "promises": promises}


def coach(context, report):
    """Compares the work with the promises. Verifies one criterion per turn."""
    built = report["player_summary"].removeprefix("Built ")
    left = [name for name in CRITERIA if name != built and f"✓ {name}: verified" not in context]
    verified = {"criterion_id": built, "criterion_text": CRITERIA[built], "status": "verified", "evidence": "its test passes"}
    feedback = f"Not met yet: {', '.join(left)}" if left else None
    return {"coach_decision": "feedback" if left else "approved", "coach_feedback": feedback, "verifications": [verified]}


with TurngraphClient.from_environment(retries=100) as client:
    for turn in range(1, 6):
        known = {role: client.load_turn_continuation_context(**TASK, current_turn=turn, role=role) for role in ("player", "coach")}
        report = player(known["player"]["context"] or "", turn)
        stored = client.capture_turn_state(**TASK, turn_number=turn, **report, **coach(known["coach"]["context"] or "", report))
        print(f"turn {turn}: {stored['player_summary']} → {stored['coach_decision']}")
        if stored["coach_decision"] == "approved":
            break
