/** Checks turns with their parts, and the records that they have replaced. */
import * as z from 'zod'
import { groupBy, inChunks } from '../../core/group-by.ts'
import { projectOfKey, supersededKey, turnOfSuperseded } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { type Label, nodes, type Stored } from '../../graph/model/nodes.ts'
import { ownedBy } from '../../graph/model/relationships.ts'
import { relink, selectParts, setProperties, unlink } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { outcomeRow } from '../../memory/record/criterion-rows.ts'
import { isSubstantiated, listPromisedEvidence } from '../../rules/absence.ts'
import { findDeniedFiles } from '../../rules/denied-files.ts'
import { observedOnText } from '../../rules/observation.ts'
import { type Outcome, toOutcome } from '../../rules/outcome.ts'
import type { LedgerEntry, PromiseEntry } from '../../rules/progress.ts'
import { issueSignature } from '../../rules/signature.ts'
import { listAgentNodes } from '../../rules/turn-agents.ts'
import { type About, type Findings, fittingProperties, type Properties, propertyMap } from './finding.ts'
import { checkAgents, type LinkedAgents, type RecordAgents } from './turn-agents.ts'

const selectSuperseded = statement('doctor/superseded', 'of-turns')
const selectWithdrawn = statement('doctor/superseded', 'of-world')
const COLUMNS = { criteria: '[(x)-[:OF|TO_MEET|ABOUT]->(c:Criterion) | c.key]' }
const partsOfTurns = {
  Turn: selectParts('Turn', COLUMNS),
  SupersededTurn: selectParts('SupersededTurn', COLUMNS),
}

export const keyList = z.array(z.string().nullable()).transform((all) => all.map((key) => key ?? ''))

const supersededRow = z.object({
  key: z.string(),
  ownKey: z.string(),
  properties: propertyMap,
  replacedBy: keyList,
  superseded: keyList,
  judged: keyList,
  played: keyList,
  places: z.number(),
})
type SupersededRow = z.output<typeof supersededRow>

const partRow = z.object({
  key: z.string(),
  type: z.string(),
  labels: z.array(z.string()),
  properties: propertyMap,
  criteria: keyList,
})
type PartRow = z.output<typeof partRow>

/** Number of parts that are read at once. */
const PARTS_AT_ONCE = 4_000

/** Verifications and promises of turns, and the outcome of each turn by its key. The state of the world follows from them. */
export type TurnEntries = {
  ledger: LedgerEntry[]
  promised: PromiseEntry[]
  outcomes: Map<string, Outcome | null>
}

type TurnLabel = 'Turn' | 'SupersededTurn'
type TurnNode = { key: string; properties: Properties } & LinkedAgents

/** Context of the check of one world's turns. */
type TurnChecks = {
  criteria: ReadonlySet<string>
  /** Filled by the check; null for superseded records, which the state does not contain. */
  entries: TurnEntries | null
  /** Agents of the records, filled by the check. */
  agents: RecordAgents[]
  findings: Findings
}

/**
 * @param criteria criteria of the task: a turn may name no others
 * @returns the entries and outcomes of the turns
 */
export async function checkTurns(
  graph: Graph,
  turns: readonly (TurnNode & { superseded: string[] })[],
  criteria: ReadonlySet<string>,
  findings: Findings,
): Promise<TurnEntries> {
  const entries: TurnEntries = { ledger: [], promised: [], outcomes: new Map() }
  const of = { criteria, agents: [], findings }
  await checkWithParts(graph, 'Turn', turns, { ...of, entries })
  const replaced = turns.filter(
    ({ properties, superseded }) => properties.revision !== 1 || superseded.length > 0,
  )
  if (replaced.length > 0) {
    const rows = await readRows(
      graph,
      selectSuperseded,
      { keys: replaced.map(({ key }) => key) },
      supersededRow,
    )
    const byTurn = groupBy(rows, ({ key }) => key)
    for (const { key, properties, superseded } of replaced)
      checkSuperseded(
        { top: ['Turn', key], turnKey: key, superseded, revision: asNumber(properties.revision) },
        byTurn.get(key) ?? [],
        findings,
      )
    await checkOlder(graph, rows, of)
  }
  checkAgents(of.agents, findings)
  return entries
}

