/** A change of the source that breaks a rule, and the tests that must fail: the start of file names, or `FILE > NAME` for some tests. */
export type Mutation = { rule: string; file: string; from: string; to: string; tests: string }

const fold = 'test/property/apply-turn.test.ts'
const contract = (name: string): string => `test/contract/embedded > ${name}`
const unit = (name: string): string => `src/rules/${name}.test.ts`

const of =
  (file: string, tests: string) =>
  (rule: string, from: string, to: string, otherTests = tests): Mutation => ({
    rule,
    file,
    from,
    to,
    tests: otherTests,
  })

const stall = of('src/rules/stall.ts', unit('stall'))
const progress = of(
  'src/rules/progress.ts',
  contract('sticky|the other policies|promises|the basis of a verification|observations'),
)
const states = of('src/rules/criterion-states.ts', unit('criterion-states'))
const basis = of('src/rules/basis.ts', unit('basis'))
const absence = of('src/rules/absence.ts', unit('absence'))
const causes = of('src/rules/causes.ts', unit('causes'))
const lives = of('src/rules/issue-lives.ts', unit('issue-lives'))
const applies = of('src/rules/apply-turn.ts', fold)
const advances = of('src/rules/advance-state.ts', fold)
const stale = of('src/rules/stale.ts', unit('stale'))
const outcome = of('src/rules/session-outcome.ts', unit('session-outcome'))
const attention = of('src/rules/attention.ts', unit('session-outcome'))
const worlds = of('src/rules/new-world.ts', unit('new-world'))
const tests = of('src/rules/map-tests.ts', unit('map-tests'))
const withdrawn = of('src/rules/withdrawn.ts', unit('withdrawn'))

