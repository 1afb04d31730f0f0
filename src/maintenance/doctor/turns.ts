import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { supersededKey, turnKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import type { Label, Stored } from '../../graph/model/nodes.ts'
import { storedProperties } from '../../graph/model/validate.ts'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import { type Statement, statement } from '../../graph/statements.ts'
import { type LedgerEntry, outcomeRow, type PromiseEntry } from '../../memory/criteria/rows.ts'
import { outcomeOf } from '../../memory/criteria/signature.ts'
import { isSubstantiated } from '../../memory/criteria/state.ts'
import type { Findings } from './finding.ts'
import { checkRecord, difference, type Held, heldMap, setOf } from './records.ts'

const turnsByKey = statement('doctor/turns')
const supersededOf = statement('doctor/superseded')
const supersededLink = statement('doctor/repair-superseded-link')
const partsOfTurns = statement('doctor/parts')
const partsOfSuperseded = statement('doctor/parts-of-superseded')

const keys = z.array(z.string().nullable()).transform((all) => all.map((key) => key ?? ''))

const turnRow = z.object({
  key: z.string(),
  held: heldMap,
  worlds: keys,
  before: keys,
  next: keys,
  superseded: keys,
})
export type TurnRow = z.output<typeof turnRow>

const supersededRow = z.object({
  key: z.string(),
  ownKey: z.string().nullable(),
  held: heldMap,
  replacedBy: keys,
  superseded: keys,
  places: z.number(),
})

const partRow = z.object({
  key: z.string(),
  type: z.string(),
  labels: z.array(z.string()),
  held: heldMap,
  criteria: keys,
})
type PartRow = z.output<typeof partRow>

/** Turns of a world by their numbers; a number may lead nowhere. */
export const readTurns = (graph: Graph, worldKey: string, numbers: readonly number[]): Promise<TurnRow[]> =>
  readRows(graph, turnsByKey, { keys: numbers.map((number) => turnKey(worldKey, number)) }, turnRow)

/** So many parts are looked at at once. */
const PARTS_AT_ONCE = 4_000

/** What turns say: what the world's progress is derived from. */
export type Said = { ledger: LedgerEntry[]; promised: PromiseEntry[] }

type Stood = { key: string; held: Held }

/**
 * Turns with their parts, and the records that they have replaced.
 *
 * @param criteria those of the task: nothing may speak of another's
 */
export async function checkTurns(
  graph: Graph,
  turns: readonly TurnRow[],
  criteria: ReadonlySet<string>,
  findings: Findings,
): Promise<{ said: Said; examined: number }> {
  const said: Said = { ledger: [], promised: [] }
  let examined = await checkWithParts(graph, TURN, turns, criteria, said, findings)
  const replaced = turns.filter(({ held, superseded }) => held.revision !== 1 || superseded.length > 0)
  if (replaced.length > 0) examined += await checkSuperseded(graph, replaced, criteria, findings)
  return { said, examined }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)

const COUNTED = [
  ['RECORDED', 'Verification', 'verificationCount'],
  ['PROMISED', 'Promise', 'promiseCount'],
  ['RAISED', 'Issue', 'issueCount'],
  ['PASSED_THROUGH', 'Gate', 'gateCount'],
] as const

function inChunks<T extends Stood>(turns: readonly T[]): T[][] {
  const chunks: T[][] = []
  let left = 0
  for (const turn of turns) {
    const parts = COUNTED.reduce((sum, [, , count]) => sum + numberOf(turn.held[count]), 1)
    if (left < parts || chunks.length === 0) {
      chunks.push([])
      left = PARTS_AT_ONCE
    }
    chunks.at(-1)?.push(turn)
    left -= parts
  }
  return chunks
}

async function readParts(
  graph: Graph,
  from: Statement,
  turns: readonly Stood[],
): Promise<Map<string, PartRow[]>> {
  const rows = await readRows(graph, from, { keys: turns.map(({ key }) => key) }, partRow)
  return groupBy(rows, ({ key }) => key)
}

type Kind = { label: 'Turn' | 'SupersededTurn'; parts: Statement }
const TURN: Kind = { label: 'Turn', parts: partsOfTurns }
const SUPERSEDED: Kind = { label: 'SupersededTurn', parts: partsOfSuperseded }

/** @returns how many records were looked at, parts included */
async function checkWithParts(
  graph: Graph,
  { label, parts: from }: Kind,
  records: readonly Stood[],
  criteria: ReadonlySet<string>,
  said: Said | null,
  findings: Findings,
): Promise<number> {
  let examined = records.length
  for (const some of inChunks(records)) {
    const parts = await readParts(graph, from, some)
    for (const record of some) {
      const own = parts.get(record.key) ?? []
      examined += own.length
      checkTurn(label, record, own, criteria, said, findings)
    }
  }
  return examined
}

function checkTurn(
  label: Kind['label'],
  { key, held }: Stood,
  parts: readonly PartRow[],
  criteria: ReadonlySet<string>,
  said: Said | null,
  findings: Findings,
): void {
  let fits = checkRecord(findings, label, key, held)
  const whole: { [type: string]: PartRow[] } = {}
  for (const [type, partLabel, count] of COUNTED) {
    const own = parts.filter((part) => part.type === type)
    whole[type] = own
    const wrong = difference(held[count], own.length)
    if (wrong !== null) findings.add('turn_parts', label, key, `${count} ${wrong}`)
    else checkPlaces(label, key, partLabel, own, findings)
    for (const part of own) {
      if (!checkPart(partLabel, key, part, criteria, said, numberOf(held.number), findings)) fits = false
    }
    if (wrong !== null) fits = false
  }
  if (fits) {
    checkJudged(label, { key, held }, whole.RECORDED ?? [], findings)
    checkOutcome(label, { key, held }, whole, findings)
  }
}

const JUDGED = [
  ['verified', 'verifiedCount'],
  ['rejected', 'rejectedCount'],
] as const

function checkJudged(
  label: Label,
  { key, held }: Pick<TurnRow, 'key' | 'held'>,
  recorded: readonly PartRow[],
  findings: Findings,
): void {
  const judged = recorded.map((part) => part.held).filter(({ source }) => source !== 'player')
  for (const [status, count] of JUDGED) {
    const there = judged.filter((part) => part.status === status).length
    const wrong = difference(held[count], there)
    if (wrong !== null)
      findings.add('turn_outcome', label, key, `${count} ${wrong}`, setOf(label, key, { [count]: there }))
  }
}

/** In a list of n, the places are 0 to n - 1. */
function checkPlaces(
  label: Label,
  key: string,
  of: Label,
  parts: readonly PartRow[],
  findings: Findings,
): void {
  const places = parts.map(({ held }) => numberOf(held.position)).sort((a, b) => a - b)
  if (places.some((place, i) => place !== i))
    findings.add('turn_parts', label, key, `the ${of}s stand at ${places}`)
}

function checkPart(
  label: 'Verification' | 'Promise' | 'Issue' | 'Gate',
  key: string,
  { labels, held, criteria: of }: PartRow,
  criteria: ReadonlySet<string>,
  said: Said | null,
  turn: number,
  findings: Findings,
): boolean {
  if (labels.join() !== label) {
    findings.add('record_invalid', label, key, `a part is labelled ${labels.join()}, not ${label}`)
    return false
  }
  if (!checkRecord(findings, label, key, held)) return false
  if (label === 'Gate') return true
  const shown = `${label} ${String(held.criterionId ?? held.description)}`
  const foreign = of.filter((criterion) => !criteria.has(criterion))
  if (foreign.length > 0)
    findings.add('part_criterion', label, key, `${shown} is of ${foreign}, which the task does not have`)
  if (label === 'Issue') return true
  const [criterionKey] = of
  if (of.length !== 1 || criterionKey === undefined) {
    findings.add('part_criterion', label, key, `${shown} is of ${of.length} criteria`)
    return true
  }
  if (label === 'Verification') {
    const verification = storedProperties('Verification', held)
    const { position, criterionId, status, source, form, evidence = null, substantiated } = verification
    const wrong = difference(substantiated, isSubstantiated(evidence))
    if (wrong !== null) findings.add('record_invalid', label, key, `${shown}: substantiated ${wrong}`)
    said?.ledger.push({
      turn,
      position,
      criterionKey,
      label: criterionId,
      status,
      source,
      form,
      substantiated,
      evidence,
    })
  } else {
    const { position, criterionId, status } = storedProperties('Promise', held)
    said?.promised.push({ turn, position, criterionKey, label: criterionId, status })
  }
  return true
}

/** How a turn ended is kept as one text, made of what it says. */
function checkOutcome(
  label: 'Turn' | 'SupersededTurn',
  { key, held }: Stood,
  parts: { [type: string]: PartRow[] },
  findings: Findings,
): void {
  const turn: Stored<'Turn'> = storedProperties('Turn', held)
  const ordered = (type: string) =>
    (parts[type] ?? []).map((part) => part.held).sort((a, b) => numberOf(a.position) - numberOf(b.position))
  const derived = outcomeRow(
    outcomeOf({
      turnNumber: turn.number,
      coachDecision: turn.coachDecision,
      coachFeedback: turn.coachFeedback ?? null,
      issues: ordered('RAISED').map((issue) => {
        const { severity, category = null, description } = storedProperties('Issue', issue)
        return { severity, category, description }
      }),
      gates: ordered('PASSED_THROUGH').map((gate) => storedProperties('Gate', gate)),
    }),
  )
  const wrong = difference(turn.outcome, derived)
  if (wrong !== null) findings.add('turn_outcome', label, key, wrong, setOf(label, key, { outcome: derived }))
}

/**
 * What hangs a record below the one that its own key says: `…/2~1` below `…/2~2`, and that below `…/2`. Null where a
 * record between is missing.
 */
function hangBelow(ownKey: string, turnKey: string, replaced: readonly string[]): Step | null {
  const above = supersededKey(turnKey, Number(ownKey.slice(turnKey.length + 1)) + 1)
  const isNewest = ownKey === supersededKey(turnKey, replaced.length)
  if (!isNewest && !replaced.includes(above)) return null
  return stepOf(supersededLink, {
    key: ownKey,
    turn: isNewest ? [turnKey] : [],
    superseded: isNewest ? [] : [above],
  })
}

/** The newest record of a turn has replaced the one before it, and so on down to the first. */
async function checkSuperseded(
  graph: Graph,
  turns: readonly TurnRow[],
  criteria: ReadonlySet<string>,
  findings: Findings,
): Promise<number> {
  const rows = await readRows(graph, supersededOf, { keys: turns.map(({ key }) => key) }, supersededRow)
  for (const { key, held, superseded } of turns) {
    const own = rows
      .filter((row) => row.key === key)
      .sort((a, b) => numberOf(b.held.revision) - numberOf(a.held.revision))
    const replaced = own.map((row) => row.ownKey ?? '')
    let above = { key, superseded, revision: numberOf(held.revision) }
    for (const row of own) {
      const ownKey = row.ownKey ?? ''
      const revision = numberOf(row.held.revision)
      const isNext =
        revision === above.revision - 1 &&
        ownKey === supersededKey(key, revision) &&
        above.superseded.join() === ownKey &&
        row.replacedBy.join() === above.key
      if (!isNext) {
        const found = `revision ${revision} is replaced by ${row.replacedBy}, not by ${above.key} alone`
        findings.add('superseded_chain', 'SupersededTurn', ownKey, found, hangBelow(ownKey, key, replaced))
      }
      if (row.places > 0)
        findings.add(
          'superseded_chain',
          'SupersededTurn',
          ownKey,
          'still stands in its world',
          hangBelow(ownKey, key, replaced),
        )
      above = { key: ownKey, superseded: row.superseded, revision }
    }
    if (above.revision !== 1 || above.superseded.length > 0) {
      const found = `revision ${above.revision} has replaced ${above.superseded.length} records that are there`
      findings.add('superseded_chain', 'Turn', key, found)
    }
  }
  const stood = rows.map(({ ownKey, held }) => ({ key: ownKey ?? '', held }))
  return checkWithParts(graph, SUPERSEDED, stood, criteria, null, findings)
}