/** Checks the withdrawn turns of a world that were not captured again, with the records that they have replaced. */
export async function checkWithdrawn(
  graph: Graph,
  worldKey: string,
  criteria: ReadonlySet<string>,
  findings: Findings,
): Promise<void> {
  const rows = await readRows(graph, selectWithdrawn, { worldKey }, supersededRow)
  for (const [turnKey, own] of groupBy(rows, ({ ownKey }) => turnOfSuperseded(ownKey))) {
    const heads = own.filter(({ replacedBy }) => replacedBy.includes(worldKey))
    const [head] = heads
    checkSuperseded(
      {
        ...{ top: ['World', worldKey], turnKey, superseded: heads.map(({ ownKey }) => ownKey) },
        revision: asNumber(head?.properties.revision) + 1,
      },
      own,
      findings,
    )
  }
  const of = { criteria, agents: [], findings }
  await checkOlder(graph, rows, of)
  checkAgents(of.agents, findings)
}

const checkOlder = (
  graph: Graph,
  rows: readonly SupersededRow[],
  of: Omit<TurnChecks, 'entries'>,
): Promise<void> =>
  checkWithParts(
    graph,
    'SupersededTurn',
    rows.map(({ ownKey, properties, judged, played }) => ({ key: ownKey, properties, judged, played })),
    { ...of, entries: null },
  )

const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Checks the parts of a turn against the model. */
const PARTS = ownedBy('Turn').flatMap(({ type, of, parts }) =>
  parts === null ? [] : [{ type, of, ...parts }],
)

async function checkWithParts(
  graph: Graph,
  label: TurnLabel,
  turns: readonly TurnNode[],
  of: TurnChecks,
): Promise<void> {
  const countParts = ({ properties }: TurnNode) =>
    PARTS.reduce((sum, { count }) => sum + asNumber(properties[count]), 1)
  for (const some of inChunks(turns, countParts, PARTS_AT_ONCE)) {
    const rows = await readRows(graph, partsOfTurns[label], { keys: some.map(({ key }) => key) }, partRow)
    const byTurn = groupBy(rows, ({ key }) => key)
    for (const turn of some) checkTurn(label, turn, byTurn.get(turn.key) ?? [], of)
    of.findings.examined += rows.length
  }
  of.findings.examined += turns.length
}

function checkTurn(
  label: TurnLabel,
  { key, properties, judged, played }: TurnNode,
  parts: readonly PartRow[],
  of: TurnChecks,
): void {
  const about = of.findings.of(label, key)
  let fits = about.record(properties)
  const byType = groupBy(parts, ({ type }) => type)
  const promised = listPromisedEvidence(
    parts
      .filter(({ labels }) => labels.includes('Promise'))
      .map(({ properties: { evidence } }) => ({ evidence: typeof evidence === 'string' ? evidence : null })),
  )
  for (const { type, of: partLabel, by, count } of PARTS) {
    const own = byType.get(type) ?? []
    if (
      about.reportDifference('turn_parts', { label: count, actual: properties[count], expected: own.length })
    )
      fits = false
    else {
      const places = own.map((part) => asNumber(part.properties[by])).sort((a, b) => a - b)
      if (places.some((place, i) => place !== i))
        about.add('turn_parts', `the ${partLabel}s stand at ${places}`)
    }
    for (const part of own) {
      const aboutPart = of.findings.of(partLabel, key)
      const isLabelled = part.labels.join() === partLabel
      if (!isLabelled)
        aboutPart.add('record_invalid', `a part is labelled ${part.labels.join()}, not ${partLabel}`)
      if (isLabelled && aboutPart.record(part.properties))
        checkPart(partLabel, part, { turn: asNumber(properties.number), promised }, of, aboutPart)
      else fits = false
    }
  }
  const recorded = byType.get('RECORDED') ?? []
  of.agents.push({
    ...{ label, key, judged, played },
    named: fits ? listNamedAgents(key, properties, recorded) : null,
  })
  if (!fits) return
  checkJudged(label, { key, properties }, recorded, about)
  const outcome = checkOutcome(label, key, fittingProperties('Turn', properties), byType, about)
  of.entries?.outcomes.set(key, outcome)
}

