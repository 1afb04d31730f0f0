/** Splits a continuation context into documents, one per section. */
import { Document } from '@langchain/core/documents'
import type { ContinuationContext } from '../memory/context/continuation.ts'
import { type Rendering, toSections, write } from '../memory/context/render.ts'
import { toRendering } from '../memory/context/rendering-from-context.ts'
import type { SectionName } from '../memory/context/section-names.ts'
import type { ShownCriterion } from '../memory/criteria/views.ts'
import { groupByCause } from '../rules/causes.ts'
import { isCounted } from '../rules/criterion-states.ts'
import { contestedNote, countCriteria } from '../rules/notes.ts'
import { promisedNotListed } from '../rules/specified-states.ts'

export type SectionMetadata = {
  section: SectionName
  turn: number
  world_slug: string
  /** The reason why it is included, in one sentence. */
  reason: string
}

/**
 * Returns the sections of a continuation context as documents: one for each criterion, issue and other section. Their texts are
 * those of the context, without cuts by a token budget.
 */
export function sectionDocuments(continuation: ContinuationContext): Document<SectionMetadata>[] {
  const { status, prior, previousTurn: turn, worldSlug, criteria, issues } = continuation
  if (status !== 'ok' || prior === null || turn === null || worldSlug === null) return []
  const rendering = toRendering(continuation, prior)
  const document = (
    section: SectionName,
    reason: string,
    { shown = rendering, of = turn }: { shown?: Rendering; of?: number } = {},
  ): Document<SectionMetadata>[] => {
    const pageContent = renderSection(section, shown)
    if (pageContent === '') return []
    return [new Document({ pageContent, metadata: { section, turn: of, world_slug: worldSlug, reason } })]
  }
  const left = criteria.filter((criterion) => isCounted(criterion) && criterion.state !== 'verified').length
  const before = turn === continuation.currentTurn - 1 ? 'the turn before' : 'the newest turn before a gap'
  return [
    ...document('turn', `it is ${before} turn ${continuation.currentTurn}`),
    ...criteria.flatMap((criterion) =>
      document('criteria', reasonFor(criterion), {
        shown: { ...rendering, criteria: [criterion] },
        of: criterion.verifiedInTurn ?? criterion.lastTurn ?? turn,
      }),
    ),
    ...groupByCause(issues).flatMap((group) => {
      const [issue] = group
      return document('issues', `the Coach raised it in turn ${issue.turn ?? turn}, as ${issue.severity}`, {
        of: issue.turn ?? turn,
        shown: { ...rendering, issues: group },
      })
    }),
    ...document('tried_before', 'earlier turns of the session tried it', {
      of: continuation.triedBefore[0]?.turnNumber ?? turn,
    }),
    ...document('promises', `turn ${turn} gave none, so they still hold`, {
      of: rendering.recovered?.fromTurn ?? turn,
    }),
    ...document(
      'progress',
      progressReason(
        left,
        countCriteria(criteria).contested,
        promisedNotListed(criteria, continuation.promisedNotJudged).length,
      ),
    ),
    ...document('stall', `the session is ${continuation.stall?.verdict}`),
  ]
}

function progressReason(left: number, contested: number, promisedNotJudged: number): string {
  if (left > 0) return `${left} ${left === 1 ? 'criterion is' : 'criteria are'} left`
  if (contested > 0) return `all criteria are verified${contestedNote(contested)}`
  return promisedNotJudged === 0 ? 'all criteria are verified' : 'what was promised was not all judged'
}

/** Renders a section. A document of one item needs no heading. A document of several items keeps it. */
function renderSection(name: SectionName, rendering: Rendering): string {
  const sections = toSections(rendering).filter((section) => section.name === name)
  const shown =
    name === 'promises' || name === 'tried_before'
      ? sections
      : sections.map((section) => ({ ...section, heading: null }))
  return write(shown, ({ text }) => text).trim()
}

function reasonFor({ state, verifiedInTurn, lastTurn, contested, promise }: ShownCriterion): string {
  if (state === 'verified') {
    if (contested !== null) return `verified in turn ${verifiedInTurn}, contested in turn ${contested.turn}`
    const since = lastTurn === verifiedInTurn ? 'not judged since' : `last judged in turn ${lastTurn}`
    return `verified in turn ${verifiedInTurn}, ${since}`
  }
  if (state === 'rejected') return `rejected in turn ${lastTurn}`
  const promised = promise === null ? '' : `, promised as ${promise.status} in turn ${promise.turn}`
  return lastTurn === null ? `not judged yet${promised}` : `left open in turn ${lastTurn}${promised}`
}
