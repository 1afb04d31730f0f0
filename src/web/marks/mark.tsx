// Draws the marks of verdicts and decisions. A mark differs by shape and by color (styles/marks.css), and is the same everywhere.

/** Names and meanings of the marks of verdicts. `verified` means in a judge's own words; each other basis has a mark of its own. */
export const VERDICT_MARKS = {
  observed: [
    'observed',
    'Verified by an observation: a command or a test report of this turn, with its exit.',
  ],
  verified: ["judge's words", 'Verified by a judge in words of its own.'],
  repeated: [
    "Player's words",
    "Verified, but the evidence only repeats the Player's promise. Nobody else saw it.",
  ],
  misplaced: ['misplaced words', "Verified, but the evidence is the Player's promise for another criterion."],
  bare: ['no evidence', 'Verified without any evidence.'],
  rejected: ['rejected', 'A judge rejected the criterion in this turn.'],
  unknown: ['unknown', 'A judge named the criterion and gave no verdict.'],
  promised: ['promised', 'The Player claims it is done. No judge has named it in this turn.'],
  unfinished: [
    'unfinished',
    'The Player names it and does not claim that it is done: partial, incomplete or uncertain.',
  ],
  'not judged': ['not judged', 'This turn did not name the criterion.'],
  contested: ['contested', 'Verified before, and rejected in this turn.'],
  stale: ['stale', 'A file of the proof changed in this turn, and nobody has judged the criterion since.'],
} as const
export type VerdictMark = keyof typeof VERDICT_MARKS

/** Names and meanings of the marks of ended turns and of a running turn. */
export const DECISION_MARKS = {
  approved: ['approved', 'The Coach approved the turn.'],
  feedback: ['feedback', 'The Coach sent the turn back with feedback.'],
  'rejected turn': ['rejected', 'The Coach rejected the turn.'],
  deferred: ['deferred', 'The decision was left to a later turn.'],
  error: ['error', 'The turn ended with an error.'],
  undecided: ['unknown', 'No decision was recorded.'],
  running: ['running', 'The turn is running.'],
} as const
export type DecisionMark = keyof typeof DECISION_MARKS

export const markClass = (of: VerdictMark | DecisionMark): string => `mark mark-${of.replaceAll(' ', '-')}`

/** Draws a mark. A mark without adjacent text of the same meaning needs a name. */
export function Mark({ of, name }: { of: VerdictMark | DecisionMark; name?: string }) {
  if (name === undefined) return <span class={markClass(of)} aria-hidden="true" />
  return <span class={markClass(of)} role="img" aria-label={name} title={name} />
}

export const decisionMark = (decision: string): DecisionMark =>
  (Object.keys(DECISION_MARKS) as DecisionMark[]).find((mark) => DECISION_MARKS[mark][0] === decision) ??
  'undecided'

/** Draws the turns of a session, one mark per turn. */
export function TurnStrip({ turns }: { turns: readonly { turn: number; decision: string }[] }) {
  const said = turns.map(({ turn, decision }) => `turn ${turn}: ${decision}`).join(', ')
  return (
    <span class="strip" role="img" aria-label={said === '' ? 'no turns' : said} title={said}>
      {turns.map(({ turn, decision }) => (
        <span key={turn} class={markClass(decisionMark(decision))} />
      ))}
    </span>
  )
}