/** Lists the agents that a record and its additions name. */
function listNamedAgents(
  key: string,
  properties: Properties,
  recorded: readonly PartRow[],
): RecordAgents['named'] {
  const verifications = recorded
    .map((part) => fittingProperties('Verification', part.properties))
    .sort((a, b) => a.position - b.position)
  const project = projectOfKey(key)
  return {
    own: listAgentNodes(
      project,
      fittingProperties('Turn', properties),
      verifications.filter(({ addedAt }) => addedAt === undefined),
    ),
    added: listAgentNodes(
      project,
      {},
      verifications.filter(({ addedAt }) => addedAt !== undefined),
      { maxJudges: Number.POSITIVE_INFINITY },
    ),
  }
}

const JUDGED = [
  ['verified', 'verifiedCount'],
  ['rejected', 'rejectedCount'],
] as const

function checkJudged(
  label: TurnLabel,
  { key, properties }: Pick<TurnNode, 'key' | 'properties'>,
  recorded: readonly PartRow[],
  about: About,
): void {
  const judged = recorded.filter(
    ({ properties: { source, addedAt } }) => source !== 'player' && addedAt == null,
  )
  for (const [status, count] of JUDGED) {
    const there = judged.filter((part) => part.properties.status === status).length
    about.reportDifference('turn_outcome', { label: count, actual: properties[count], expected: there }, () =>
      setProperties(label, key, { [count]: there }),
    )
  }
}

/** Checks a part of a turn and its criteria: a verification or a promise names exactly one. */
function checkPart(
  label: Label,
  { properties, criteria: of }: PartRow,
  { turn, promised }: { turn: number; promised: ReadonlySet<string> },
  { criteria, entries }: TurnChecks,
  about: About,
): void {
  const shown = `${label} ${String(properties[nodes[label].name] ?? '')}`
  const foreign = of.filter((criterion) => !criteria.has(criterion))
  if (foreign.length > 0)
    about.add('part_criterion', `${shown} is of ${foreign}, which the task does not have`)
  if (label === 'Issue') {
    const { category = null, signature, ...issue } = fittingProperties('Issue', properties)
    const derived = issueSignature({ ...issue, category })
    // Graphs of earlier versions have no signatures.
    about.reportDifference('record_invalid', {
      label: `${shown}: signature`,
      actual: signature ?? derived,
      expected: derived,
    })
  }
  if (label !== 'Verification' && label !== 'Promise') return
  const [criterionKey] = of
  if (of.length !== 1 || criterionKey === undefined) {
    about.add('part_criterion', `${shown} is of ${of.length} criteria`)
  } else if (label === 'Promise') {
    const promise = fittingProperties('Promise', properties)
    const { position, criterionId: label, criterionText: text = null, status, evidence = null } = promise
    entries?.promised.push({ turn, position, criterionKey, label, status, evidence, text })
  } else {
    const verification = fittingProperties('Verification', properties)
    const {
      criterionText: text = null,
      criterionId,
      evidence = null,
      observation,
      observedOn: seenOn,
      addedAt,
      ...rest
    } = verification
    about.reportDifference('record_invalid', {
      label: `${shown}: substantiated`,
      actual: rest.substantiated,
      expected:
        observation !== undefined || isSubstantiated(evidence, addedAt === undefined ? promised : new Set()),
    })
    const seen = seenOn === undefined ? null : observedOnText.parse(seenOn)
    const entry = { turn, criterionKey, label: criterionId, evidence, ...rest, observedOn: seen }
    entries?.ledger.push({ ...entry, addedAt: addedAt ?? null, text })
  }
}

