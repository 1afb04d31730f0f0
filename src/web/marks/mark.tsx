// Draws the marks of verdicts and decisions: a form first, a colour second (styles/marks.css). The same everywhere.

/** What a turn says of a criterion, and where a criterion stands. */
export type VerdictMark =
  | 'verified'
  | 'rejected'
  | 'unknown'
  | 'promised'
  | 'not judged'
  | 'contested'
  | 'stale'
/** How a turn ended, or that one is running. */
export type DecisionMark =
  | 'approved'
  | 'feedback'
  | 'rejected turn'
  | 'deferred'
  | 'error'
  | 'undecided'
  | 'running'

export const markClass = (of: VerdictMark | DecisionMark): string => `mark mark-${of.replaceAll(' ', '-')}`

/** A mark beside a text that says the same; alone it needs a name. */
export function Mark({ of, name }: { of: VerdictMark | DecisionMark; name?: string }) {
  if (name === undefined) return <span class={markClass(of)} aria-hidden="true" />
  return <span class={markClass(of)} role="img" aria-label={name} title={name} />
}

const DECISIONS: Readonly<Record<string, DecisionMark>> = {
  approved: 'approved',
  feedback: 'feedback',
  rejected: 'rejected turn',
  deferred: 'deferred',
  error: 'error',
  running: 'running',
}

export const decisionMark = (decision: string): DecisionMark => DECISIONS[decision] ?? 'undecided'
/** The turns of a session, one mark a turn. */
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
