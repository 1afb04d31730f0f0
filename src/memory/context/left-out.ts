/** Renders the note at the end of a context on the items that exceeded the token budget. Pure. */

/** Singular and plural noun of each section that the budget may shorten. */
const NOUNS: Readonly<Record<string, readonly [one: string, several: string]>> = {
  issues: ['issue', 'issues'],
  suggestions: ['suggestion', 'suggestions'],
  lessons: ['lesson', 'lessons'],
  tried_before: ['earlier turn', 'earlier turns'],
  blockers: ['blocker', 'blockers'],
  evidence: ['piece of evidence', 'pieces of evidence'],
  criterion_texts: ['criterion text', 'criterion texts'],
  promises: ['promise', 'promises'],
  gates: ['list of failed gates', 'lists of failed gates'],
  stall: ['stall warning', 'stall warnings'],
  earlier_session: ['line of the earlier session', 'lines of the earlier session'],
  known: ['note from other sessions', 'notes from other sessions'],
  texts: ['text', 'texts'],
  texts_cut: ['text cut', 'texts cut'],
}

/** Writes `(left out for length: 2 issues, 1 lesson)` in the order of the table; empty if no item was left out. */
export function describeLeftOut(left: readonly string[]): string {
  if (left.length === 0) return ''
  const counts = Object.entries(NOUNS).flatMap(([section, [one, several]]) => {
    const items = left.filter((name) => name === section).length
    return items === 0 ? [] : [`${items} ${items === 1 ? one : several}`]
  })
  return `(left out for length: ${counts.join(', ')})`
}
