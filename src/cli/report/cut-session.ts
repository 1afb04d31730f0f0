/** Cuts a session to the limits of a report, and lists the omissions. Pure. */

import type { Role } from '../../memory/criteria/views.ts'
import { quoteForShell } from '../../rules/command-line.ts'
import { shortenTexts, takeWithin } from './bounds.ts'
import type { Cut, SessionContent } from './report-content.ts'

const MAX_CRITERIA = 200
const MAX_ISSUES = 200
const MAX_OMITTED = 100
const MAX_RECORD_BYTES = 2_000_000
const MAX_EVIDENCE_BYTES = 2_000_000
/** Maximum number of characters of a context. Its budget is 2,000 tokens, which only its fixed parts can exceed. */
const MAX_CONTEXT_LENGTH = 40_000

/** @param role role of the report; the commands that it names show the view of this role, too */
export function cutSession(whole: Omit<SessionContent, 'recordsFrom' | 'cuts'>, role: Role): SessionContent {
  const { contexts, byTurn, ...rest } = whole
  const [short, textsCut] = shortenTexts(rest)
  const [shortContexts, contextsCut] = cutContexts(contexts)
  const records = takeWithin(
    short.turns.toReversed(),
    MAX_RECORD_BYTES,
    ({ verifications, ...record }) => record, // verifications count as evidence
  )
  const shown = {
    criteria: firstCriteria(short.criteria),
    evidence: takeWithin(short.evidence, MAX_EVIDENCE_BYTES, ({ key, ...cell }) => cell),
    issues: mostImportant(short.issues),
  }
  return {
    ...short,
    ...shown,
    byTurn,
    contexts: shortContexts,
    recordsFrom: records.at(-1)?.turn_number ?? Number.POSITIVE_INFINITY,
    cuts: listCuts(whole.world, role, {
      turns: byTurn.turns.length - short.turns.length,
      records: short.turns.length - records.length,
      rows: countRows(short.criteria) - countRows(shown.criteria),
      cells: short.evidence.length - shown.evidence.length,
      issues: short.issues.length - shown.issues.length,
      texts: textsCut + contextsCut,
      omitted: countOmitted(contexts) - countOmitted(shortContexts),
    }),
  }
}

type Criteria = SessionContent['criteria']

/** Takes the first criteria: those that count come first, those without a verdict last. */
function firstCriteria(all: Criteria): Criteria {
  const counts = ({ declared }: Criteria['criteria'][number]) => declared !== false
  const ordered = [...all.criteria.filter(counts), ...all.criteria.filter((one) => !counts(one))]
  const criteria = ordered.slice(0, MAX_CRITERIA)
  const room = MAX_CRITERIA - criteria.length
  return { ...all, criteria, promised_not_judged: all.promised_not_judged.slice(0, room) }
}

const countRows = ({ criteria, promised_not_judged }: Criteria): number =>
  criteria.length + promised_not_judged.length

type Issues = SessionContent['issues']

/** Takes the open issues and the newest of the others, in their original order. */
function mostImportant(issues: Issues): Issues {
  const open = issues.filter(({ state }) => state === 'open')
  const gone = issues.filter(({ state }) => state !== 'open').toReversed()
  const shown = new Set([...open, ...gone].slice(0, MAX_ISSUES))
  return issues.filter((issue) => shown.has(issue))
}

type Contexts = SessionContent['contexts']

function cutContexts(contexts: Contexts): [Contexts, cut: number] {
  const cut = contexts.map(({ sections, ...context }) => ({
    ...context,
    ...(sections !== undefined && {
      sections: sections.map((section) => ({
        ...section,
        omitted: shortenTexts(section.omitted.slice(0, MAX_OMITTED))[0],
      })),
    }),
  }))
  return shortenTexts(cut, MAX_CONTEXT_LENGTH)
}

const countOmitted = (contexts: Contexts): number =>
  contexts.flatMap(({ sections = [] }) => sections).reduce((sum, { omitted }) => sum + omitted.length, 0)

type LeftOut = Record<'turns' | 'records' | 'rows' | 'cells' | 'issues' | 'texts' | 'omitted', number>

function listCuts(world: SessionContent['world'], role: Role, leftOut: LeftOut): Cut[] {
  const of = `${quoteForShell(world.world_slug)} --project ${quoteForShell(world.project)}`
  const seenBy = role === 'player' ? `${of} --role player` : of // these commands default to the Coach's role
  const turns = role === 'player' ? null : `turngraph worlds turns ${of} --json` // records have no view of a role
  const criteria = `turngraph criteria --world ${seenBy} --json`
  const cuts: [number, string, string | null][] = [
    [leftOut.turns, 'older turns', turns],
    [leftOut.records, 'records of older turns', turns],
    [leftOut.rows, 'rows of the matrix', criteria],
    [leftOut.cells, 'older cells with their evidence', criteria],
    [leftOut.issues, 'issues that are gone', `turngraph issues --world ${seenBy} --json`],
    [leftOut.texts, 'ends of long texts', turns],
    [leftOut.omitted, 'entries of what contexts left out', null],
  ]
  return cuts.flatMap(([count, what, command]) =>
    count === 0 ? [] : [{ says: `Left out, ${what}: ${count}`, command }],
  )
}
