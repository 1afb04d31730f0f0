// Draws the marks of verdicts and decisions. A mark differs by shape and by color (styles/marks.css), and is the same everywhere.

/**
 * Verdict of a turn about a criterion, or state of a criterion. `verified` means in a judge's own words; each other basis of a
 * proof has a mark of its own.
 */
export type VerdictMark =
  | 'observed'
  | 'verified'
  | 'repeated'
  | 'misplaced'
  | 'bare'
  | 'rejected'
  | 'unknown'
  | 'promised'
  | 'unfinished'
  | 'not judged'
  | 'contested'
  | 'stale'
/** End of a turn, or a running turn. */
export type DecisionMark =
  | 'approved'
  | 'feedback'
  | 'rejected turn'
  | 'deferred'
  | 'error'
  | 'undecided'
  | 'running'

export const markClass = (of: VerdictMark | DecisionMark): string => `mark mark-${of.replaceAll(' ', '-')}`

/** Draws a mark. A mark without adjacent text of the same meaning needs a name. */
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