/** Checks the outcome and the denied files, which are derived from the decision, the files and the parts of a turn. */
function checkOutcome(
  label: TurnLabel,
  key: string,
  turn: Stored<'Turn'>,
  parts: ReadonlyMap<string, readonly PartRow[]>,
  about: About,
): Outcome | null {
  const ordered = (type: string) =>
    (parts.get(type) ?? [])
      .map(({ properties }) => properties)
      .sort((a, b) => asNumber(a.position) - asNumber(b.position))
  const issues = ordered('RAISED').map((issue) => {
    const { severity, category = null, description } = fittingProperties('Issue', issue)
    return { severity, category, description }
  })
  const outcome = toOutcome({
    turnNumber: turn.number,
    coachDecision: turn.coachDecision,
    coachFeedback: turn.coachFeedback ?? null,
    issues,
    gates: ordered('PASSED_THROUGH').map((gate) => fittingProperties('Gate', gate)),
    testsFailed: turn.testsFailed ?? null,
  })
  const derived = outcomeRow(outcome)
  about.reportDifference('turn_outcome', { label: '', actual: turn.outcome, expected: derived }, () =>
    setProperties(label, key, { outcome: derived }),
  )
  const denied = findDeniedFiles({
    filesModified: turn.filesModified,
    filesSource: turn.filesSource ?? null,
    issues,
  })
  about.reportDifference(
    'turn_outcome',
    { label: 'deniedFiles', actual: turn.deniedFiles ?? [], expected: denied },
    () => setProperties(label, key, { deniedFiles: denied.length === 0 ? null : denied }),
  )
  return outcome
}

/** A turn with its newest record, or a world with the newest record of a withdrawn turn. */
type Chain = {
  /** The node that owns the newest superseded record. */
  top: [label: 'Turn' | 'World', key: string]
  turnKey: string
  superseded: readonly string[]
  /** Revision of the record above the newest superseded one. */
  revision: number
}

/**
 * Hangs a record below the one that its own key names: `…/2~1` below `…/2~2`, and that below the top. Null if a
 * record between them is missing.
 */
function hangBelow(key: string, { top, turnKey }: Chain, replaced: readonly string[]): Step[] | null {
  const above = supersededKey(turnKey, Number(key.slice(turnKey.length + 1)) + 1)
  const isNewest = key === supersededKey(turnKey, replaced.length)
  if (!isNewest && !replaced.includes(above)) return null
  return [
    relink(isNewest ? top : ['SupersededTurn', above], 'SUPERSEDES', ['SupersededTurn', key], 'to'),
    unlink('SupersededTurn', key, 'HAS_TURN', 'in'),
    unlink('SupersededTurn', key, 'NEXT', 'both'),
  ]
}

/** Checks the chain of superseded records: the current record replaced the newest of them, and each replaced the one before it. */
function checkSuperseded(chain: Chain, rows: readonly SupersededRow[], findings: Findings): void {
  const { top, turnKey } = chain
  const own = rows.toSorted((a, b) => asNumber(b.properties.revision) - asNumber(a.properties.revision))
  const replaced = own.map(({ ownKey }) => ownKey)
  let above = { key: top[1], superseded: chain.superseded, revision: chain.revision }
  for (const { ownKey, properties: older, replacedBy, superseded: below, places } of own) {
    const about = findings.of('SupersededTurn', ownKey)
    const repair = () => hangBelow(ownKey, chain, replaced)
    const revision = asNumber(older.revision)
    const isNext =
      revision === above.revision - 1 &&
      ownKey === supersededKey(turnKey, revision) &&
      above.superseded.join() === ownKey &&
      replacedBy.join() === above.key
    if (!isNext)
      about.add(
        'superseded_chain',
        `revision ${revision} is replaced by ${replacedBy}, not by ${above.key} alone`,
        repair,
      )
    if (places > 0) about.add('superseded_chain', 'still stands in its world', repair)
    above = { key: ownKey, superseded: below, revision }
  }
  if (above.revision !== 1 || above.superseded.length > 0) {
    const found = `revision ${above.revision} has replaced ${above.superseded.length} records that are there`
    findings.of(...top).add('superseded_chain', found)
  }
}
