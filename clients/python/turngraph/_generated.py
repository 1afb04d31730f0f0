"""The records and the calls of Turngraph. Generated from its OpenAPI document by `npm run docs`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias, Unpack


ErrorCode: TypeAlias = "Literal['invalid_request', 'unauthorized', 'forbidden', 'not_found', 'method_not_allowed', 'unknown_world', 'turn_conflict', 'world_conflict', 'restore_conflict', 'restore_unfinished', 'busy', 'lease_lost', 'world_deleted', 'cursor_expired', 'too_large', 'rate_limited', 'internal', 'store_unavailable', 'timeout']"

STATUSES: dict[str, int] = {
    "invalid_request": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "method_not_allowed": 405,
    "unknown_world": 404,
    "turn_conflict": 409,
    "world_conflict": 409,
    "restore_conflict": 409,
    "restore_unfinished": 409,
    "busy": 409,
    "lease_lost": 409,
    "world_deleted": 410,
    "cursor_expired": 410,
    "too_large": 413,
    "rate_limited": 429,
    "internal": 500,
    "store_unavailable": 503,
    "timeout": 504,
}


class CaptureTurnStateRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    # "": that of the world, otherwise FEAT-UNKNOWN
    feature_id: str
    task_id: str
    # default: the newest world of the task
    world_slug: NotRequired[str | None]
    turn_number: int
    # what the Player implemented or attempted
    player_summary: str
    # implemented, failed, blocked, unknown, or a synonym; a Coach's decision counts as implemented
    player_decision: NotRequired[str | None]
    # approved, feedback, rejected, deferred, error, unknown, or a synonym
    coach_decision: NotRequired[str | None]
    # agent that judged the turn
    judge: NotRequired[CaptureTurnStateRequestJudge | None]
    # agent that played the turn
    player: NotRequired[CaptureTurnStateRequestPlayer | None]
    coach_feedback: NotRequired[str | None]
    # feedback of the previous judgement, as the Player of this turn got it
    delivered_feedback: NotRequired[str | None]
    mode: NotRequired[Literal["fresh_start", "recovering_state", "continuing_work", "fresh", "start", "recovering", "recover", "recovery", "recovered", "continuing", "continue", "continued"] | None]
    # true: the mode defaults to recovering_state
    recovered: NotRequired[bool]
    blockers_found: NotRequired[Sequence[str]]
    lessons_from_turn: NotRequired[Sequence[str]]
    files_modified: NotRequired[Sequence[str]]
    # git: git shows these files as changed, so that no issue denies one; default: the Player claims them
    files_source: NotRequired[Literal["git"] | None]
    progress_summary: NotRequired[str]
    # criterion → status, the short form of `verifications`
    acceptance_criteria_status: NotRequired[Mapping[str, Literal["verified", "rejected", "pending", "unknown", "passed", "complete", "completed", "done", "failed", "not_started", "in_progress", "unverified", "absent"]]]
    verifications: NotRequired[Sequence[CaptureTurnStateRequestVerificationsItem]]
    promises: NotRequired[Sequence[CaptureTurnStateRequestPromisesItem]]
    issues: NotRequired[Sequence[CaptureTurnStateRequestIssuesItem]]
    gates: NotRequired[Mapping[str, Literal["passed", "failed", "unknown"]]]
    tests_passed: NotRequired[int | None]
    tests_failed: NotRequired[int | None]
    coverage: NotRequired[float | None]
    arch_score: NotRequired[float | None]
    started_at: NotRequired[str | None]
    # default: now; null: not known
    completed_at: NotRequired[str | None]
    duration_seconds: NotRequired[float | None]
    what_to_try_next: NotRequired[str | None]
    commit: NotRequired[str | None]
    transcript_session_ids: NotRequired[Sequence[str]]
    # tokens of its agents; counts if its transcripts are not known
    usage: NotRequired[CaptureTurnStateRequestUsage | None]
    # kept as it came
    extra: NotRequired[Mapping[str, Any]]
    # of an episode body, which is taken as it is
    entity_type: NotRequired[Literal["turn_state"] | None]
    # for display; not used, it follows from feature_id and turn_number
    id: NotRequired[str | None]
    # of a record that was read back: must be that of its world and turn
    key: NotRequired[str | None]
    # of a record that was read back: not used, storing it again has its own
    created_at: NotRequired[str | None]
    # of a record that was read back: not used, the service knows the token
    recorded_by: NotRequired[str | None]
    # of a record that was read back: the word that player_decision was given as
    player_decision_raw: NotRequired[str | None]
    # of a record that was read back: the word that coach_decision was given as
    coach_decision_raw: NotRequired[str | None]
    # supersede: replace, and keep the old one
    on_conflict: NotRequired[Literal["error", "supersede"]]
    # true: make a world that does not exist, also above turn 1 of a task that has worlds
    create_world: NotRequired[bool]


class CaptureTurnStateRequestJudge(TypedDict):
    # name of the agent, such as claude-code
    agent: str
    model: NotRequired[str | None]
    # SHA-256 of its prompt
    prompt_digest: NotRequired[str | None]


class CaptureTurnStateRequestPlayer(TypedDict):
    # name of the agent, such as claude-code
    agent: str
    model: NotRequired[str | None]


class CaptureTurnStateRequestVerificationsItem(TypedDict):
    criterion_id: str
    criterion_text: NotRequired[str | None]
    status: Literal["verified", "rejected", "pending", "unknown", "passed", "complete", "completed", "done", "failed", "not_started", "in_progress", "unverified", "absent"]
    source: NotRequired[Literal["coach", "validator", "gate", "command", "person", "player"] | None]
    evidence: NotRequired[str | None]
    # what it is about: a later change of one makes the proof stale
    files: NotRequired[Sequence[str] | None]
    # agent that judged, if it is another one than the judge of the turn
    judge: NotRequired[CaptureTurnStateRequestJudge | None]
    # observed result of a command or a test report
    observation: NotRequired[CaptureTurnStateRequestVerificationsItemObservation | None]


class CaptureTurnStateRequestVerificationsItemObservation(TypedDict):
    # the program and its arguments
    command: NotRequired[Sequence[str] | None]
    # folder of the command, relative to the root of the repository
    cwd: NotRequired[str | None]
    exit_code: NotRequired[int | None]
    # signal that ended the command, such as SIGTERM
    signal: NotRequired[str | None]
    # start of the command, or of the tests of a report
    started_at: str
    duration_ms: NotRequired[float | None]
    # digest of the whole output
    output_digest: NotRequired[str | None]
    # end of the output: the last 2 KiB are stored
    output_tail: NotRequired[str | None]
    # git tree of HEAD
    tree: NotRequired[str | None]
    # SHA-256 of the changes that are not committed; null: none
    dirty: NotRequired[str | None]
    commit: NotRequired[str | None]
    tests: NotRequired[Sequence[CaptureTurnStateRequestVerificationsItemObservationTestsItem] | None]
    # program that observed it, with its version
    runner: NotRequired[str | None]
    # machine that it ran on
    host: NotRequired[str | None]
    # test report, instead of command and exit_code
    report: NotRequired[CaptureTurnStateRequestVerificationsItemObservationReport | None]


class CaptureTurnStateRequestVerificationsItemObservationTestsItem(TypedDict):
    name: str
    status: Literal["passed", "failed", "skipped"]
    duration_ms: NotRequired[float | None]


class CaptureTurnStateRequestVerificationsItemObservationReport(TypedDict):
    format: Literal["junit", "tap", "vitest"]
    digest: str


class CaptureTurnStateRequestPromisesItem(TypedDict):
    criterion_id: str
    criterion_text: NotRequired[str | None]
    status: Literal["complete", "partial", "incomplete", "uncertain", "completed", "done", "finished", "implemented", "yes", "true", "in_progress", "not_started", "todo", "failed", "no", "false", "unknown"]
    evidence: NotRequired[str | None]
    evidence_type: NotRequired[str | None]
    confidence: NotRequired[float | None]
    test_file: NotRequired[str | None]
    implementation_files: NotRequired[Sequence[str] | None]


class CaptureTurnStateRequestIssuesItem(TypedDict):
    # blocking, should_fix, advisory, or a synonym
    severity: str
    # of a record that was read back: the word that severity was given as
    severity_raw: NotRequired[str | None]
    category: NotRequired[str | None]
    description: str
    criterion_ids: NotRequired[Sequence[str] | None]
    suggestion: NotRequired[str | None]
    details: NotRequired[Any]


class CaptureTurnStateRequestUsage(TypedDict):
    player: NotRequired[CaptureTurnStateRequestUsagePlayer | None]
    coach: NotRequired[CaptureTurnStateRequestUsagePlayer | None]


class CaptureTurnStateRequestUsagePlayer(TypedDict):
    # input tokens, without cached ones
    input_tokens: NotRequired[int | None]
    output_tokens: NotRequired[int | None]
    # input tokens that were read from a cache
    cache_read_tokens: NotRequired[int | None]
    # input tokens that were written to a cache
    cache_creation_tokens: NotRequired[int | None]


class CaptureTurnStateAnswer(TypedDict):
    # TURN-{feature_id}-{turn_number}: for display only
    id: str
    key: str
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    turn_number: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    player_decision_raw: str | None
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_decision_raw: str | None
    coach_feedback: str | None
    delivered_feedback: str | None
    mode: Literal["fresh_start", "recovering_state", "continuing_work"]
    blockers_found: list[str]
    progress_summary: str
    acceptance_criteria_status: dict[str, Literal["verified", "rejected", "pending", "unknown"]]
    verifications: list[CaptureTurnStateAnswerVerificationsItem]
    promises: list[CaptureTurnStateAnswerPromisesItem]
    issues: list[CaptureTurnStateAnswerIssuesItem]
    gates: dict[str, Literal["passed", "failed", "unknown"]]
    tests_passed: int | None
    tests_failed: int | None
    coverage: float | None
    arch_score: float | None
    started_at: str | None
    completed_at: str | None
    duration_seconds: float | None
    lessons_from_turn: list[str]
    what_to_try_next: str | None
    files_modified: list[str]
    files_source: Literal["git"] | None
    commit: str | None
    transcript_session_ids: list[str]
    # tokens that the turn reports; null if it reports none
    usage: CaptureTurnStateAnswerUsage | None
    extra: dict[str, Any]
    created_at: str
    recorded_by: str | None
    # agent that judged the turn; only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # agent that played the turn; only if it is named
    player: NotRequired[CaptureTurnStateAnswerPlayer]
    # false: the same record stood there already
    created: bool
    # true: it took the place of another record
    superseded: bool
    # true: this capture made its world
    world_created: bool
    # of a world that was made: the task exists in another feature too; of a field that is recorded differently, such as a Coach's decision in player_decision; of a label: letters of another alphabet look like it
    warnings: NotRequired[list[str]]
    # how many secrets were masked in what was sent
    redactions: int


class CaptureTurnStateAnswerVerificationsItem(TypedDict):
    criterion_id: str
    criterion_text: str | None
    status: Literal["verified", "rejected", "pending", "unknown"]
    source: Literal["coach", "validator", "gate", "command", "person", "player"]
    evidence: str | None
    # only where it names some
    files: NotRequired[list[str]]
    # only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # only if something was observed
    observation: NotRequired[CaptureTurnStateAnswerVerificationsItemObservation]


class CaptureTurnStateAnswerVerificationsItemJudge(TypedDict):
    agent: str
    model: str | None
    prompt_digest: str | None


class CaptureTurnStateAnswerVerificationsItemObservation(TypedDict):
    command: list[str] | None
    cwd: str | None
    exit_code: int | None
    signal: str | None
    started_at: str
    duration_ms: float | None
    output_digest: str | None
    output_tail: str | None
    tree: str | None
    dirty: str | None
    commit: str | None
    tests: list[CaptureTurnStateAnswerVerificationsItemObservationTestsItem]
    runner: str | None
    host: str | None
    report: CaptureTurnStateAnswerVerificationsItemObservationReport | None


class CaptureTurnStateAnswerVerificationsItemObservationTestsItem(TypedDict):
    name: str
    status: Literal["passed", "failed", "skipped"]
    duration_ms: float | None


class CaptureTurnStateAnswerVerificationsItemObservationReport(TypedDict):
    format: Literal["junit", "tap", "vitest"]
    digest: str


class CaptureTurnStateAnswerPromisesItem(TypedDict):
    criterion_id: str
    criterion_text: str | None
    status: Literal["complete", "partial", "incomplete", "uncertain"]
    evidence: str | None
    evidence_type: str | None
    confidence: float | None
    test_file: str | None
    implementation_files: list[str]


class CaptureTurnStateAnswerIssuesItem(TypedDict):
    severity: Literal["blocking", "should_fix", "advisory"]
    severity_raw: str
    category: str | None
    description: str
    criterion_ids: list[str]
    suggestion: str | None
    details: Any


class CaptureTurnStateAnswerUsage(TypedDict):
    player: CaptureTurnStateAnswerUsagePlayer | None
    coach: CaptureTurnStateAnswerUsagePlayer | None


class CaptureTurnStateAnswerUsagePlayer(TypedDict):
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_creation_tokens: int | None


class CaptureTurnStateAnswerPlayer(TypedDict):
    agent: str
    model: str | None


class CaptureReportsRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    # "": that of the turn state, otherwise that of the world, otherwise FEAT-UNKNOWN
    feature_id: str
    task_id: str
    turn_number: int
    # default: the newest world of the task
    world_slug: NotRequired[str | None]
    # player_turn_N.json as it was written: its JSON, or its text with or without a fence
    player_report: NotRequired[Any]
    # coach_turn_N.json as it was written: its JSON, or its text with or without a fence
    coach_report: NotRequired[Any]
    # turn_state_turn_N.json as it was written: its JSON, or its text with or without a fence
    turn_state: NotRequired[Any]
    # task_work_results.json as it was written: its JSON, or its text with or without a fence
    task_work_results: NotRequired[Any]
    # coach_feedback_for_turn_N.json as it was written: its JSON, or its text with or without a fence
    coach_feedback: NotRequired[Any]
    # supersede: replace, and keep the old one
    on_conflict: NotRequired[Literal["error", "supersede"]]
    # true: make a world that does not exist, also above turn 1 of a task that has worlds
    create_world: NotRequired[bool]


class CaptureReportsAnswer(TypedDict):
    # TURN-{feature_id}-{turn_number}: for display only
    id: str
    key: str
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    turn_number: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    player_decision_raw: str | None
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_decision_raw: str | None
    coach_feedback: str | None
    delivered_feedback: str | None
    mode: Literal["fresh_start", "recovering_state", "continuing_work"]
    blockers_found: list[str]
    progress_summary: str
    acceptance_criteria_status: dict[str, Literal["verified", "rejected", "pending", "unknown"]]
    verifications: list[CaptureTurnStateAnswerVerificationsItem]
    promises: list[CaptureTurnStateAnswerPromisesItem]
    issues: list[CaptureTurnStateAnswerIssuesItem]
    gates: dict[str, Literal["passed", "failed", "unknown"]]
    tests_passed: int | None
    tests_failed: int | None
    coverage: float | None
    arch_score: float | None
    started_at: str | None
    completed_at: str | None
    duration_seconds: float | None
    lessons_from_turn: list[str]
    what_to_try_next: str | None
    files_modified: list[str]
    files_source: Literal["git"] | None
    commit: str | None
    transcript_session_ids: list[str]
    # tokens that the turn reports; null if it reports none
    usage: CaptureTurnStateAnswerUsage | None
    extra: dict[str, Any]
    created_at: str
    recorded_by: str | None
    # agent that judged the turn; only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # agent that played the turn; only if it is named
    player: NotRequired[CaptureTurnStateAnswerPlayer]
    # false: the same record stood there already
    created: bool
    # true: it took the place of another record
    superseded: bool
    # true: this capture made its world
    world_created: bool
    # of each field that does not fit, with what fits; and those of a capture
    warnings: list[str]
    # how many secrets were masked in what was sent
    redactions: int


class LoadTurnContinuationContextRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    current_turn: int
    world_slug: NotRequired[str | None]
    role: NotRequired[Literal["player", "coach"]]
    token_budget: NotRequired[int]
    perspective_reset: NotRequired[str | bool]
    policy: NotRequired[Literal["sticky", "evidence", "latest", "fresh", "observed"]]
    elsewhere: NotRequired[Literal["earlier", "known", "off"]]
    as_of: NotRequired[Literal["now", "turn"]]
    sections: NotRequired[str | bool]


class LoadTurnContinuationContextAnswer(TypedDict):
    status: Literal["ok", "first_turn", "no_prior_turn"]
    # false: nothing is stored of the task; see `near`
    task_known: bool
    # only of a task that is not known: up to three near names
    near: NotRequired[list[str]]
    # only of a task that is not known: that, in a sentence
    task_message: NotRequired[str]
    # the text for the prompt; null if nothing is known yet
    context: str | None
    role: Literal["player", "coach"]
    world_slug: str | None
    current_turn: int
    previous_turn: int | None
    # true when the previous turn is not current_turn - 1
    gap: bool
    prior: LoadTurnContinuationContextAnswerPrior | None
    # the newest judged turn, where the prior one judges nothing (error, deferred, unknown): its issues are among the issues
    last_judged: LoadTurnContinuationContextAnswerLastJudged | None
    criteria: list[LoadTurnContinuationContextAnswerCriteriaItem]
    # promised, and never named by a judge, whether they count or not
    promised_not_judged: list[LoadTurnContinuationContextAnswerPromisedNotJudgedItem]
    # the turns before the prior one, newest first, at most 5
    tried_before: list[LoadTurnContinuationContextAnswerTriedBeforeItem]
    # turns after the newest one that rollbacks withdrew; absent if there are none
    withdrawn: NotRequired[list[LoadTurnContinuationContextAnswerWithdrawnItem]]
    # those that hold for the coming turn
    promises: LoadTurnContinuationContextAnswerPromises | None
    stall: LoadTurnContinuationContextAnswerStall | None
    issues: list[LoadTurnContinuationContextAnswerIssuesItem]
    # facts from other sessions; absent if there are none or if they were not requested
    elsewhere: NotRequired[LoadTurnContinuationContextAnswerElsewhere]
    included: list[LoadTurnContinuationContextAnswerIncludedItem]
    # what the budget left no room for
    omitted: list[LoadTurnContinuationContextAnswerOmittedItem]
    # of `context`, in o200k_base
    tokens: LoadTurnContinuationContextAnswerTokens
    # only where they were asked for
    sections: NotRequired[list[LoadTurnContinuationContextAnswerSectionsItem]]


class LoadTurnContinuationContextAnswerPrior(TypedDict):
    # TURN-{feature_id}-{turn_number}: for display only
    id: str
    key: str
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    turn_number: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    player_decision_raw: str | None
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_decision_raw: str | None
    coach_feedback: str | None
    delivered_feedback: str | None
    mode: Literal["fresh_start", "recovering_state", "continuing_work"]
    blockers_found: list[str]
    progress_summary: str
    acceptance_criteria_status: dict[str, Literal["verified", "rejected", "pending", "unknown"]]
    verifications: NotRequired[list[CaptureTurnStateAnswerVerificationsItem]]
    promises: list[LoadTurnContinuationContextAnswerPriorPromisesItem]
    issues: list[LoadTurnContinuationContextAnswerPriorIssuesItem]
    gates: NotRequired[dict[str, Literal["passed", "failed", "unknown"]]]
    tests_passed: int | None
    tests_failed: int | None
    coverage: float | None
    arch_score: float | None
    started_at: str | None
    completed_at: str | None
    duration_seconds: float | None
    lessons_from_turn: list[str]
    what_to_try_next: str | None
    files_modified: list[str]
    files_source: Literal["git"] | None
    commit: str | None
    transcript_session_ids: list[str]
    # tokens that the turn reports; null if it reports none
    usage: NotRequired[CaptureTurnStateAnswerUsage | None]
    extra: NotRequired[dict[str, Any]]
    # agent that judged the turn; only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # agent that played the turn; only if it is named
    player: NotRequired[CaptureTurnStateAnswerPlayer]


class LoadTurnContinuationContextAnswerPriorPromisesItem(TypedDict):
    criterion_id: str
    criterion_text: str | None
    status: Literal["complete", "partial", "incomplete", "uncertain"]
    evidence: NotRequired[str | None]
    evidence_type: str | None
    confidence: float | None
    test_file: str | None
    implementation_files: list[str]


class LoadTurnContinuationContextAnswerPriorIssuesItem(TypedDict):
    severity: Literal["blocking", "should_fix", "advisory"]
    severity_raw: str
    category: str | None
    description: str
    criterion_ids: list[str]
    suggestion: str | None
    details: NotRequired[Any]


class LoadTurnContinuationContextAnswerLastJudged(TypedDict):
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_feedback: str | None
    what_to_try_next: str | None
    turn: int


class LoadTurnContinuationContextAnswerCriteriaItem(TypedDict):
    criterion_id: str
    key: str
    text: str | None
    aliases: list[LoadTurnContinuationContextAnswerCriteriaItemAliasesItem]
    state: Literal["verified", "rejected", "pending"]
    verified_in_turn: int | None
    last_turn: int | None
    # how its newest verification is known: by an observation, by a judge's own text, by the Player's text for it, by the Player's text for another criterion, or by no text; null: it is not verified
    basis: Literal["observed", "judged", "repeated", "misplaced", "bare"] | None
    # only if its basis is `observed`: the files that were checked
    observed_on: NotRequired[LoadTurnContinuationContextAnswerCriteriaItemObservedOn]
    # verified, and rejected later with evidence of its own, without a verification since
    refuted: bool
    contested: LoadTurnContinuationContextAnswerCriteriaItemContested | None
    # role coach only: the newest 20, oldest first
    history: NotRequired[list[LoadTurnContinuationContextAnswerCriteriaItemHistoryItem]]
    history_omitted: NotRequired[int]
    promise: LoadTurnContinuationContextAnswerCriteriaItemPromise | None
    # verified, and since then a turn touched files of its proof, or a version worded it anew (no files)
    stale: NotRequired[LoadTurnContinuationContextAnswerCriteriaItemStale]
    # only where the task declares what must hold; false: it is not among that, and does not count
    declared: NotRequired[bool]
    # of a declared one
    kind: NotRequired[Literal["code", "command", "manual"]]
    # of a declared one; false: no judge has named it so far
    judged: NotRequired[bool]
    reworded_in_version: NotRequired[int]
    retired_in_version: NotRequired[int]


class LoadTurnContinuationContextAnswerCriteriaItemAliasesItem(TypedDict):
    label: str
    source: str


class LoadTurnContinuationContextAnswerCriteriaItemObservedOn(TypedDict):
    # git tree that was checked
    tree: str | None
    # SHA-256 of the changes that were not committed; null: none
    dirty: str | None
    commit: str | None
    # when it was observed
    at: str


class LoadTurnContinuationContextAnswerCriteriaItemContested(TypedDict):
    turn: int
    reason: NotRequired[str | None]


class LoadTurnContinuationContextAnswerCriteriaItemHistoryItem(TypedDict):
    turn: int
    status: Literal["verified", "rejected", "pending", "unknown"]
    source: Literal["coach", "validator", "gate", "command", "person", "player"]
    evidence: str | None
    # only if it was added to the turn after its end: when
    added_at: NotRequired[str]


class LoadTurnContinuationContextAnswerCriteriaItemPromise(TypedDict):
    turn: int
    status: Literal["complete", "partial", "incomplete", "uncertain"]


class LoadTurnContinuationContextAnswerCriteriaItemStale(TypedDict):
    turn: int
    files: list[str]


class LoadTurnContinuationContextAnswerPromisedNotJudgedItem(TypedDict):
    criterion_id: str
    key: str
    text: str | None
    promise: LoadTurnContinuationContextAnswerCriteriaItemPromise | None


class LoadTurnContinuationContextAnswerTriedBeforeItem(TypedDict):
    turn_number: int
    # the start of the Player's summary, in one line
    text: str


class LoadTurnContinuationContextAnswerWithdrawnItem(TypedDict):
    from_turn: int
    to_turn: int
    reason: str | None
    withdrawn_at: str


class LoadTurnContinuationContextAnswerPromises(TypedDict):
    source: Literal["current", "recovered", "none"]
    recovered_from_turn: NotRequired[int]
    # that they were recovered, or that the task is not known
    message: NotRequired[str]
    items: list[LoadTurnContinuationContextAnswerPromisesItemsItem]


class LoadTurnContinuationContextAnswerPromisesItemsItem(TypedDict):
    # the text shown for the criterion
    criterion_text: str | None
    status: Literal["complete", "partial", "incomplete", "uncertain"]
    evidence: NotRequired[str | None]
    evidence_type: str | None
    confidence: float | None
    test_file: str | None
    implementation_files: list[str]
    # as resolved: the label shown for the criterion
    criterion_id: str
    # as the Player gave it
    label: str
    # the same: as every label of an answer that was given otherwise
    given_label: str
    key: str


class LoadTurnContinuationContextAnswerStall(TypedDict):
    verdict: Literal["insufficient_data", "progressing", "no_growth", "plateau", "oscillating", "stalled", "blocked", "finished"]
    should_stop: bool
    reason: NotRequired[str]
    # the first turn that the verdict looked at
    since_turn: int | None
    # how many feedback turns the verdict looked at
    window: int
    signatures: list[LoadTurnContinuationContextAnswerStallSignaturesItem]
    suggestion: NotRequired[str | None]
    criteria_left: list[str]


class LoadTurnContinuationContextAnswerStallSignaturesItem(TypedDict):
    turn: int
    # equal where the complaints are the same
    signature: NotRequired[str]
    # how many blocking issues
    blocking: NotRequired[int]
    verified_total: int


class LoadTurnContinuationContextAnswerIssuesItem(TypedDict):
    severity: Literal["blocking", "should_fix", "advisory"]
    severity_raw: str
    category: str | None
    description: str
    # labels of its criteria, as the answer shows them
    criterion_ids: list[str]
    suggestion: str | None
    details: NotRequired[Any]
    # labels as the Coach gave them, in the order of criterion_ids
    given_labels: list[str]
    # turn that raised it, if it differs from the turn of the answer
    turn: NotRequired[int]


class LoadTurnContinuationContextAnswerElsewhere(TypedDict):
    # only for the first turn of a session
    earlier_session: LoadTurnContinuationContextAnswerElsewhereEarlierSession | None
    # five turns at most of other sessions: that got rid of an open issue of this one, that touched the same files or failed the same gate, that belong to a finished session of the feature
    known: list[LoadTurnContinuationContextAnswerElsewhereKnownItem]


class LoadTurnContinuationContextAnswerElsewhereEarlierSession(TypedDict):
    world_slug: str
    # how many it has
    turns: int
    last_turn: int
    last_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    # number of counting criteria that are verified, including contested ones
    verified: int
    # verified by an observation
    observed: int
    # verified in a judge's own words
    judged: int
    # verified in the Player's words for the same criterion
    repeated: int
    # verified in the Player's words for another criterion
    misplaced: int
    # verified without evidence
    bare: int
    # verified, and rejected later
    contested: int
    # verified, and rejected later with evidence of its own
    refuted: int
    total: int
    criteria_left: list[LoadTurnContinuationContextAnswerElsewhereEarlierSessionCriteriaLeftItem]
    # the blocking ones, in the order in which they were opened
    open_issues: list[LoadTurnContinuationContextAnswerElsewhereEarlierSessionOpenIssuesItem]
    verdict: Literal["insufficient_data", "progressing", "no_growth", "plateau", "oscillating", "stalled", "blocked", "finished"]


class LoadTurnContinuationContextAnswerElsewhereEarlierSessionCriteriaLeftItem(TypedDict):
    criterion_id: str
    text: str | None


class LoadTurnContinuationContextAnswerElsewhereEarlierSessionOpenIssuesItem(TypedDict):
    category: str | None
    description: str
    turn: int


class LoadTurnContinuationContextAnswerElsewhereKnownItem(TypedDict):
    feature_id: str
    task_id: str
    world_slug: str
    turn: int
    # open issues of this session that went in that turn
    issues: list[str]
    # the Player's, of a turn in which issues went
    summary: str | None
    lessons: list[str]
    blockers: list[str]


class LoadTurnContinuationContextAnswerIncludedItem(TypedDict):
    section: str
    items: int


class LoadTurnContinuationContextAnswerOmittedItem(TypedDict):
    section: str
    items: int
    reason: str


class LoadTurnContinuationContextAnswerTokens(TypedDict):
    budget: int
    used: int


class LoadTurnContinuationContextAnswerSectionsItem(TypedDict):
    section: Literal["turn", "criteria", "issues", "tried_before", "promises", "progress", "stall", "earlier_session", "known", "left_out"]
    # as it stands in `context`, where an empty line is between two sections; empty: all was left out
    text: str
    tokens: int
    omitted: list[LoadTurnContinuationContextAnswerSectionsItemOmittedItem]


class LoadTurnContinuationContextAnswerSectionsItemOmittedItem(TypedDict):
    # what it is: as in the `omitted` of the whole
    part: str
    # what is left out; of a text that was cut, its rest
    text: str
    tokens: int
    reason: Literal["token_budget"]


class GetNextStepRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    role: NotRequired[Literal["player", "coach"]]


class GetNextStepAnswer(TypedDict):
    # what is proven, left and blocking, what was tried, and how to record proof; at most 300 tokens
    text: str
    world_slug: str | None
    # the turn that comes next
    turn_number: int
    # true: every required criterion is verified and not contested by a rejection with evidence of its own
    all_verified: bool
    # false: nothing is stored of the task; see `near`
    task_known: bool
    # only of a task that is not known: up to three near names
    near: NotRequired[list[str]]
    # only of a task that is not known: that, in a sentence
    task_message: NotRequired[str]


class ListCriteriaRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    turn: NotRequired[int | None]
    policy: NotRequired[Literal["sticky", "evidence", "latest", "fresh", "observed"] | None]
    role: NotRequired[Literal["player", "coach"]]
    tree: NotRequired[str | None]
    dirty: NotRequired[str | None]


class ListCriteriaAnswer(TypedDict):
    # null: the task has no world yet
    world_slug: str | None
    # inclusive; 0: no turn yet
    as_of_turn: int
    policy: Literal["sticky", "evidence", "latest", "fresh", "observed"]
    # only where the task declares what must hold
    specification_version: NotRequired[int]
    # the criteria that count
    total: int
    # number of counting criteria that are verified, including contested ones
    verified: int
    # verified by an observation
    observed: int
    # verified in a judge's own words
    judged: int
    # verified in the Player's words for the same criterion
    repeated: int
    # verified in the Player's words for another criterion
    misplaced: int
    # verified without evidence
    bare: int
    # verified, and rejected later
    contested: int
    # verified, and rejected later with evidence of its own
    refuted: int
    # every required criterion is verified and not contested by a rejection with evidence of its own; false while a promised criterion is not judged
    all_verified: bool
    # ids of those that are not verified, but for those of `manual`
    remaining: list[str]
    # only where the task declares what must hold: ids of those that a person has still to look at
    manual: NotRequired[list[str]]
    # promised, and never named by a judge, whether they count or not
    promised_not_judged: list[LoadTurnContinuationContextAnswerPromisedNotJudgedItem]
    criteria: list[ListCriteriaAnswerCriteriaItem]
    # false: nothing is stored of the task; see `near`
    task_known: bool
    # only of a task that is not known: up to three near names
    near: NotRequired[list[str]]
    # only of a task that is not known: that, in a sentence
    task_message: NotRequired[str]


class ListCriteriaAnswerCriteriaItem(TypedDict):
    criterion_id: str
    key: str
    text: str | None
    aliases: list[LoadTurnContinuationContextAnswerCriteriaItemAliasesItem]
    state: Literal["verified", "rejected", "pending"]
    verified_in_turn: int | None
    last_turn: int | None
    # how its newest verification is known: by an observation, by a judge's own text, by the Player's text for it, by the Player's text for another criterion, or by no text; null: it is not verified
    basis: Literal["observed", "judged", "repeated", "misplaced", "bare"] | None
    # only if its basis is `observed`: the files that were checked
    observed_on: NotRequired[LoadTurnContinuationContextAnswerCriteriaItemObservedOn]
    # verified, and rejected later with evidence of its own, without a verification since
    refuted: bool
    contested: LoadTurnContinuationContextAnswerCriteriaItemContested | None
    # role coach only: the newest 20, oldest first
    history: NotRequired[list[LoadTurnContinuationContextAnswerCriteriaItemHistoryItem]]
    history_omitted: NotRequired[int]
    promise: LoadTurnContinuationContextAnswerCriteriaItemPromise | None
    # verified, and since then a turn touched files of its proof, or a version worded it anew (no files)
    stale: NotRequired[LoadTurnContinuationContextAnswerCriteriaItemStale]
    # only where the task declares what must hold; false: it is not among that, and does not count
    declared: NotRequired[bool]
    # of a declared one
    kind: NotRequired[Literal["code", "command", "manual"]]
    # of a declared one; false: no judge has named it so far
    judged: NotRequired[bool]
    reworded_in_version: NotRequired[int]
    retired_in_version: NotRequired[int]
    # only with `tree`: observed on this tree, on an earlier one, or never
    seen: NotRequired[Literal["this_tree", "earlier_tree", "never"]]


class GetCriterionHistoryRequest(TypedDict):
    project: NotRequired[str | None]
    key: str
    world_slug: NotRequired[str | None]
    observed: NotRequired[str | bool]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class GetCriterionHistoryAnswer(TypedDict):
    items: list[GetCriterionHistoryAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class GetCriterionHistoryAnswerItemsItem(TypedDict):
    turn: int
    status: Literal["verified", "rejected", "pending", "unknown"]
    source: Literal["coach", "validator", "gate", "command", "person", "player"]
    evidence: str | None
    # only if it was added to the turn after its end: when
    added_at: NotRequired[str]
    # only with `observed`
    observation: NotRequired[CaptureTurnStateAnswerVerificationsItemObservation]


class ListCriteriaByTurnRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str


class ListCriteriaByTurnAnswer(TypedDict):
    world_slug: str
    # all turns of the world, ascending
    turns: list[int]
    # all that any turn named, by key
    criteria: list[ListCriteriaByTurnAnswerCriteriaItem]


class ListCriteriaByTurnAnswerCriteriaItem(TypedDict):
    key: str
    # turns, ascending, by their judges' last explicit verdict
    verified_in: list[int]
    rejected_in: list[int]
    # a judge named it, and gave no verdict: unknown or pending
    unknown_in: list[int]
    # the Player promised it, whether it was judged or not
    promised_in: list[int]
    # turns of promised_in without a complete promise: partial, incomplete or uncertain
    unfinished_in: list[int]
    # turns of verified_in with an observation
    observed_in: list[int]
    # turns of verified_in with only the Player's words
    repeated_in: list[int]
    # turns of verified_in with only the Player's words for another criterion
    misplaced_in: list[int]
    # turns of verified_in without evidence; the remaining turns have a judge's own words
    bare_in: list[int]


class DeclareCriteriaRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    feature_id: str
    task_id: str
    criteria: NotRequired[Sequence[DeclareCriteriaRequestCriteriaItem] | None]
    # of `text`
    format: NotRequired[Literal["markdown", "kiro", "openspec", "spec-kit", "gherkin", "backlog", "beads", "task-master", "github-issue", "json"] | None]
    # a specification file, instead of `criteria`; of several tasks the one with `task_id` is declared
    text: NotRequired[str | None]
    source: NotRequired[DeclareCriteriaRequestSource | None]


class DeclareCriteriaRequestCriteriaItem(TypedDict):
    # default: AC-001 … in order
    criterion_id: NotRequired[str | None]
    # what must hold
    text: str
    # code: the default; command: proven by a command's exit; manual: a person looks
    kind: NotRequired[Literal["code", "command", "manual"] | None]
    # of kind command: what `turngraph verify` runs, as a text or as a list of arguments; without a shell
    command: NotRequired[str | Sequence[str] | None]
    # names of tests that prove it; * is any text, also at the start of a name
    tests: NotRequired[Sequence[str] | None]


class DeclareCriteriaRequestSource(TypedDict):
    # the file that states the task
    path: NotRequired[str | None]
    # at which commit it was read
    commit: NotRequired[str | None]


class DeclareCriteriaAnswer(TypedDict):
    project: str
    feature_id: str
    task_id: str
    version: int
    total: int
    declared_at: str
    source: DeclareCriteriaAnswerSource
    # name of the token that declared the version; null: without a token
    recorded_by: str | None
    criteria: list[DeclareCriteriaAnswerCriteriaItem]
    # declared by an earlier version, and no longer
    retired: list[DeclareCriteriaAnswerRetiredItem]
    # false: the newest version lists the same
    created: bool
    # of labels with letters of another alphabet, and of the text
    warnings: NotRequired[list[str]]


class DeclareCriteriaAnswerSource(TypedDict):
    path: str | None
    commit: str | None


class DeclareCriteriaAnswerCriteriaItem(TypedDict):
    criterion_id: str
    text: str
    kind: Literal["code", "command", "manual"]
    # of kind command: the program and its arguments, if they are declared
    command: NotRequired[list[str]]
    key: str
    # the version that last worded it anew
    reworded_in_version: NotRequired[int]
    # names of tests that prove it; * is any text
    tests: NotRequired[list[str]]


class DeclareCriteriaAnswerRetiredItem(TypedDict):
    key: str
    text: str | None
    retired_in_version: int


class GetSpecificationRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: str
    task_id: str
    version: NotRequired[int | None]


class GetSpecificationAnswer(TypedDict):
    project: str
    feature_id: str
    task_id: str
    version: int
    total: int
    declared_at: str
    source: DeclareCriteriaAnswerSource
    # name of the token that declared the version; null: without a token
    recorded_by: str | None
    criteria: list[DeclareCriteriaAnswerCriteriaItem]
    # declared by an earlier version, and no longer
    retired: list[DeclareCriteriaAnswerRetiredItem]


class RecoverPromisesRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    turn: int


class RecoverPromisesAnswer(TypedDict):
    source: Literal["current", "recovered", "none"]
    recovered_from_turn: NotRequired[int]
    # that they were recovered, or that the task is not known
    message: NotRequired[str]
    items: list[LoadTurnContinuationContextAnswerPromisesItemsItem]
    # false: nothing is stored of the task; see `near`
    task_known: bool
    # only of a task that is not known: up to three near names
    near: NotRequired[list[str]]
    # only of a task that is not known: that, in a sentence
    task_message: NotRequired[str]


class LoadStallRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    turn: NotRequired[int | None]
    policy: NotRequired[Literal["sticky", "evidence", "latest", "fresh", "observed"]]


class LoadStallAnswer(TypedDict):
    verdict: Literal["insufficient_data", "progressing", "no_growth", "plateau", "oscillating", "stalled", "blocked", "finished"]
    should_stop: bool
    reason: NotRequired[str]
    # the first turn that the verdict looked at
    since_turn: int | None
    # how many feedback turns the verdict looked at
    window: int
    signatures: list[LoadTurnContinuationContextAnswerStallSignaturesItem]
    suggestion: NotRequired[str | None]
    criteria_left: list[str]
    # false: nothing is stored of the task; see `near`
    task_known: bool
    # only of a task that is not known: up to three near names
    near: NotRequired[list[str]]
    # only of a task that is not known: that, in a sentence
    task_message: NotRequired[str]


class ListIssuesRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    turn: NotRequired[int | None]
    state: NotRequired[Literal["open", "gone"] | None]
    role: NotRequired[Literal["player", "coach"]]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListIssuesAnswer(TypedDict):
    items: list[ListIssuesAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListIssuesAnswerItemsItem(TypedDict):
    severity: Literal["blocking", "should_fix", "advisory"]
    severity_raw: str
    category: str | None
    description: str
    # labels of its criteria, as the answer shows them
    criterion_ids: list[str]
    suggestion: str | None
    details: NotRequired[Any]
    # labels as the Coach gave them, in the order of criterion_ids
    given_labels: list[str]
    # of its category and its newest description without line numbers and the like: equal ones are one issue
    signature: str
    # how often the turn that saw it last raised it
    times: int
    # number of its wordings; issues of one cause are one row, in the newest words
    wordings: int
    # its other wordings, each with the newest turn that used it, the newest first; at most 10
    other_wordings: list[ListIssuesAnswerItemsItemOtherWordingsItem]
    opened_in_turn: int
    last_seen_in_turn: int
    # in which it was raised, ascending
    turns: list[int]
    # gone: a later judged turn did not raise it
    state: Literal["open", "gone"]
    # null: it is open
    gone_in_turn: int | None


class ListIssuesAnswerItemsItemOtherWordingsItem(TypedDict):
    turn: int
    description: str


class ListAttentionRequest(TypedDict):
    project: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListAttentionAnswer(TypedDict):
    items: list[ListAttentionAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListAttentionAnswerItemsItem(TypedDict):
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    # newest turn of the session
    turn: int
    # damaged: its stored data cannot be read; stalled: no progress; approved_with_gaps: approved with criteria that are not verified, or a failed gate; refuted: a verified criterion was rejected with evidence later; abandoned: not approved, and no activity for a day; only_players_words: approved, and no judge has seen a proof; stale: proofs are older than their files
    reason: Literal["damaged", "stalled", "approved_with_gaps", "refuted", "abandoned", "only_players_words", "stale"]
    # of the session, in words
    outcome: str
    # why it needs a person
    sentence: str
    last_activity: str


class GetSessionSummaryRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str


class GetSessionSummaryAnswer(TypedDict):
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    # newest turn of the session; 0 before the first one
    turn: int
    # in words
    outcome: str
    # one or two sentences that consist of facts
    summary: str
    # verdicts that a later turn took back, of criteria that count: those without a changed file first, then the newest; at most 200
    reversals: list[GetSessionSummaryAnswerReversalsItem]


class GetSessionSummaryAnswerReversalsItem(TypedDict):
    key: str
    criterion_id: str
    # newest turn before the rejection that verified the criterion
    verified_in: int
    rejected_in: int
    # number of files that changed between the two; null: a turn does not list the files that it changed
    changed_files: int | None


class SearchRequest(TypedDict):
    project: NotRequired[str | None]
    q: str
    kind: NotRequired[Literal["criterion", "lesson", "blocker", "issue", "feedback", "summary", "failed_call"] | None]
    role: NotRequired[Literal["player", "coach"]]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class SearchAnswer(TypedDict):
    items: list[SearchAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class SearchAnswerItemsItem(TypedDict):
    kind: Literal["criterion", "lesson", "blocker", "issue", "feedback", "summary", "failed_call"]
    project: str
    feature_id: str | None
    task_id: str | None
    # of a criterion: the newest session that has a state of it
    world_slug: str | None
    turn: int | None
    # end of the turn or start of the call, if it is known
    at: str | None
    # of a criterion
    criterion_key: str | None
    # of a failed call: its transcript
    session_id: str | None
    # the text around the first found word, as one line
    snippet: str
    # path of the turn, session or project on the page
    link: str


class ExplainTurnRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    turn: NotRequired[int | None]
    role: NotRequired[Literal["player", "coach"]]


class ExplainTurnAnswer(TypedDict):
    world_slug: str
    turn: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    # role coach only: agent that judged the turn, if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    coach_feedback: str | None
    # criteria whose last verdict of this turn is a rejection
    rejected: list[ExplainTurnAnswerRejectedItem]
    # promised by then, and never named by a judge
    promised_not_judged: list[LoadTurnContinuationContextAnswerPromisedNotJudgedItem]
    # most severe first
    issues: list[LoadTurnContinuationContextAnswerIssuesItem]
    blocking_issues: list[LoadTurnContinuationContextAnswerIssuesItem]
    blockers_found: list[str]
    # criteria whose last verdict became verified in this turn
    won: list[ExplainTurnAnswerWonItem]
    # criteria whose last verdict was verified before this turn and is not after it
    lost: list[ExplainTurnAnswerWonItem]
    # role coach only: all verifications of the turn, in their order
    verdicts: NotRequired[list[ExplainTurnAnswerVerdictsItem]]
    # number of counting criteria that are verified, including contested ones
    verified: int
    # verified by an observation
    observed: int
    # verified in a judge's own words
    judged: int
    # verified in the Player's words for the same criterion
    repeated: int
    # verified in the Player's words for another criterion
    misplaced: int
    # verified without evidence
    bare: int
    # verified, and rejected later
    contested: int
    # verified, and rejected later with evidence of its own
    refuted: int
    total: int
    # role coach only
    gates: NotRequired[dict[str, Literal["passed", "failed", "unknown"]]]
    # role coach only: those that failed
    blocking_gates: NotRequired[list[str]]
    what_to_try_next: str | None


class ExplainTurnAnswerRejectedItem(TypedDict):
    criterion_id: str
    key: str
    text: str | None
    # how its newest verification is known; null: it is not verified after this turn
    basis: Literal["observed", "judged", "repeated", "misplaced", "bare"] | None
    # role coach only: the judge's, of this turn
    evidence: NotRequired[str | None]
    # new: not judged before, or left open; again: rejected before, too; lost: verified before
    kind: Literal["new", "again", "lost"]


class ExplainTurnAnswerWonItem(TypedDict):
    criterion_id: str
    key: str
    text: str | None
    # how its newest verification is known; null: it is not verified after this turn
    basis: Literal["observed", "judged", "repeated", "misplaced", "bare"] | None
    # role coach only: the judge's, of this turn
    evidence: NotRequired[str | None]


class ExplainTurnAnswerVerdictsItem(TypedDict):
    criterion_id: str
    key: str
    status: Literal["verified", "rejected", "pending", "unknown"]
    source: Literal["coach", "validator", "gate", "command", "person", "player"]
    evidence: str | None
    # only of an observation: the state of the files that it checked
    observed_on: NotRequired[LoadTurnContinuationContextAnswerCriteriaItemObservedOn]
    # only if it was added to the turn after its end: when
    added_at: NotRequired[str]


class CompareWorldsRequest(TypedDict):
    project: NotRequired[str | None]
    a: str
    b: str


class CompareWorldsAnswer(TypedDict):
    a: CompareWorldsAnswerA
    b: CompareWorldsAnswerA
    same_task: bool
    # the difference in one sentence
    sentence: str


class CompareWorldsAnswerA(TypedDict):
    feature_id: str
    task_id: str
    world_slug: str
    turns: int
    last_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"] | None
    # how many criteria count
    criteria: int
    verified: int
    contested: int
    # number of criteria that each turn verified for the first time, for turns with any
    gains: list[CompareWorldsAnswerAGainsItem]
    # first turn that verified a criterion
    first_verified_in: int | None
    # turn that verified the last criterion that counts
    all_verified_in: int | None
    # rejections after a verification, of the criteria that count
    reversals: int
    # number of judged turns in which each gate failed, most first
    failed_gates: list[CompareWorldsAnswerAFailedGatesItem]
    # causes of issues in all turns
    issues: int
    open_issues: int
    open_blocking: int
    # sum of the durations of its turns; null if a turn reports none
    seconds: float | None


class CompareWorldsAnswerAGainsItem(TypedDict):
    turn: int
    gained: int


class CompareWorldsAnswerAFailedGatesItem(TypedDict):
    gate: str
    turns: int


class ReplaySessionsRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    policy: NotRequired[Literal["sticky", "evidence", "latest", "fresh", "observed"] | None]
    stall: NotRequired[Literal["should_stop", "stalled", "blocked", "oscillating", "plateau", "no_growth"]]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ReplaySessionsAnswer(TypedDict):
    # in the order of their slugs
    items: list[ReplaySessionsAnswerItemsItem]
    # of this page, by policy
    totals: list[ReplaySessionsAnswerTotalsItem]
    # the totals of the first policy
    sentence: str
    # sessions with more than 1000 turns, which are not replayed
    too_long: list[str]
    next_cursor: str | None


class ReplaySessionsAnswerItemsItem(TypedDict):
    feature_id: str
    task_id: str
    world_slug: str
    turns: int
    # the newest turn that was approved
    approved_in: int | None
    policies: list[ReplaySessionsAnswerItemsItemPoliciesItem]


class ReplaySessionsAnswerItemsItemPoliciesItem(TypedDict):
    policy: Literal["sticky", "evidence", "latest", "fresh", "observed"]
    counted: list[ReplaySessionsAnswerItemsItemPoliciesItemCountedItem]


class ReplaySessionsAnswerItemsItemPoliciesItemCountedItem(TypedDict):
    turn: int
    # the rule that counts the turn
    rule: Literal["after_all_proven", "judged_again", "stop"]
    # after_all_proven: the turn that verified the last criterion
    proven_in: NotRequired[int]
    # judged_again: the first 20 of them
    criteria: NotRequired[list[str]]
    # judged_again: number of them that were verified
    verified_again: NotRequired[int]
    # judged_again: number of them that were rejected
    rejected: NotRequired[int]
    # stop: the verdict of stall analysis
    verdict: NotRequired[str]
    # stop: false if a later turn of the session was approved
    right: NotRequired[bool]
    # stop: number of later turns
    turns_after: NotRequired[int]


class ReplaySessionsAnswerTotalsItem(TypedDict):
    policy: Literal["sticky", "evidence", "latest", "fresh", "observed"]
    sessions: int
    turns: int
    # turns after the first of their session
    repeated: int
    # turns that the rule after_all_proven counts
    after_all_proven: int
    # turns that the rule judged_again counts
    judged_again: int
    # sessions that the detector would have ended
    stops: int
    # stops after which no turn was approved
    right_stops: int
    # turns after the right stops
    turns_saved: int
    # turns after the wrong stops
    turns_lost: int


class DescribeCallerRequest(TypedDict):
    pass


class DescribeCallerAnswer(TypedDict):
    # of the token
    name: str
    scopes: list[Literal["read", "write", "play", "judge", "observe", "analyst", "admin"]]
    # the one project that the token reaches; null: all
    only_project: str | None
    # that of calls that name none
    project: str


class ListProjectsRequest(TypedDict):
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListProjectsAnswer(TypedDict):
    items: list[ListProjectsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListProjectsAnswerItemsItem(TypedDict):
    project: str


class CreateWorldRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    feature_id: str
    task_id: str
    # default: the task's next one; characters A-Z a-z 0-9 . _ ~ % -, at most 256
    world_slug: NotRequired[str | None]
    # default: external
    executor: NotRequired[str | None]
    # default: 60000
    lease_ttl_ms: NotRequired[int | None]
    # what ends a run early, looked at after each attempt; default: nothing
    stop_when: NotRequired[Sequence[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]] | None]
    # ends a run when one of them is used up; stop_when then includes budget
    budget: NotRequired[CreateWorldRequestBudget | None]
    # the pause after a failed attempt; default: that of the executor
    backoff: NotRequired[CreateWorldRequestBackoff | None]
    # auto: a new run resumes one that a restart interrupted; default: never
    resume: NotRequired[Literal["never", "auto"] | None]
    # what must hold in its task: declared before the world is made, as PUT /v1/specification does
    criteria: NotRequired[Sequence[DeclareCriteriaRequestCriteriaItem] | None]
    # a repeat with the same key answers the world of the first call; REST takes the header Idempotency-Key too
    idempotency_key: NotRequired[str | None]


class CreateWorldRequestBudget(TypedDict):
    # since the run began
    minutes: NotRequired[float | None]
    attempts_failed_in_a_row: NotRequired[int | None]
    # the sum of what commits and failures say they used
    tokens: NotRequired[int | None]


class CreateWorldRequestBackoff(TypedDict):
    # 0: no pause
    first_ms: int
    factor: float
    most_ms: int


class CreateWorldAnswer(TypedDict):
    world_slug: str
    project: str
    feature_id: str
    task_id: str
    # the greatest turn number present; 0 before the first
    current_turn: int
    executor: str
    lease_ttl_ms: int
    # what ends its runs early
    stop_when: NotRequired[list[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]]]
    budget: NotRequired[CreateWorldAnswerBudget]
    # the pause after a failed attempt; without it, that of the executor
    backoff: NotRequired[CreateWorldAnswerBackoff]
    resume: NotRequired[Literal["never", "auto"]]
    active_turn_run_id: str | None
    active_attempt_id: str | None
    created_at: str
    deleted_at: str | None
    created: bool


class CreateWorldAnswerBudget(TypedDict):
    minutes: NotRequired[float]
    attempts_failed_in_a_row: NotRequired[int]
    tokens: NotRequired[int]


class CreateWorldAnswerBackoff(TypedDict):
    # 0: no pause
    first_ms: int
    factor: float
    most_ms: int


class AddVerificationsRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    # default: the newest world of the task
    world_slug: NotRequired[str | None]
    # default: the newest turn
    turn_number: NotRequired[int | None]
    verifications: NotRequired[Sequence[AddVerificationsRequestVerificationsItem] | None]
    # texts of JUnit reports, whose tests prove the declared criteria that they name
    junit: NotRequired[Sequence[str] | None]
    # texts of TAP reports
    tap: NotRequired[Sequence[str] | None]
    # texts of JSON reports of vitest or Jest
    vitest_json: NotRequired[Sequence[str] | None]
    # with reports: when the tests ran, and on which files
    reported_on: NotRequired[AddVerificationsRequestReportedOn | None]


class AddVerificationsRequestVerificationsItem(TypedDict):
    criterion_id: str
    criterion_text: NotRequired[str | None]
    status: Literal["verified", "rejected", "pending", "unknown", "passed", "complete", "completed", "done", "failed", "not_started", "in_progress", "unverified", "absent"]
    source: NotRequired[Literal["coach", "validator", "gate", "command", "person", "player"] | None]
    evidence: NotRequired[str | None]
    # what it is about: a later change of one makes the proof stale
    files: NotRequired[Sequence[str] | None]
    # agent that judged, if it is another one than the judge of the turn
    judge: NotRequired[CaptureTurnStateRequestJudge | None]
    # observed result of a command or a test report
    observation: NotRequired[CaptureTurnStateRequestVerificationsItemObservation | None]
    # when it was made; default: the time of its observation, otherwise of its arrival
    started_at: NotRequired[str | None]


class AddVerificationsRequestReportedOn(TypedDict):
    # start of the command, or of the tests of a report
    started_at: str
    # git tree of HEAD
    tree: NotRequired[str | None]
    # SHA-256 of the changes that are not committed; null: none
    dirty: NotRequired[str | None]
    commit: NotRequired[str | None]
    # program that observed it, with its version
    runner: NotRequired[str | None]
    # machine that it ran on
    host: NotRequired[str | None]


class AddVerificationsAnswer(TypedDict):
    world_slug: str
    turn_number: int
    # number of verifications that this call stored; the others were stored before
    added: int
    # as stored, in the order of the request
    verifications: list[AddVerificationsAnswerVerificationsItem]
    # number of masked secrets
    redactions: int
    # only with reports: what they do not prove
    reports: NotRequired[AddVerificationsAnswerReports]


class AddVerificationsAnswerVerificationsItem(TypedDict):
    criterion_id: str
    criterion_text: str | None
    status: Literal["verified", "rejected", "pending", "unknown"]
    source: Literal["coach", "validator", "gate", "command", "person", "player"]
    evidence: str | None
    # only where it names some
    files: NotRequired[list[str]]
    # only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # only if something was observed
    observation: NotRequired[CaptureTurnStateAnswerVerificationsItemObservation]
    # when it was made
    started_at: str
    # when it was stored
    added_at: str
    # name of the token that added it; null without a token
    added_by: str | None


class AddVerificationsAnswerReports(TypedDict):
    # skipped tests of criteria; they prove nothing
    skipped: list[AddVerificationsAnswerReportsSkippedItem]
    # declared criteria that no test names, except those for a person
    unmapped: list[str]
    # number of tests that name no criterion
    unused: int


class AddVerificationsAnswerReportsSkippedItem(TypedDict):
    criterion_id: str
    tests: list[str]


class ListWorldsRequest(TypedDict):
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    search: NotRequired[str | None]
    running: NotRequired[str | bool]
    not_approved: NotRequired[str | bool]
    stalled_or_oscillating: NotRequired[str | bool]
    order: NotRequired[Literal["world_slug", "last_activity"]]
    without_tokens: NotRequired[str | bool]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListWorldsAnswer(TypedDict):
    items: list[ListWorldsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListWorldsAnswerItemsItem(TypedDict):
    world_slug: str
    project: str
    feature_id: str
    task_id: str
    # the greatest turn number present; 0 before the first
    current_turn: int
    executor: str
    lease_ttl_ms: int
    # what ends its runs early
    stop_when: NotRequired[list[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]]]
    budget: NotRequired[CreateWorldAnswerBudget]
    # the pause after a failed attempt; without it, that of the executor
    backoff: NotRequired[CreateWorldAnswerBackoff]
    resume: NotRequired[Literal["never", "auto"]]
    active_turn_run_id: str | None
    active_attempt_id: str | None
    created_at: str
    deleted_at: str | None
    # the Coach's decision in the newest turn; null before the first
    last_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"] | None
    # number of counting criteria that are verified, including contested ones
    verified: int
    # verified by an observation
    observed: int
    # verified in a judge's own words
    judged: int
    # verified in the Player's words for the same criterion
    repeated: int
    # verified in the Player's words for another criterion
    misplaced: int
    # verified without evidence
    bare: int
    # verified, and rejected later
    contested: int
    # verified, and rejected later with evidence of its own
    refuted: int
    # how many criteria count
    criteria: int
    # that of stall analysis
    verdict: Literal["insufficient_data", "progressing", "no_growth", "plateau", "oscillating", "stalled", "blocked", "finished"]
    # in words: running, approved, approved with gaps, regressed, blocked by GATE, stalled, stopped by REASON, superseded by WORLD, abandoned, or damaged with the remedy
    outcome: str
    # when its latest turn was completed; before the first, when it was created
    last_activity: str
    # how its newest 48 turns ended, ascending
    decisions: list[ListWorldsAnswerItemsItemDecisionsItem]
    # who holds its active run and attempt; empty where nobody does, or an attempt is not claimed yet
    lease_owners: list[str]
    # tokens of its turns, by their transcripts or records; null if none are known, or with `without_tokens`
    tokens: ListWorldsAnswerItemsItemTokens | None


class ListWorldsAnswerItemsItemDecisionsItem(TypedDict):
    turn: int
    decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]


class ListWorldsAnswerItemsItemTokens(TypedDict):
    # input tokens, without cached ones
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int


class GetWorldRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    tokens: NotRequired[str | bool]


class GetWorldAnswer(TypedDict):
    world_slug: str
    project: str
    feature_id: str
    task_id: str
    # the greatest turn number present; 0 before the first
    current_turn: int
    executor: str
    lease_ttl_ms: int
    # what ends its runs early
    stop_when: NotRequired[list[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]]]
    budget: NotRequired[CreateWorldAnswerBudget]
    # the pause after a failed attempt; without it, that of the executor
    backoff: NotRequired[CreateWorldAnswerBackoff]
    resume: NotRequired[Literal["never", "auto"]]
    active_turn_run_id: str | None
    active_attempt_id: str | None
    created_at: str
    deleted_at: str | None
    # the Coach's decision in the newest turn; null before the first
    last_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"] | None
    # number of counting criteria that are verified, including contested ones
    verified: int
    # verified by an observation
    observed: int
    # verified in a judge's own words
    judged: int
    # verified in the Player's words for the same criterion
    repeated: int
    # verified in the Player's words for another criterion
    misplaced: int
    # verified without evidence
    bare: int
    # verified, and rejected later
    contested: int
    # verified, and rejected later with evidence of its own
    refuted: int
    # how many criteria count
    criteria: int
    # that of stall analysis
    verdict: Literal["insufficient_data", "progressing", "no_growth", "plateau", "oscillating", "stalled", "blocked", "finished"]
    # in words: running, approved, approved with gaps, regressed, blocked by GATE, stalled, stopped by REASON, superseded by WORLD, abandoned, or damaged with the remedy
    outcome: str
    # when its latest turn was completed; before the first, when it was created
    last_activity: str
    # only with `tokens`: the sum of its turns, as in the list; null if none are known
    tokens: NotRequired[ListWorldsAnswerItemsItemTokens | None]
    # only with `tokens`, and not for a Player: the tokens of each turn whose tokens are known, ascending
    turn_tokens: NotRequired[list[GetWorldAnswerTurnTokensItem]]


class GetWorldAnswerTurnTokensItem(TypedDict):
    # input tokens, without cached ones
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_creation_tokens: int
    turn: int


class SetWorldRequest(TypedDict):
    world_slug: str
    # default: the connection's project
    project: NotRequired[str | None]
    # what ends a run early, looked at after each attempt; default: nothing
    stop_when: NotRequired[Sequence[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]] | None]
    # ends a run when one of them is used up; stop_when then includes budget
    budget: NotRequired[CreateWorldRequestBudget | None]
    # the pause after a failed attempt; default: that of the executor
    backoff: NotRequired[CreateWorldRequestBackoff | None]
    # auto: a new run resumes one that a restart interrupted; default: never
    resume: NotRequired[Literal["never", "auto"] | None]


class World(TypedDict):
    world_slug: str
    project: str
    feature_id: str
    task_id: str
    # the greatest turn number present; 0 before the first
    current_turn: int
    executor: str
    lease_ttl_ms: int
    # what ends its runs early
    stop_when: NotRequired[list[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]]]
    budget: NotRequired[CreateWorldAnswerBudget]
    # the pause after a failed attempt; without it, that of the executor
    backoff: NotRequired[CreateWorldAnswerBackoff]
    resume: NotRequired[Literal["never", "auto"]]
    active_turn_run_id: str | None
    active_attempt_id: str | None
    created_at: str
    deleted_at: str | None


class DeleteWorldRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str


class RollbackWorldRequest(TypedDict):
    world_slug: str
    # default: the connection's project
    project: NotRequired[str | None]
    # the last turn that stays; 0: none
    to_turn: int
    # why, in one line: the next context says it
    reason: NotRequired[str | None]


class RollbackWorldAnswer(TypedDict):
    world_slug: str
    project: str
    feature_id: str
    task_id: str
    # the greatest turn number present; 0 before the first
    current_turn: int
    executor: str
    lease_ttl_ms: int
    # what ends its runs early
    stop_when: NotRequired[list[Literal["approved", "all_verified", "all_observed", "stalled", "budget"]]]
    budget: NotRequired[CreateWorldAnswerBudget]
    # the pause after a failed attempt; without it, that of the executor
    backoff: NotRequired[CreateWorldAnswerBackoff]
    resume: NotRequired[Literal["never", "auto"]]
    active_turn_run_id: str | None
    active_attempt_id: str | None
    created_at: str
    deleted_at: str | None
    # number of turns that this call withdrew
    withdrawn: int


class RunTurnRequest(TypedDict):
    world_slug: str
    # default: the connection's project
    project: NotRequired[str | None]
    # committed turns; default: 1
    turn_count: NotRequired[int]
    # at least turn_count; default: turn_count
    max_attempts: NotRequired[int]


class RunTurnAnswer(TypedDict):
    run_mode: Literal["single_attempt", "turn_run"]
    message: str
    world_slug: str
    attempt_id: NotRequired[str]
    turn_run_id: NotRequired[str]
    status: str
    turn_before: NotRequired[int]
    attempted_turn: NotRequired[int]
    turn_count: int
    turn_count_source: Literal["default", "explicit"]
    turn_count_hint: str
    max_attempts: int
    max_attempts_source: Literal["default", "explicit"]
    max_attempts_hint: str
    start_turn: NotRequired[int]
    target_turn: NotRequired[int]
    poll_with: RunTurnAnswerPollWith
    list_attempts_with: NotRequired[RunTurnAnswerListAttemptsWith]


class RunTurnAnswerPollWith(TypedDict):
    tool: Literal["get_turn_status", "get_turn_run_status"]
    args: RunTurnAnswerPollWithArgs


class RunTurnAnswerPollWithArgs(TypedDict):
    world_slug: str
    attempt_id: NotRequired[str]
    turn_run_id: NotRequired[str]


class RunTurnAnswerListAttemptsWith(TypedDict):
    tool: Literal["list_attempts"]
    args: RunTurnAnswerListAttemptsWithArgs


class RunTurnAnswerListAttemptsWithArgs(TypedDict):
    world_slug: str
    turn_run_id: str


class ListAttemptsRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    turn_run_id: NotRequired[str]
    up_to: NotRequired[int]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListAttemptsAnswer(TypedDict):
    items: list[ListAttemptsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListAttemptsAnswerItemsItem(TypedDict):
    attempt_id: str
    turn_run_id: str | None
    turn_run_seq: int | None
    status: Literal["running", "committed", "failed", "interrupted"]
    turn_before: int
    attempted_turn: int
    produced_turn: int | None
    failure_reason: str | None
    started_at: str
    ended_at: str | None


class NextAttemptRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    worker_id: str
    wait_ms: NotRequired[int]
    with_continuation: NotRequired[str | bool]


class NextAttemptAnswer(TypedDict):
    # null if no attempt was open during the wait; ask again
    claim: ClaimAttemptAnswer | None


class ClaimAttemptAnswer(TypedDict):
    attempt_id: str
    world_slug: str
    attempted_turn: int
    # required in every further call of this worker
    fence: int
    # by the database's clock; send a heartbeat at a third of the lease
    lease_until: str
    continuation: ClaimAttemptAnswerContinuation | None


class ClaimAttemptAnswerContinuation(TypedDict):
    player: LoadTurnContinuationContextAnswer
    coach: LoadTurnContinuationContextAnswer


class ListTurnRunsRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: NotRequired[str]
    status: NotRequired[Literal["running", "cancel_requested", "completed", "failed", "cancelled", "interrupted"]]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListTurnRunsAnswer(TypedDict):
    items: list[GetTurnRunStatusAnswer]
    # null on the last page
    next_cursor: str | None


class GetTurnRunStatusAnswer(TypedDict):
    message: str
    world_slug: str
    turn_run_id: str
    status: Literal["running", "cancel_requested", "completed", "failed", "cancelled", "interrupted"]
    requested_turn_count: int
    max_attempts: int
    turn_count_source: Literal["default", "explicit"]
    max_attempts_source: Literal["default", "explicit"]
    start_turn: int
    target_turn: int
    current_turn: int
    committed_turn_count: int
    remaining_committed_turns: int
    attempt_count: int
    failed_attempt_count: int
    interrupted_attempt_count: int
    active_attempt_id: str | None
    last_attempt_id: str | None
    last_attempt_status: Literal["running", "committed", "failed", "interrupted"] | None
    progress: str
    cancel_requested_at: str | None
    cancel_reason: str | None
    # the condition of the world's stop_when that ended the run
    stop_reason: Literal["approved", "all_verified", "all_observed", "stalled", "budget"] | None
    failure_reason: str | None
    # of a failed run: why its last attempt failed; null if it committed
    last_attempt_failure_reason: str | None
    # the end of the pause after a failed attempt
    next_attempt_at: str | None
    # the sum of the usage that its attempts reported
    used_tokens: int
    # null once the run has ended
    lease: GetTurnRunStatusAnswerLease | None
    # the interrupted run that this run resumes
    resumes: GetTurnRunStatusAnswerResumes | None
    enqueued_at: str
    started_at: str
    ended_at: str | None
    poll_active_attempt_with: GetTurnRunStatusAnswerPollActiveAttemptWith | None
    # null once the run has ended
    poll_with: GetTurnRunStatusAnswerPollWith | None
    list_attempts_with: RunTurnAnswerListAttemptsWith
    # newest first
    recent_attempts: NotRequired[list[ListAttemptsAnswerItemsItem]]


class GetTurnRunStatusAnswerLease(TypedDict):
    # the worker; null if the attempt is not claimed yet
    owner: str | None
    # by the database's clock; then the run or attempt is interrupted unless it is renewed; an external attempt one lease time later
    until: str
    # only of an attempt, and only for the worker that claimed it
    fence: int | None


class GetTurnRunStatusAnswerResumes(TypedDict):
    turn_run_id: str


class GetTurnRunStatusAnswerPollActiveAttemptWith(TypedDict):
    tool: Literal["get_turn_status"]
    args: GetTurnRunStatusAnswerPollActiveAttemptWithArgs


class GetTurnRunStatusAnswerPollActiveAttemptWithArgs(TypedDict):
    world_slug: str
    attempt_id: str


class GetTurnRunStatusAnswerPollWith(TypedDict):
    tool: Literal["get_turn_run_status"]
    args: RunTurnAnswerListAttemptsWithArgs


class GetTurnRunStatusRequest(TypedDict):
    project: NotRequired[str | None]
    turn_run_id: str
    world_slug: NotRequired[str]
    include_attempts: NotRequired[str | bool]
    attempt_limit: NotRequired[int]


class CancelTurnRunRequest(TypedDict):
    turn_run_id: str
    # default: the connection's project
    project: NotRequired[str | None]
    # the world it must be of
    world_slug: NotRequired[str]
    reason: NotRequired[str]
    # true: the attempt under way is stopped too
    abort: NotRequired[bool]


class GetTurnStatusRequest(TypedDict):
    project: NotRequired[str | None]
    attempt_id: str
    world_slug: NotRequired[str]
    worker_id: NotRequired[str | None]


class GetTurnStatusAnswer(TypedDict):
    message: str
    world_slug: str
    attempt_id: str
    turn_run_id: str | None
    turn_run_seq: int | None
    status: Literal["running", "committed", "failed", "interrupted"]
    turn_before: int
    attempted_turn: int
    produced_turn: int | None
    failure_reason: str | None
    started_at: str
    ended_at: str | None
    executor: str
    # null once the attempt has ended
    lease: GetTurnRunStatusAnswerLease | None
    # null once the attempt has ended
    poll_with: GetTurnRunStatusAnswerPollActiveAttemptWith | None


class ClaimAttemptRequest(TypedDict):
    attempt_id: str
    # default: the connection's project
    project: NotRequired[str | None]
    worker_id: str
    # false: for a worker that loads its contexts itself; `continuation` is null then
    with_continuation: NotRequired[bool]


class HeartbeatAttemptRequest(TypedDict):
    attempt_id: str
    # default: the connection's project
    project: NotRequired[str | None]
    # what the claim answered
    fence: int


class HeartbeatAttemptAnswer(TypedDict):
    lease_until: str
    # the run ends with this attempt
    cancel_requested: bool
    # stop now, and fail the attempt
    abort_requested: bool


class CommitAttemptRequest(TypedDict):
    attempt_id: str
    # default: the connection's project
    project: NotRequired[str | None]
    # what the claim answered
    fence: int
    turn: CommitAttemptRequestTurn
    # what the attempt used; a budget of its run counts it
    usage: NotRequired[CommitAttemptRequestUsage | None]


class CommitAttemptRequestTurn(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    # default: the newest world of the task
    world_slug: NotRequired[str | None]
    turn_number: NotRequired[int | None]
    # what the Player implemented or attempted
    player_summary: str
    # implemented, failed, blocked, unknown, or a synonym; a Coach's decision counts as implemented
    player_decision: NotRequired[str | None]
    # approved, feedback, rejected, deferred, error, unknown, or a synonym
    coach_decision: NotRequired[str | None]
    # agent that judged the turn
    judge: NotRequired[CaptureTurnStateRequestJudge | None]
    # agent that played the turn
    player: NotRequired[CaptureTurnStateRequestPlayer | None]
    coach_feedback: NotRequired[str | None]
    # feedback of the previous judgement, as the Player of this turn got it
    delivered_feedback: NotRequired[str | None]
    mode: NotRequired[Literal["fresh_start", "recovering_state", "continuing_work", "fresh", "start", "recovering", "recover", "recovery", "recovered", "continuing", "continue", "continued"] | None]
    # true: the mode defaults to recovering_state
    recovered: NotRequired[bool]
    blockers_found: NotRequired[Sequence[str]]
    lessons_from_turn: NotRequired[Sequence[str]]
    files_modified: NotRequired[Sequence[str]]
    # git: git shows these files as changed, so that no issue denies one; default: the Player claims them
    files_source: NotRequired[Literal["git"] | None]
    progress_summary: NotRequired[str]
    # criterion → status, the short form of `verifications`
    acceptance_criteria_status: NotRequired[Mapping[str, Literal["verified", "rejected", "pending", "unknown", "passed", "complete", "completed", "done", "failed", "not_started", "in_progress", "unverified", "absent"]]]
    verifications: NotRequired[Sequence[CaptureTurnStateRequestVerificationsItem]]
    promises: NotRequired[Sequence[CaptureTurnStateRequestPromisesItem]]
    issues: NotRequired[Sequence[CaptureTurnStateRequestIssuesItem]]
    gates: NotRequired[Mapping[str, Literal["passed", "failed", "unknown"]]]
    tests_passed: NotRequired[int | None]
    tests_failed: NotRequired[int | None]
    coverage: NotRequired[float | None]
    arch_score: NotRequired[float | None]
    started_at: NotRequired[str | None]
    # default: now; null: not known
    completed_at: NotRequired[str | None]
    duration_seconds: NotRequired[float | None]
    what_to_try_next: NotRequired[str | None]
    commit: NotRequired[str | None]
    transcript_session_ids: NotRequired[Sequence[str]]
    # tokens of its agents; counts if its transcripts are not known
    usage: NotRequired[CaptureTurnStateRequestUsage | None]
    # kept as it came
    extra: NotRequired[Mapping[str, Any]]
    # of an episode body, which is taken as it is
    entity_type: NotRequired[Literal["turn_state"] | None]
    # for display; not used, it follows from feature_id and turn_number
    id: NotRequired[str | None]
    # of a record that was read back: must be that of its world and turn
    key: NotRequired[str | None]
    # of a record that was read back: not used, storing it again has its own
    created_at: NotRequired[str | None]
    # of a record that was read back: not used, the service knows the token
    recorded_by: NotRequired[str | None]
    # of a record that was read back: the word that player_decision was given as
    player_decision_raw: NotRequired[str | None]
    # of a record that was read back: the word that coach_decision was given as
    coach_decision_raw: NotRequired[str | None]


class CommitAttemptRequestUsage(TypedDict):
    tokens: NotRequired[int | None]


class FailAttemptRequest(TypedDict):
    attempt_id: str
    # default: the connection's project
    project: NotRequired[str | None]
    # what the claim answered
    fence: int
    reason: str
    # what the attempt used; a budget of its run counts it
    usage: NotRequired[CommitAttemptRequestUsage | None]


class ListTurnsRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListTurnsAnswer(TypedDict):
    items: list[TurnState]
    # null on the last page
    next_cursor: str | None


class TurnState(TypedDict):
    # TURN-{feature_id}-{turn_number}: for display only
    id: str
    key: str
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    turn_number: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    player_decision_raw: str | None
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_decision_raw: str | None
    coach_feedback: str | None
    delivered_feedback: str | None
    mode: Literal["fresh_start", "recovering_state", "continuing_work"]
    blockers_found: list[str]
    progress_summary: str
    acceptance_criteria_status: dict[str, Literal["verified", "rejected", "pending", "unknown"]]
    verifications: list[CaptureTurnStateAnswerVerificationsItem]
    promises: list[CaptureTurnStateAnswerPromisesItem]
    issues: list[CaptureTurnStateAnswerIssuesItem]
    gates: dict[str, Literal["passed", "failed", "unknown"]]
    tests_passed: int | None
    tests_failed: int | None
    coverage: float | None
    arch_score: float | None
    started_at: str | None
    completed_at: str | None
    duration_seconds: float | None
    lessons_from_turn: list[str]
    what_to_try_next: str | None
    files_modified: list[str]
    files_source: Literal["git"] | None
    commit: str | None
    transcript_session_ids: list[str]
    # tokens that the turn reports; null if it reports none
    usage: CaptureTurnStateAnswerUsage | None
    extra: dict[str, Any]
    created_at: str
    recorded_by: str | None
    # agent that judged the turn; only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # agent that played the turn; only if it is named
    player: NotRequired[CaptureTurnStateAnswerPlayer]


class GetTurnRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    turn_number: int


class GetTurnHistoryRequest(TypedDict):
    project: NotRequired[str | None]
    world_slug: str
    turn_number: int
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class GetTurnHistoryAnswer(TypedDict):
    items: list[GetTurnHistoryAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class GetTurnHistoryAnswerItemsItem(TypedDict):
    # TURN-{feature_id}-{turn_number}: for display only
    id: str
    key: str
    project: str
    feature_id: str
    task_id: str
    world_slug: str
    turn_number: int
    player_summary: str
    player_decision: Literal["implemented", "failed", "blocked", "unknown"]
    player_decision_raw: str | None
    coach_decision: Literal["approved", "feedback", "rejected", "deferred", "error", "unknown"]
    coach_decision_raw: str | None
    coach_feedback: str | None
    delivered_feedback: str | None
    mode: Literal["fresh_start", "recovering_state", "continuing_work"]
    blockers_found: list[str]
    progress_summary: str
    acceptance_criteria_status: dict[str, Literal["verified", "rejected", "pending", "unknown"]]
    verifications: list[CaptureTurnStateAnswerVerificationsItem]
    promises: list[CaptureTurnStateAnswerPromisesItem]
    issues: list[CaptureTurnStateAnswerIssuesItem]
    gates: dict[str, Literal["passed", "failed", "unknown"]]
    tests_passed: int | None
    tests_failed: int | None
    coverage: float | None
    arch_score: float | None
    started_at: str | None
    completed_at: str | None
    duration_seconds: float | None
    lessons_from_turn: list[str]
    what_to_try_next: str | None
    files_modified: list[str]
    files_source: Literal["git"] | None
    commit: str | None
    transcript_session_ids: list[str]
    # tokens that the turn reports; null if it reports none
    usage: CaptureTurnStateAnswerUsage | None
    extra: dict[str, Any]
    created_at: str
    recorded_by: str | None
    # agent that judged the turn; only if it is named
    judge: NotRequired[CaptureTurnStateAnswerVerificationsItemJudge]
    # agent that played the turn; only if it is named
    player: NotRequired[CaptureTurnStateAnswerPlayer]
    # when a rollback withdrew it; only of a withdrawn record
    withdrawn_at: NotRequired[str]
    # reason of the rollback, if it was given
    withdrawn_reason: NotRequired[str]


class ListTranscriptTurnsRequest(TypedDict):
    project: NotRequired[str | None]
    min_length: NotRequired[int | None]
    since: NotRequired[str | None]
    session_id: NotRequired[str | None]
    pattern: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListTranscriptTurnsAnswer(TypedDict):
    items: list[ListTranscriptTurnsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListTranscriptTurnsAnswerItemsItem(TypedDict):
    # the uuid of the record that started the turn
    turn_id: str
    session_id: str
    # coding agent of the session, such as claude-code or codex
    agent: str
    # the index of the turn in the session, from 0
    index: int
    # what began the turn: human, skill, command, bash, task_notification, teammate, subagent, continuation, or another origin that the transcript names, such as peer, coordinator or channel
    kind: str
    status: Literal["complete", "interrupted", "open"]
    started_at: str | None
    duration_ms: float | None
    # number of calls
    length: int
    # the tool of each call, in order
    tools: list[str]
    # null if the turn has no calls
    pattern: str | None
    errors: int
    parallel_steps: int
    # models that answered
    models: list[str]
    # reasoning effort of its last response that names one; null if none does
    effort: str | None
    # without cached tokens; null if the transcript has no usage
    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_creation_tokens: int | None


class ListTranscriptStepsRequest(TypedDict):
    project: NotRequired[str | None]
    session_id: str
    index: int
    limit: NotRequired[int]
    cursor: NotRequired[str | None]
    max_bytes: NotRequired[int]


class ListTranscriptStepsAnswer(TypedDict):
    items: list[ListTranscriptStepsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None
    turn_id: str


class ListTranscriptStepsAnswerItemsItem(TypedDict):
    # the index of the call in the turn, from 0
    sequence: int
    tool: str
    status: Literal["ok", "error", "denied", "interrupted", "pending"]
    # true if its response made several calls
    is_parallel: bool
    # the number of that response in the turn, from 1; null if the call is not parallel
    parallel_group: int | None
    duration_ms: float | None
    # the message of a failed call; for a command, the end of its output; at most 500 characters, with secrets masked; empty if a person may have written it
    error: str | None
    # the subagent that the call started
    agent_id: str | None


class ListTranscriptPatternsRequest(TypedDict):
    project: NotRequired[str | None]
    min_length: NotRequired[int | None]
    since: NotRequired[str | None]
    session_id: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListTranscriptPatternsAnswer(TypedDict):
    items: list[ListTranscriptPatternsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListTranscriptPatternsAnswerItemsItem(TypedDict):
    pattern: str
    count: int
    avg_length: float
    sessions: int


class ListTranscriptSequencesRequest(TypedDict):
    project: NotRequired[str | None]
    since: NotRequired[str | None]
    session_id: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListTranscriptSequencesAnswer(TypedDict):
    items: list[ListTranscriptSequencesAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListTranscriptSequencesAnswerItemsItem(TypedDict):
    # the tools of 2 to 5 calls that follow each other
    sequence: str
    # number of calls
    length: int
    # number of occurrences
    count: int
    # number of turns with it
    turns: int
    sessions: int


class ListToolStatsRequest(TypedDict):
    project: NotRequired[str | None]
    since: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListToolStatsAnswer(TypedDict):
    items: list[ListToolStatsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListToolStatsAnswerItemsItem(TypedDict):
    tool_name: str
    # calls
    count: int
    # turns with at least one call
    turns: int
    # average length of those turns, each counted once
    avg_turn_len: float
    # share of long turns among them; 0 to 100
    long_turn_pct: float


class ListCostRequest(TypedDict):
    project: NotRequired[str | None]
    by: NotRequired[Literal["task", "session", "model", "agent", "day"]]
    since: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListCostAnswer(TypedDict):
    items: list[ListCostAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListCostAnswerItemsItem(TypedDict):
    # feature/task, session, model, coding agent or day (UTC); null: turns without a task or without a time
    name: str | None
    # by session: the session that started this subagent; otherwise null
    parent: str | None
    # transcript turns with tokens
    turns: int
    # input tokens, without cached ones
    input_tokens: int
    output_tokens: int
    # input tokens that were read from a cache
    cache_read_tokens: int
    # input tokens that were written to a cache
    cache_creation_tokens: int
    # the same tokens by model
    models: list[ListCostAnswerItemsItemModelsItem]


class ListCostAnswerItemsItemModelsItem(TypedDict):
    model: str
    # input tokens, without cached ones
    input_tokens: int
    output_tokens: int
    # input tokens that were read from a cache
    cache_read_tokens: int
    # input tokens that were written to a cache
    cache_creation_tokens: int


class ListPathsRequest(TypedDict):
    project: NotRequired[str | None]
    since: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListPathsAnswer(TypedDict):
    items: list[ListPathsAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListPathsAnswerItemsItem(TypedDict):
    # `Tool: the common part of its messages`, or a turn pattern
    pattern: str
    count: int
    sessions: int
    category: Literal["tool-error", "turn-pattern"]
    last_seen: str | None


class ListDesiresRequest(TypedDict):
    project: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ListDesiresAnswer(TypedDict):
    items: list[ListDesiresAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListDesiresAnswerItemsItem(TypedDict):
    # the first tool of the pattern
    tool_name: str
    error: str
    category: Literal["turn-pattern"]
    source: Literal["transcript-analysis"]
    pattern: str
    count: int
    avg_length: float
    sessions: int
    # the start of the first turn
    first_seen: str | None
    # the start of the last turn
    last_seen: str | None


class RefreshDesiresRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]


class RefreshDesiresAnswer(TypedDict):
    items: list[ListDesiresAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ImportTranscriptsRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    # a folder of transcripts, or one of them
    path: str


class ImportTranscriptsAnswer(TypedDict):
    # in the graph now; each subagent is a session
    sessions: int
    # in the graph now
    turns: int
    # in the graph now
    steps: int
    # copies of turns in several sessions, in the graph now: turns of equal uuid are stored once
    merged_turns: int
    # files found
    files: int
    # bytes read by this import
    bytes: int
    # in the newly read bytes, like all fields below
    bad_lines: int
    # lines that held several objects
    recovered_lines: int
    # number of secrets masked in messages, names and paths
    redactions: int
    # record types that this version does not know
    unknown: dict[str, int]
    unknown_subtypes: dict[str, int]
    unknown_fields: dict[str, int]
    skipped_files: int
    skipped: list[ImportTranscriptsAnswerSkippedItem]
    # files without the name of a transcript, by extension
    unread: dict[str, int]
    seconds: float


class ImportTranscriptsAnswerSkippedItem(TypedDict):
    file: str
    reason: str


class CountTranscriptsRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    sources: Sequence[CountTranscriptsRequestSourcesItem]


class CountTranscriptsRequestSourcesItem(TypedDict):
    session_id: str
    # the file, where one is read: two files may hold one session
    path: NotRequired[str | None]


class CountTranscriptsAnswer(TypedDict):
    # in the graph now; each subagent is a session
    sessions: int
    # in the graph now
    turns: int
    # in the graph now
    steps: int
    # copies of turns in several sessions, in the graph now: turns of equal uuid are stored once
    merged_turns: int


class GetTranscriptProgressRequest(TypedDict):
    project: NotRequired[str | None]
    session_id: str
    path: NotRequired[str | None]


class GetTranscriptProgressAnswer(TypedDict):
    # bytes that need not be sent again; 0: all
    offset: int
    inode: int | None
    # hash of the last bytes before the offset; shows whether the file is still the same
    tail: GetTranscriptProgressAnswerTail | None


class GetTranscriptProgressAnswerTail(TypedDict):
    bytes: int
    sha256: str


class QueryGraphRequest(TypedDict):
    # one statement; it reads only
    query: str
    # its parameters, by name; one that it does not use is passed over, as Neo4j does
    params: NotRequired[Mapping[str, Any] | None]
    # rows, 1 to 10,000
    limit: NotRequired[int]
    # milliseconds, 1 to 60,000
    timeout_ms: NotRequired[int]


class QueryGraphAnswer(TypedDict):
    columns: list[str]
    # in the order of the columns
    rows: list[list[Any]]
    # true: there are more rows than the limit, or more than 4 MiB of them
    truncated: bool
    # milliseconds in the engine
    elapsed_ms: int
    # names in the query that the graph does not have, with similar names
    warnings: list[QueryGraphAnswerWarningsItem]


class QueryGraphAnswerWarningsItem(TypedDict):
    # a label, relationship type or property that the graph does not have
    unknown: str
    # names of the graph with a similar spelling, the nearest first
    near: list[str]


class DescribeGraphRequest(TypedDict):
    project: NotRequired[str | None]


class DescribeGraphAnswer(TypedDict):
    nodes: list[DescribeGraphAnswerNodesItem]
    relationships: list[DescribeGraphAnswerRelationshipsItem]


class DescribeGraphAnswerNodesItem(TypedDict):
    label: str
    meaning: str
    properties: list[DescribeGraphAnswerNodesItemPropertiesItem]


class DescribeGraphAnswerNodesItemPropertiesItem(TypedDict):
    name: str
    type: str
    # true: a node or a relationship of its kind may lack it
    optional: bool
    meaning: str


DescribeGraphAnswerRelationshipsItem = TypedDict("DescribeGraphAnswerRelationshipsItem", {
    "type": "str",
    # the labels that it may begin at
    "from": "list[str]",
    # the labels that it may lead to
    "to": "list[str]",
    "meaning": "str",
    "properties": "list[DescribeGraphAnswerNodesItemPropertiesItem]",
})


class ListNeighborsRequest(TypedDict):
    node_id: str
    limit: NotRequired[int]


class ListNeighborsAnswer(TypedDict):
    node: ListNeighborsAnswerNode
    # by the types of their relationships
    neighbors: list[ListNeighborsAnswerNeighborsItem]
    # true: there are more neighbors than the limit, or more than 4 MiB of them
    truncated: bool


class ListNeighborsAnswerNode(TypedDict):
    # the engine's own, as queries answer it
    id: str
    labels: list[str]
    properties: dict[str, Any]


class ListNeighborsAnswerNeighborsItem(TypedDict):
    relationship: ListNeighborsAnswerNeighborsItemRelationship
    node: ListNeighborsAnswerNode


class ListNeighborsAnswerNeighborsItemRelationship(TypedDict):
    id: str
    type: str
    # the id of the node that it begins at
    start: str
    end: str
    properties: dict[str, Any]


class ExportPageRequest(TypedDict):
    project: NotRequired[str | None]
    content: NotRequired[Literal["records", "pairs"]]
    since: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class ExportPageAnswer(TypedDict):
    # each a JSON object; the first one of an export is its header
    lines: list[str]
    # null on the last page
    next_cursor: str | None


class ExportGraphPageRequest(TypedDict):
    content: NotRequired[Literal["records", "pairs"]]
    since: NotRequired[str | None]
    limit: NotRequired[int]
    cursor: NotRequired[str | None]


class RestoreRecordsRequest(TypedDict):
    # lines of an export but for header and trailer
    records: Sequence[Any]
    # key of the task whose lines go on in the next request; nothing else writes into it until then
    continues_task: NotRequired[str | None]


class RestoreRecordsAnswer(TypedDict):
    records: dict[str, RestoreRecordsAnswerRecordsValue]
    # how many secrets were masked in what was sent
    redactions: int


class RestoreRecordsAnswerRecordsValue(TypedDict):
    created: int
    # stood there already, the same
    existing: int


class ListAnalysesRequest(TypedDict):
    project: NotRequired[str | None]


class ListAnalysesAnswer(TypedDict):
    items: list[ListAnalysesAnswerItemsItem]
    # null on the last page
    next_cursor: str | None


class ListAnalysesAnswerItemsItem(TypedDict):
    name: str
    question: str
    # what exactly is counted
    about: str
    # the fields that narrow it down
    filters: list[Literal["feature_id", "task_id", "world_slug"]]
    columns: list[str]
    # the whole statement; for an analysis of stalls, proofs or costs, it finds the worlds that the rule then judges
    cypher: str
    # the parameters that it takes
    params: list[str]


class RunAnalysisRequest(TypedDict):
    project: NotRequired[str | None]
    name: str
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    world_slug: NotRequired[str | None]
    limit: NotRequired[int]


class RunAnalysisAnswer(TypedDict):
    name: str
    question: str
    columns: list[str]
    # in the order of the columns
    rows: list[list[Any]]
    # true: there are more rows than the limit, or more sessions than the analysis reads
    truncated: bool


class ExamineRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    # the last answer's next_cursor
    cursor: NotRequired[str | None]
    # true: what can be derived from the graph itself is put right; a finding says whether it was
    repair: NotRequired[bool]


class ExamineAnswer(TypedDict):
    findings: list[ExamineAnswerFindingsItem]
    # records that were looked at
    examined: int
    # where it goes on; null: that was all
    next_cursor: str | None


class ExamineAnswerFindingsItem(TypedDict):
    check: Literal["migration_pending", "migration_changed", "migration_chain", "constraint_missing", "index_missing", "record_invalid", "key_wrong", "project_wrong", "unattached", "turn_chain", "record_chain", "turn_parts", "turn_outcome", "part_criterion", "world_counters", "world_progress", "world_active", "forget_unfinished", "restore_unfinished", "run_rules", "run_counters", "attempt_turn", "criterion_merge", "criterion_labels", "criterion_unnamed", "specification", "transcript_turn"]
    severity: Literal["error", "warning"]
    # of the node it is about; null: the schema
    label: str | None
    # of that node, or what else names it
    key: str | None
    found: str
    remedy: str
    # it was put right: asked for with repair
    repaired: bool


class ExamineGraphRequest(TypedDict):
    # the last answer's next_cursor
    cursor: NotRequired[str | None]
    # true: what can be derived from the graph itself is put right; a finding says whether it was
    repair: NotRequired[bool]


class ForgetRequest(TypedDict):
    # default: the connection's project
    project: NotRequired[str | None]
    # this world alone
    world_slug: NotRequired[str | None]
    # with task_id: all worlds of this task
    feature_id: NotRequired[str | None]
    task_id: NotRequired[str | None]
    # this session of transcripts alone, with those of its agents
    session_id: NotRequired[str | None]
    # all worlds of the project, and its transcripts; it must be said, to name nothing is not enough
    whole_project: NotRequired[bool | None]
    # only worlds whose newest turn is older, and transcripts of sessions last active before
    before: NotRequired[str | None]
    # false: really
    dry_run: NotRequired[bool]
    # of a dry run: the last answer's next_cursor
    cursor: NotRequired[str | None]


class ForgetAnswer(TypedDict):
    dry_run: bool
    # false: there is more; ask again, a dry run with the cursor
    done: bool
    # of a dry run that is not done
    next_cursor: str | None
    # nodes that went with this piece, by label; of a dry run the worlds, turns, transcript sessions and tasks without a world that would go
    counts: dict[str, int]
    # slugs of the worlds that are gone with this piece, or would go
    worlds: list[str]
    # worlds where a run or an attempt is active: they stay
    skipped: list[ForgetAnswerSkippedItem]


class ForgetAnswerSkippedItem(TypedDict):
    world_slug: str
    # the active attempt's, or the run's where no attempt is active
    attempt_id: str
    turn_run_id: str | None


class Route(NamedTuple):
    method: str
    path: str
    has_body: bool
    takes_project: bool
    required: tuple[str, ...]


ROUTES: dict[str, Route] = {
    "captureTurnState": Route("POST", "/v1/turns", True, True, ("feature_id", "task_id", "turn_number", "player_summary",)),
    "captureReports": Route("POST", "/v1/turn-reports", True, True, ("feature_id", "task_id", "turn_number",)),
    "loadTurnContinuationContext": Route("GET", "/v1/continuation-context", False, True, ("current_turn",)),
    "getNextStep": Route("GET", "/v1/next-step", False, True, ()),
    "listCriteria": Route("GET", "/v1/criteria", False, True, ()),
    "getCriterionHistory": Route("GET", "/v1/criteria/{key}/history", False, True, ("key",)),
    "listCriteriaByTurn": Route("GET", "/v1/worlds/{world_slug}/criteria-by-turn", False, True, ("world_slug",)),
    "declareCriteria": Route("PUT", "/v1/specification", True, True, ("feature_id", "task_id",)),
    "getSpecification": Route("GET", "/v1/specification", False, True, ("feature_id", "task_id",)),
    "recoverPromises": Route("GET", "/v1/promises", False, True, ("turn",)),
    "loadStall": Route("GET", "/v1/stall", False, True, ()),
    "listIssues": Route("GET", "/v1/issues", False, True, ()),
    "listAttention": Route("GET", "/v1/attention", False, True, ()),
    "getSessionSummary": Route("GET", "/v1/worlds/{world_slug}/summary", False, True, ("world_slug",)),
    "search": Route("GET", "/v1/search", False, True, ("q",)),
    "explainTurn": Route("GET", "/v1/why", False, True, ()),
    "compareWorlds": Route("GET", "/v1/compare", False, True, ("a", "b",)),
    "replaySessions": Route("GET", "/v1/replay", False, True, ()),
    "describeCaller": Route("GET", "/v1/caller", False, False, ()),
    "listProjects": Route("GET", "/v1/projects", False, False, ()),
    "createWorld": Route("POST", "/v1/worlds", True, True, ("feature_id", "task_id",)),
    "addVerifications": Route("POST", "/v1/verifications", True, True, ()),
    "listWorlds": Route("GET", "/v1/worlds", False, True, ()),
    "getWorld": Route("GET", "/v1/worlds/{world_slug}", False, True, ("world_slug",)),
    "setWorld": Route("PATCH", "/v1/worlds/{world_slug}", True, True, ("world_slug",)),
    "deleteWorld": Route("DELETE", "/v1/worlds/{world_slug}", False, True, ("world_slug",)),
    "rollbackWorld": Route("POST", "/v1/worlds/{world_slug}/rollback", True, True, ("world_slug", "to_turn",)),
    "runTurn": Route("POST", "/v1/worlds/{world_slug}/turn-runs", True, True, ("world_slug",)),
    "listAttempts": Route("GET", "/v1/worlds/{world_slug}/attempts", False, True, ("world_slug",)),
    "nextAttempt": Route("GET", "/v1/worlds/{world_slug}/next", False, True, ("world_slug", "worker_id",)),
    "listTurnRuns": Route("GET", "/v1/turn-runs", False, True, ()),
    "getTurnRunStatus": Route("GET", "/v1/turn-runs/{turn_run_id}", False, True, ("turn_run_id",)),
    "cancelTurnRun": Route("POST", "/v1/turn-runs/{turn_run_id}/cancel", True, True, ("turn_run_id",)),
    "getTurnStatus": Route("GET", "/v1/attempts/{attempt_id}", False, True, ("attempt_id",)),
    "claimAttempt": Route("POST", "/v1/attempts/{attempt_id}/claim", True, True, ("attempt_id", "worker_id",)),
    "heartbeatAttempt": Route("POST", "/v1/attempts/{attempt_id}/heartbeat", True, True, ("attempt_id", "fence",)),
    "commitAttempt": Route("POST", "/v1/attempts/{attempt_id}/commit", True, True, ("attempt_id", "fence", "turn",)),
    "failAttempt": Route("POST", "/v1/attempts/{attempt_id}/fail", True, True, ("attempt_id", "fence", "reason",)),
    "listTurns": Route("GET", "/v1/worlds/{world_slug}/turns", False, True, ("world_slug",)),
    "getTurn": Route("GET", "/v1/worlds/{world_slug}/turns/{turn_number}", False, True, ("world_slug", "turn_number",)),
    "getTurnHistory": Route("GET", "/v1/worlds/{world_slug}/turns/{turn_number}/history", False, True, ("world_slug", "turn_number",)),
    "listTranscriptTurns": Route("GET", "/v1/transcript-turns", False, True, ()),
    "listTranscriptSteps": Route("GET", "/v1/transcripts/{session_id}/turns/{index}/steps", False, True, ("session_id", "index",)),
    "listTranscriptPatterns": Route("GET", "/v1/transcript-patterns", False, True, ()),
    "listTranscriptSequences": Route("GET", "/v1/transcript-sequences", False, True, ()),
    "listToolStats": Route("GET", "/v1/tool-stats", False, True, ()),
    "listCost": Route("GET", "/v1/cost", False, True, ()),
    "listPaths": Route("GET", "/v1/paths", False, True, ()),
    "listDesires": Route("GET", "/v1/desires", False, True, ()),
    "refreshDesires": Route("POST", "/v1/desires/refresh", True, True, ()),
    "importTranscripts": Route("POST", "/v1/transcripts/import", True, True, ("path",)),
    "countTranscripts": Route("POST", "/v1/transcripts/count", True, True, ("sources",)),
    "getTranscriptProgress": Route("GET", "/v1/transcripts/{session_id}/progress", False, True, ("session_id",)),
    "queryGraph": Route("POST", "/v1/cypher", True, False, ("query",)),
    "describeGraph": Route("GET", "/v1/graph/schema", False, True, ()),
    "listNeighbors": Route("GET", "/v1/graph/neighbors", False, False, ("node_id",)),
    "exportPage": Route("GET", "/v1/export", False, True, ()),
    "exportGraphPage": Route("GET", "/v1/export/graph", False, False, ()),
    "restoreRecords": Route("POST", "/v1/restore", True, False, ("records",)),
    "listAnalyses": Route("GET", "/v1/analyses", False, True, ()),
    "runAnalysis": Route("GET", "/v1/analyses/{name}", False, True, ("name",)),
    "examine": Route("POST", "/v1/doctor", True, True, ()),
    "examineGraph": Route("POST", "/v1/doctor/graph", True, False, ()),
    "forget": Route("POST", "/v1/forget", True, True, ()),
}


SHAPES: dict[str, Any] = {
    "captureTurnState": {"project": None, "feature_id": None, "task_id": None, "world_slug": None, "turn_number": None, "player_summary": None, "player_decision": None, "coach_decision": None, "judge": {"agent": None, "model": None, "prompt_digest": None}, "player": {"agent": None, "model": None}, "coach_feedback": None, "delivered_feedback": None, "mode": None, "recovered": None, "blockers_found": None, "lessons_from_turn": None, "files_modified": None, "files_source": None, "progress_summary": None, "acceptance_criteria_status": None, "verifications": [{"criterion_id": None, "criterion_text": None, "status": None, "source": None, "evidence": None, "files": None, "judge": {"agent": None, "model": None, "prompt_digest": None}, "observation": {"command": None, "cwd": None, "exit_code": None, "signal": None, "started_at": None, "duration_ms": None, "output_digest": None, "output_tail": None, "tree": None, "dirty": None, "commit": None, "tests": [{"name": None, "status": None, "duration_ms": None}], "runner": None, "host": None, "report": {"format": None, "digest": None}}}], "promises": [{"criterion_id": None, "criterion_text": None, "status": None, "evidence": None, "evidence_type": None, "confidence": None, "test_file": None, "implementation_files": None}], "issues": [{"severity": None, "severity_raw": None, "category": None, "description": None, "criterion_ids": None, "suggestion": None, "details": None}], "gates": None, "tests_passed": None, "tests_failed": None, "coverage": None, "arch_score": None, "started_at": None, "completed_at": None, "duration_seconds": None, "what_to_try_next": None, "commit": None, "transcript_session_ids": None, "usage": {"player": {"input_tokens": None, "output_tokens": None, "cache_read_tokens": None, "cache_creation_tokens": None}, "coach": {"input_tokens": None, "output_tokens": None, "cache_read_tokens": None, "cache_creation_tokens": None}}, "extra": None, "entity_type": None, "id": None, "key": None, "created_at": None, "recorded_by": None, "player_decision_raw": None, "coach_decision_raw": None, "on_conflict": None, "create_world": None},
    "captureReports": {"project": None, "feature_id": None, "task_id": None, "turn_number": None, "world_slug": None, "player_report": None, "coach_report": None, "turn_state": None, "task_work_results": None, "coach_feedback": None, "on_conflict": None, "create_world": None},
    "commitAttempt": {"attempt_id": None, "project": None, "fence": None, "turn": {"project": None, "feature_id": None, "task_id": None, "world_slug": None, "turn_number": None, "player_summary": None, "player_decision": None, "coach_decision": None, "judge": {"agent": None, "model": None, "prompt_digest": None}, "player": {"agent": None, "model": None}, "coach_feedback": None, "delivered_feedback": None, "mode": None, "recovered": None, "blockers_found": None, "lessons_from_turn": None, "files_modified": None, "files_source": None, "progress_summary": None, "acceptance_criteria_status": None, "verifications": [{"criterion_id": None, "criterion_text": None, "status": None, "source": None, "evidence": None, "files": None, "judge": {"agent": None, "model": None, "prompt_digest": None}, "observation": {"command": None, "cwd": None, "exit_code": None, "signal": None, "started_at": None, "duration_ms": None, "output_digest": None, "output_tail": None, "tree": None, "dirty": None, "commit": None, "tests": [{"name": None, "status": None, "duration_ms": None}], "runner": None, "host": None, "report": {"format": None, "digest": None}}}], "promises": [{"criterion_id": None, "criterion_text": None, "status": None, "evidence": None, "evidence_type": None, "confidence": None, "test_file": None, "implementation_files": None}], "issues": [{"severity": None, "severity_raw": None, "category": None, "description": None, "criterion_ids": None, "suggestion": None, "details": None}], "gates": None, "tests_passed": None, "tests_failed": None, "coverage": None, "arch_score": None, "started_at": None, "completed_at": None, "duration_seconds": None, "what_to_try_next": None, "commit": None, "transcript_session_ids": None, "usage": {"player": {"input_tokens": None, "output_tokens": None, "cache_read_tokens": None, "cache_creation_tokens": None}, "coach": {"input_tokens": None, "output_tokens": None, "cache_read_tokens": None, "cache_creation_tokens": None}}, "extra": None, "entity_type": None, "id": None, "key": None, "created_at": None, "recorded_by": None, "player_decision_raw": None, "coach_decision_raw": None}, "usage": {"tokens": None}},
}


class Calls:
    """A method for each operation; each raises TurngraphError."""

    def _call(self, operation: str, fields: Mapping[str, Any]) -> Any:
        raise NotImplementedError

    def capture_turn_state(self, **fields: Unpack[CaptureTurnStateRequest]) -> CaptureTurnStateAnswer:
        """Store a turn with its verifications, promises, issues and gates."""
        answer: CaptureTurnStateAnswer = self._call("captureTurnState", fields)
        return answer

    def capture_reports(self, **fields: Unpack[CaptureReportsRequest]) -> CaptureReportsAnswer:
        """Store a turn from its Player's and Coach's reports as they were written."""
        answer: CaptureReportsAnswer = self._call("captureReports", fields)
        return answer

    def load_turn_continuation_context(self, **fields: Unpack[LoadTurnContinuationContextRequest]) -> LoadTurnContinuationContextAnswer:
        """What the next turn needs to know: the prior turn and all that was verified so far."""
        answer: LoadTurnContinuationContextAnswer = self._call("loadTurnContinuationContext", fields)
        return answer

    def get_next_step(self, **fields: Unpack[GetNextStepRequest]) -> GetNextStepAnswer:
        """What matters now in a session: what is proven, left and blocking, in at most 300 tokens."""
        answer: GetNextStepAnswer = self._call("getNextStep", fields)
        return answer

    def list_criteria(self, **fields: Unpack[ListCriteriaRequest]) -> ListCriteriaAnswer:
        """What is proven: the criteria that count, where each stands, and for the Coach why."""
        answer: ListCriteriaAnswer = self._call("listCriteria", fields)
        return answer

    def get_criterion_history(self, **fields: Unpack[GetCriterionHistoryRequest]) -> GetCriterionHistoryAnswer:
        """All that was ever said of a criterion in a world, oldest first."""
        answer: GetCriterionHistoryAnswer = self._call("getCriterionHistory", fields)
        return answer

    def list_criteria_by_turn(self, **fields: Unpack[ListCriteriaByTurnRequest]) -> ListCriteriaByTurnAnswer:
        """What each turn of a world said of its criteria: the matrix of criteria over turns."""
        answer: ListCriteriaByTurnAnswer = self._call("listCriteriaByTurn", fields)
        return answer

    def declare_criteria(self, **fields: Unpack[DeclareCriteriaRequest]) -> DeclareCriteriaAnswer:
        """Declare what must hold: the criteria of a task. The same list again is the same version."""
        answer: DeclareCriteriaAnswer = self._call("declareCriteria", fields)
        return answer

    def get_specification(self, **fields: Unpack[GetSpecificationRequest]) -> GetSpecificationAnswer:
        """What a task declares must hold, in its newest version or an earlier one."""
        answer: GetSpecificationAnswer = self._call("getSpecification", fields)
        return answer

    def recover_promises(self, **fields: Unpack[RecoverPromisesRequest]) -> RecoverPromisesAnswer:
        """What the Player promised: in this turn, else in the newest earlier one that has promises."""
        answer: RecoverPromisesAnswer = self._call("recoverPromises", fields)
        return answer

    def load_stall(self, **fields: Unpack[LoadStallRequest]) -> LoadStallAnswer:
        """Whether a session still gets anywhere, and what to look at if not."""
        answer: LoadStallAnswer = self._call("loadStall", fields)
        return answer

    def list_issues(self, **fields: Unpack[ListIssuesRequest]) -> ListIssuesAnswer:
        """The issues of a session through its turns: which are open, which are gone, and since when."""
        answer: ListIssuesAnswer = self._call("listIssues", fields)
        return answer

    def list_attention(self, **fields: Unpack[ListAttentionRequest]) -> ListAttentionAnswer:
        """The sessions that need a person, the most urgent first, each with one sentence that says why."""
        answer: ListAttentionAnswer = self._call("listAttention", fields)
        return answer

    def get_session_summary(self, **fields: Unpack[GetSessionSummaryRequest]) -> GetSessionSummaryAnswer:
        """How a session ended and why, in at most two sentences that consist of facts."""
        answer: GetSessionSummaryAnswer = self._call("getSessionSummary", fields)
        return answer

    def search(self, **fields: Unpack[SearchRequest]) -> SearchAnswer:
        """Texts of a project that have all words of a query: summaries, feedback, issues, lessons, blockers, criteria and failed calls."""
        answer: SearchAnswer = self._call("search", fields)
        return answer

    def explain_turn(self, **fields: Unpack[ExplainTurnRequest]) -> ExplainTurnAnswer:
        """What was tried in a turn, and why it was not approved."""
        answer: ExplainTurnAnswer = self._call("explainTurn", fields)
        return answer

    def compare_worlds(self, **fields: Unpack[CompareWorldsRequest]) -> CompareWorldsAnswer:
        """Two sessions side by side: turns, gains, reversals, gates, issues and cost."""
        answer: CompareWorldsAnswer = self._call("compareWorlds", fields)
        return answer

    def replay_sessions(self, **fields: Unpack[ReplaySessionsRequest]) -> ReplaySessionsAnswer:
        """What the memory would have changed in recorded sessions, with each counted turn and its rule."""
        answer: ReplaySessionsAnswer = self._call("replaySessions", fields)
        return answer

    def describe_caller(self, **fields: Unpack[DescribeCallerRequest]) -> DescribeCallerAnswer:
        """What the caller may do: the scopes of its token, and the project that it is bound to."""
        answer: DescribeCallerAnswer = self._call("describeCaller", fields)
        return answer

    def list_projects(self, **fields: Unpack[ListProjectsRequest]) -> ListProjectsAnswer:
        """The projects of the graph that the caller may read, by name."""
        answer: ListProjectsAnswer = self._call("listProjects", fields)
        return answer

    def create_world(self, **fields: Unpack[CreateWorldRequest]) -> CreateWorldAnswer:
        """Create a world: one autobuild session of a task."""
        answer: CreateWorldAnswer = self._call("createWorld", fields)
        return answer

    def add_verifications(self, **fields: Unpack[AddVerificationsRequest]) -> AddVerificationsAnswer:
        """Add verifications to a turn that has ended: what CI, a command, a late validator or a person saw."""
        answer: AddVerificationsAnswer = self._call("addVerifications", fields)
        return answer

    def list_worlds(self, **fields: Unpack[ListWorldsRequest]) -> ListWorldsAnswer:
        """The worlds (sessions) of a project, a feature or a task: how far each has come, how its turns ended, who holds it."""
        answer: ListWorldsAnswer = self._call("listWorlds", fields)
        return answer

    def get_world(self, **fields: Unpack[GetWorldRequest]) -> GetWorldAnswer:
        """One world, with how far it has come."""
        answer: GetWorldAnswer = self._call("getWorld", fields)
        return answer

    def set_world(self, **fields: Unpack[SetWorldRequest]) -> World:
        """Change when the runs of a world stop, pause and resume; null takes a value away."""
        answer: World = self._call("setWorld", fields)
        return answer

    def delete_world(self, **fields: Unpack[DeleteWorldRequest]) -> World:
        """Mark a world deleted; its slug stays taken."""
        answer: World = self._call("deleteWorld", fields)
        return answer

    def rollback_world(self, **fields: Unpack[RollbackWorldRequest]) -> RollbackWorldAnswer:
        """Withdraw the newest turns of a world: they leave every view but the history of their numbers."""
        answer: RollbackWorldAnswer = self._call("rollbackWorld", fields)
        return answer

    def run_turn(self, **fields: Unpack[RunTurnRequest]) -> RunTurnAnswer:
        """Start one attempt at the next turn, or a durable run of several."""
        answer: RunTurnAnswer = self._call("runTurn", fields)
        return answer

    def list_attempts(self, **fields: Unpack[ListAttemptsRequest]) -> ListAttemptsAnswer:
        """The attempts of a world or of one of its runs, newest first."""
        answer: ListAttemptsAnswer = self._call("listAttempts", fields)
        return answer

    def next_attempt(self, **fields: Unpack[NextAttemptRequest]) -> NextAttemptAnswer:
        """Take whatever external attempt of a world is open, or wait for one."""
        answer: NextAttemptAnswer = self._call("nextAttempt", fields)
        return answer

    def list_turn_runs(self, **fields: Unpack[ListTurnRunsRequest]) -> ListTurnRunsAnswer:
        """The turn runs of a project or of one of its worlds, newest first."""
        answer: ListTurnRunsAnswer = self._call("listTurnRuns", fields)
        return answer

    def get_turn_run_status(self, **fields: Unpack[GetTurnRunStatusRequest]) -> GetTurnRunStatusAnswer:
        """How far a turn run is, and how it ended."""
        answer: GetTurnRunStatusAnswer = self._call("getTurnRunStatus", fields)
        return answer

    def cancel_turn_run(self, **fields: Unpack[CancelTurnRunRequest]) -> GetTurnRunStatusAnswer:
        """End a turn run: the attempt under way finishes, none follows it."""
        answer: GetTurnRunStatusAnswer = self._call("cancelTurnRun", fields)
        return answer

    def get_turn_status(self, **fields: Unpack[GetTurnStatusRequest]) -> GetTurnStatusAnswer:
        """One attempt: whether it runs, what it produced, or why it failed."""
        answer: GetTurnStatusAnswer = self._call("getTurnStatus", fields)
        return answer

    def claim_attempt(self, **fields: Unpack[ClaimAttemptRequest]) -> ClaimAttemptAnswer:
        """Take an external attempt, and learn what its turn needs to know."""
        answer: ClaimAttemptAnswer = self._call("claimAttempt", fields)
        return answer

    def heartbeat_attempt(self, **fields: Unpack[HeartbeatAttemptRequest]) -> HeartbeatAttemptAnswer:
        """Renew a worker's lease, and learn whether the run was cancelled."""
        answer: HeartbeatAttemptAnswer = self._call("heartbeatAttempt", fields)
        return answer

    def commit_attempt(self, **fields: Unpack[CommitAttemptRequest]) -> GetTurnStatusAnswer:
        """End an attempt with the record of its turn."""
        answer: GetTurnStatusAnswer = self._call("commitAttempt", fields)
        return answer

    def fail_attempt(self, **fields: Unpack[FailAttemptRequest]) -> GetTurnStatusAnswer:
        """End an attempt without a turn."""
        answer: GetTurnStatusAnswer = self._call("failAttempt", fields)
        return answer

    def list_turns(self, **fields: Unpack[ListTurnsRequest]) -> ListTurnsAnswer:
        """The turns of a world, ascending, as full records."""
        answer: ListTurnsAnswer = self._call("listTurns", fields)
        return answer

    def get_turn(self, **fields: Unpack[GetTurnRequest]) -> TurnState:
        """One turn, as it was stored."""
        answer: TurnState = self._call("getTurn", fields)
        return answer

    def get_turn_history(self, **fields: Unpack[GetTurnHistoryRequest]) -> GetTurnHistoryAnswer:
        """The records that once stood at a turn, newest first."""
        answer: GetTurnHistoryAnswer = self._call("getTurnHistory", fields)
        return answer

    def list_transcript_turns(self, **fields: Unpack[ListTranscriptTurnsRequest]) -> ListTranscriptTurnsAnswer:
        """Turns of agents, longest first, with their calls in order."""
        answer: ListTranscriptTurnsAnswer = self._call("listTranscriptTurns", fields)
        return answer

    def list_transcript_steps(self, **fields: Unpack[ListTranscriptStepsRequest]) -> ListTranscriptStepsAnswer:
        """The calls of one turn of a transcript, in their order: tool, status, parallel group, duration, error."""
        answer: ListTranscriptStepsAnswer = self._call("listTranscriptSteps", fields)
        return answer

    def list_transcript_patterns(self, **fields: Unpack[ListTranscriptPatternsRequest]) -> ListTranscriptPatternsAnswer:
        """The shapes of turns from a least length on, by how often they occur, of a single tool last."""
        answer: ListTranscriptPatternsAnswer = self._call("listTranscriptPatterns", fields)
        return answer

    def list_transcript_sequences(self, **fields: Unpack[ListTranscriptSequencesRequest]) -> ListTranscriptSequencesAnswer:
        """Sequences of 2 to 5 calls that stand in three turns or more, of a single tool last."""
        answer: ListTranscriptSequencesAnswer = self._call("listTranscriptSequences", fields)
        return answer

    def list_tool_stats(self, **fields: Unpack[ListToolStatsRequest]) -> ListToolStatsAnswer:
        """How long the turns are in which each tool is called."""
        answer: ListToolStatsAnswer = self._call("listToolStats", fields)
        return answer

    def list_cost(self, **fields: Unpack[ListCostRequest]) -> ListCostAnswer:
        """Tokens of transcript turns by task, session, model, agent or day."""
        answer: ListCostAnswer = self._call("listCost", fields)
        return answer

    def list_paths(self, **fields: Unpack[ListPathsRequest]) -> ListPathsAnswer:
        """What agents struggle with: failed calls and desires in one list."""
        answer: ListPathsAnswer = self._call("listPaths", fields)
        return answer

    def list_desires(self, **fields: Unpack[ListDesiresRequest]) -> ListDesiresAnswer:
        """Patterns of long turns that recur across sessions, of a single tool last: each is worth a better tool."""
        answer: ListDesiresAnswer = self._call("listDesires", fields)
        return answer

    def refresh_desires(self, **fields: Unpack[RefreshDesiresRequest]) -> RefreshDesiresAnswer:
        """Bring the desires up to date; every import does so, except one that announces more to come."""
        answer: RefreshDesiresAnswer = self._call("refreshDesires", fields)
        return answer

    def import_transcripts(self, **fields: Unpack[ImportTranscriptsRequest]) -> ImportTranscriptsAnswer:
        """Import transcripts from a folder of the service, below TURNGRAPH_IMPORT_ROOTS."""
        answer: ImportTranscriptsAnswer = self._call("importTranscripts", fields)
        return answer

    def count_transcripts(self, **fields: Unpack[CountTranscriptsRequest]) -> CountTranscriptsAnswer:
        """How many sessions, turns and steps the graph holds of some transcripts, each once."""
        answer: CountTranscriptsAnswer = self._call("countTranscripts", fields)
        return answer

    def get_transcript_progress(self, **fields: Unpack[GetTranscriptProgressRequest]) -> GetTranscriptProgressAnswer:
        """From which byte on a transcript is to be sent."""
        answer: GetTranscriptProgressAnswer = self._call("getTranscriptProgress", fields)
        return answer

    def query_graph(self, **fields: Unpack[QueryGraphRequest]) -> QueryGraphAnswer:
        """The rows of one reading Cypher statement, of the whole graph."""
        answer: QueryGraphAnswer = self._call("queryGraph", fields)
        return answer

    def describe_graph(self, **fields: Unpack[DescribeGraphRequest]) -> DescribeGraphAnswer:
        """What the graph holds: its nodes, its relationships and their properties."""
        answer: DescribeGraphAnswer = self._call("describeGraph", fields)
        return answer

    def list_neighbors(self, **fields: Unpack[ListNeighborsRequest]) -> ListNeighborsAnswer:
        """A node by the id that a query answered, and its neighbors."""
        answer: ListNeighborsAnswer = self._call("listNeighbors", fields)
        return answer

    def export_page(self, **fields: Unpack[ExportPageRequest]) -> ExportPageAnswer:
        """A page of the lines of a project, to be restored elsewhere; import nothing during the export."""
        answer: ExportPageAnswer = self._call("exportPage", fields)
        return answer

    def export_graph_page(self, **fields: Unpack[ExportGraphPageRequest]) -> ExportPageAnswer:
        """A page of the lines of all projects; import nothing during the export."""
        answer: ExportPageAnswer = self._call("exportGraphPage", fields)
        return answer

    def restore_records(self, **fields: Unpack[RestoreRecordsRequest]) -> RestoreRecordsAnswer:
        """Restore some lines of an export, in their order: all of them or none."""
        answer: RestoreRecordsAnswer = self._call("restoreRecords", fields)
        return answer

    def list_analyses(self, **fields: Unpack[ListAnalysesRequest]) -> ListAnalysesAnswer:
        """The named analyses: what each asks, takes and answers."""
        answer: ListAnalysesAnswer = self._call("listAnalyses", fields)
        return answer

    def run_analysis(self, **fields: Unpack[RunAnalysisRequest]) -> RunAnalysisAnswer:
        """The answer of a named analysis, of one project."""
        answer: RunAnalysisAnswer = self._call("runAnalysis", fields)
        return answer

    def examine(self, **fields: Unpack[ExamineRequest]) -> ExamineAnswer:
        """Whether what the graph holds of a project is whole and right, a piece at a time."""
        answer: ExamineAnswer = self._call("examine", fields)
        return answer

    def examine_graph(self, **fields: Unpack[ExamineGraphRequest]) -> ExamineAnswer:
        """The same of the whole graph, with what belongs to no project."""
        answer: ExamineAnswer = self._call("examineGraph", fields)
        return answer

    def forget(self, **fields: Unpack[ForgetRequest]) -> ForgetAnswer:
        """Forget a world, a task or a whole project: really; a dry run unless told otherwise."""
        answer: ForgetAnswer = self._call("forget", fields)
        return answer