/** The rules of truth.md, evidence.md, criteria.md and page.md that a change breaks most easily. */
export const MUTATIONS: readonly Mutation[] = [
  stall(
    'three turns of the same feedback stall a session without a verified criterion',
    'SAME_UNVERIFIED = 3',
    'SAME_UNVERIFIED = 4',
  ),
  stall(
    'five turns of the same feedback stall an unfinished session',
    'SAME_UNFINISHED = 5',
    'SAME_UNFINISHED = 6',
  ),
  stall('a gate blocks after five turns', 'SAME_GATE_TURNS = 5', 'SAME_GATE_TURNS = 4'),
  stall('a plateau takes four turns', 'PLATEAU = 4', 'PLATEAU = 5'),
  stall('feedback that returns twice oscillates', 'RETURNS = 2', 'RETURNS = 3'),
  stall('a verdict that changes three times oscillates', 'CHANGES = 3', 'CHANGES = 4'),
  stall(
    'turns before the last approval do not count',
    'outcomes.slice(approval + 1)\n  const say',
    'outcomes.slice()\n  const say',
  ),
  stall('a newer session finishes an older one', 'if (session.isSuperseded) {', 'if (false) {'),
  stall(
    'repeated feedback is no stall if the session gained something in its turns',
    '=== 1 && isFlat(window)\n',
    '=== 1\n',
  ),
  stall(
    'fewer failed tests are growth',
    'step.testsFailed < Math.min(...earlier)',
    'step.testsFailed < Math.max(...earlier)',
  ),
  stall('a cause that disappears for the second time is no gain', '!goneBefore.has(cause)', 'true'),
  stall(
    'a new cause cancels the gain of a cause that disappeared',
    'isNewlyGone && !hasNewCause',
    'isNewlyGone',
  ),
  stall(
    'a stall is recoverable if the Player claims all criteria, unless a gate fails',
    'if (isSpared(session)) {',
    'if (false) {',
  ),
  stall(
    'a stall is not recoverable because of claims that were rejected with evidence',
    '?? null) === null,\n    )\n  )\n}',
    '?? null) !== undefined,\n    )\n  )\n}',
  ),
  stall(
    'a stall is recoverable if all criteria are verified',
    "if (allVerified(session)) return say('stalled', window, finding)",
    '',
  ),
  stall(
    'a verdict of a Player does not count as a change of a verdict',
    'if (judges && explicit && turns.has(turn))',
    'if (explicit && turns.has(turn))',
  ),

  progress('a claim by the Player changes no state', "source !== 'player'", 'true'),
  progress(
    'a rejection leaves a verified criterion verified',
    "state: stays ? 'verified' : 'rejected'",
    "state: 'rejected'",
  ),
  progress(
    'a rejection contests a verified criterion',
    'contestedInTurn: stays ? turn : null,',
    'contestedInTurn: null,',
  ),
  progress(
    'a later verification ends the contest',
    "state: 'verified',\n      verifiedInTurn: before.verifiedInTurn ?? turn,\n      contestedInTurn: null",
    "state: 'verified',\n      verifiedInTurn: before.verifiedInTurn ?? turn,\n      contestedInTurn: before.contestedInTurn",
  ),
  progress(
    'a criterion keeps the turn in which it was first verified',
    'verifiedInTurn: before.verifiedInTurn ?? turn,\n      contestedInTurn: null,\n      evidenceState',
    'verifiedInTurn: turn,\n      contestedInTurn: null,\n      evidenceState',
  ),
  progress(
    'under the policy evidence a rejection with evidence counts',
    "=== 'verified' && !substantiated",
    "=== 'verified'",
  ),
  progress(
    'an unknown status changes no state',
    "return status === 'pending' ?",
    "return status !== 'verified' ?",
  ),
  progress(
    'an entry of a status map that repeats a full entry is ignored',
    'judges = isJudgement(entry) && !repeats.has(entry)',
    'judges = isJudgement(entry)',
    unit('progress'),
  ),
  progress(
    'judgements come before promises of the same turn',
    "Number('source' in b) - Number('source' in a)",
    "Number('source' in a) - Number('source' in b)",
    unit('progress'),
  ),
  progress(
    'only an observation changes an observed proof',
    'if (on === null) return before',
    'if (on === null) return null',
  ),
  progress(
    'a rejection with evidence refutes an observed proof',
    'isRefuted: before.observed.isRefuted || substantiated',
    'isRefuted: before.observed.isRefuted',
    unit('progress'),
  ),
  progress(
    'a promise that was rejected with evidence is broken',
    '(substantiated && before.completeTurn !== null)',
    '(before.completeTurn !== null)',
    unit('progress'),
  ),

  states('a manual criterion is not required', "&& state.kind !== 'manual'", ''),
  states('a criterion that is not declared does not count', 'declared !== false', 'true'),
  states('a refuted criterion is not proven', "state === 'verified' && !refuted)", "state === 'verified')"),
  states('a session with an unjudged promise is not finished', 'promised.length === 0 &&\n', ''),
  states('a session without a required criterion is not proven', 'required.length > 0 &&\n', ''),
  states(
    'a judged criterion hides those that were only promised',
    'judgedOnes.length > 0 ? judgedOnes :',
    'judgedOnes.length > 1 ? judgedOnes :',
  ),
  states(
    'under the policy observed only observed verifications count',
    "if (policy === 'observed' && progress.state === 'verified') {",
    'if (false) {',
  ),

  basis(
    'a text of eight words within a verdict repeats the promise',
    'MIN_WORDS_CONTAINED = 8',
    'MIN_WORDS_CONTAINED = 9',
  ),
  basis(
    'a text of the promise of the same criterion is repeated, not misplaced',
    "if (owners.has(criterionKey)) return 'repeated'",
    '',
  ),
  basis(
    'a text of the promise of another criterion is misplaced',
    "owners.size > 0 ? 'misplaced' : 'judged'",
    "'judged'",
  ),
  basis('a verdict without a text is bare', "isAbsence(evidence) ? 'bare' :", "evidence === null ? 'bare' :"),
  basis(
    'a criterion that is not declared is not listed as unseen',
    'declared !== false && isUnseen(basis)',
    'isUnseen(basis)',
  ),

  absence('white space is no evidence', "text === '' || ABSENCE_TEXTS", "evidence === '' || ABSENCE_TEXTS"),
  absence(
    'evidence equal to a promise is no evidence of its own',
    '!promised.has(joinEvidence(evidence ?? ',
    '!promised.has((evidence ?? ',
  ),
  absence('a status of a promise is no evidence', '  /^promise status ?:/i,\n', ''),

  causes('issues that share two identifiers have one cause', 'MIN_SHARED = 2', 'MIN_SHARED = 3'),
  causes(
    'issues that share less than 60 % of the identifiers have different causes',
    'MIN_SHARE = 0.6',
    'MIN_SHARE = 0.1',
  ),
  causes('different categories are different causes', 'if (a.category !== b.category) return null', ''),
  causes('labels of criteria are no identifiers', '&& !LABEL.test(word)', ''),

  lives('an issue is gone only in a judged turn', 'if (!judges(coachDecision)) return next', ''),
  lives(
    'an issue that returns is open again',
    'newest,\n    goneInTurn: null,',
    'newest,\n    goneInTurn: before?.goneInTurn ?? null,',
  ),
  lives('an issue with two causes ends neither', '&& !similar.has(cause)', ''),

  applies('an addition is counted once', 'additions.some(({ digest }) => digest === entry.digest)', 'false'),
  applies(
    'a withdrawal removes only later turns',
    'if (turn > entry.above) turns.delete(turn)',
    'if (turn >= entry.above) turns.delete(turn)',
  ),
  applies(
    'an addition of a turn without a record does not count',
    'record === null ? [] : [record, ...additions]',
    'record === null ? additions : [record, ...additions]',
  ),
  applies(
    'earlier entries of a merged criterion count for the other',
    'if (hasMerge(applied)) return foldWorld',
    'if (false) return foldWorld',
  ),
  applies(
    'a turn that arrives late is not applied on top',
    'entry.record.turnNumber > state.turn ?',
    'true ?',
  ),
  advances('a turn without a promise keeps the earlier promises', '? before.promised', '? null'),
  advances(
    'a label of an added verification has no meaning in later records',
    'entries.filter(({ addedAt }) => addedAt === null)',
    'entries',
    unit('advance-state'),
  ),
  advances(
    'the status map of a turn decides what a label means after its full entries',
    "    ...recorded.filter(({ form }) => form === 'entry'),\n    ...recorded.filter(({ form }) => form === 'status'),",
    "    ...recorded.filter(({ form }) => form === 'status'),\n    ...recorded.filter(({ form }) => form === 'entry'),",
    unit('advance-state'),
  ),

  stale(
    'only files that were touched after the proof make it stale',
    'touching > verifiedInTurn)',
    'touching >= verifiedInTurn)',
  ),
  stale(
    'the files of the verification count as those of its promise',
    ', ...(verified.get(criterionKey) ?? [])]',
    ']',
  ),
  stale(
    'only the touches that a proof needs are kept',
    'turns.filter((turn) => first.has(turn))',
    'turns.slice(0, 1)',
  ),

  outcome(
    'an approval with gaps is not an approval',
    "hasGaps(findGaps(facts)) ? 'approved with gaps' :",
    '',
  ),
  outcome('a session that is quiet for a day is abandoned', '24 * 60 * 60', '25 * 60 * 60'),
  outcome('a session with an active run is always running', "if (isActive) return 'running'", ''),
  outcome(
    'a refuted criterion means regressed',
    "criteria.some(isRefuted) ? 'regressed' : outcome",
    'outcome',
  ),
  outcome('a failed gate is a gap', 'open + failedGates.length > 0', 'open > 0'),

  attention(
    'a session does not need a person if a newer session of its task is approved',
    'if (facts.supersededBy !== null) return null',
    '',
  ),
  attention(
    'an approved session does not need help with a stall',
    "if (lastDecision === 'approved' || hasNewer) return null",
    'if (hasNewer) return null',
  ),
  attention(
    'only an approved session is approved with gaps',
    "if (facts.lastDecision !== 'approved' || !hasGaps(gaps)) return null",
    'if (!hasGaps(gaps)) return null',
  ),
  attention('the most urgent reason comes first', 'rank(a) - rank(b) ||', ''),
  attention(
    "proofs in the Player's words are a reason only if all proofs are",
    'repeated + bare < proven.length) return null',
    'repeated + bare === 0) return null',
  ),

  worlds(
    'turn 2 of an unknown named world is refused',
    "continues && isNamed ? 'unknown_world'",
    "isNamed ? 'unknown_world'",
  ),
  worlds('a declared task may exist in two features', '&& !isSpecified', ''),
  worlds('create_world makes a world at any turn', 'turnNumber > 1 && !isForced', 'turnNumber > 1'),

  tests(
    'a failed test refutes a criterion even if other tests passed',
    "if (tests.some(({ status }) => status === 'failed')) return false",
    '',
  ),
  tests(
    'skipped tests prove nothing',
    "tests.some(({ status }) => status === 'passed') ? true : null",
    'true',
  ),
  tests('a manual criterion needs no test', "&& each.criterion.kind !== 'manual'", ''),
  tests('a pattern begins at a word', '&& isStartOfWord(name, start, first)', ''),

  withdrawn(
    'withdrawn turns before the prior turn are not shown',
    'turnNumber > priorTurn',
    'turnNumber > 0',
  ),
  withdrawn('at most three rollbacks are shown', 'MAX_ROLLBACKS = 3', 'MAX_ROLLBACKS = 4'),

  of('src/rules/turn-agents.ts', contract('named judges and players'))(
    'a turn has at most 50 judges in the graph',
    '&& known.size >= MAX_JUDGES',
    '&& false',
  ),
]
