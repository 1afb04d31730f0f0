import type { Position } from './cursor.ts'
import type { Finding, Findings } from './finding.ts'

/** What a walk has seen so far; `next` is where it goes on, null at its end. */
export type Walked = { examined: number; findings: Finding[]; next: Position | null }

/** How a walk goes: as long as there is time, and whether it puts right what it finds. */
export type Walk = { isTime: () => boolean; repair: boolean }

/** A walk from where the last one stopped. Whoever moves `place` moves its `next`. */
export function walkFrom(from: Position): { walked: Walked; place: Position } {
  const place = { ...from }
  return { walked: { examined: 0, findings: [], next: place }, place }
}

export function tell(walked: Walked, { all }: Findings, examined: number): void {
  walked.findings.push(...all)
  walked.examined += examined
}
