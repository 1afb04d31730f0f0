/** Compares the links of agents with the names in records and in additions. */
import { groupBy } from '../../core/group-by.ts'
import { isSupersededKey, turnOfSuperseded } from '../../core/keys.ts'
import { linkAgents, unlink } from '../../graph/model-statements.ts'
import { type Step, toStep } from '../../graph/port.ts'
import { generated } from '../../graph/statements.ts'
import { type AgentNode, MAX_JUDGES } from '../../rules/turn-agents.ts'
import { deleteUnusedSteps } from '../forget/delete-nodes.ts'
import type { Findings } from './finding.ts'

/** Keys of the agents that are linked to a record. */
export type LinkedAgents = { judged: readonly string[]; played: readonly string[] }

export type RecordAgents = LinkedAgents & {
  label: 'Turn' | 'SupersededTurn'
  key: string
  /** Agents that the record names, and judges of its additions; null if the record is damaged. */
  named: { own: readonly AgentNode[]; added: readonly AgentNode[] } | null
}

/**
 * Checks the links of all records of some turns. When a record is replaced, its additions move to the new record, but the links of
 * their judges stay. So the judge of an addition is linked to the current record of the addition or to an older record of the turn.
 * All other links must match the names in the record.
 */
export function checkAgents(records: readonly RecordAgents[], findings: Findings): void {
  const ofTurn = ({ label, key }: RecordAgents) => (label === 'Turn' ? key : turnOfSuperseded(key))
  for (const chain of groupBy(records, ofTurn).values()) {
    const oldestFirst = chain.toSorted((a, b) => revisionOf(a) - revisionOf(b))
    // A damaged record may have lost the names.
    if (oldestFirst.some(({ named }) => named === null)) continue
    const newer = new Map<string, AgentNode>()
    for (const record of oldestFirst.toReversed()) {
      for (const agent of record.named?.added ?? []) newer.set(agent.key, agent)
      const older = oldestFirst.slice(0, oldestFirst.indexOf(record) + 1)
      checkRecord(record, { newer, older }, findings)
    }
  }
}

const revisionOf = ({ key }: RecordAgents): number =>
  isSupersededKey(key) ? Number(key.slice(turnOfSuperseded(key).length + 1)) : Number.POSITIVE_INFINITY

/** `newer`: judges of additions to the record or to a newer record of the turn. `older`: the record and the records that are older. */
type Around = { newer: ReadonlyMap<string, AgentNode>; older: readonly RecordAgents[] }

function checkRecord(record: RecordAgents, { newer, older }: Around, findings: Findings): void {
  const { label, key, judged, named } = record
  const { own, added } = named ?? { own: [], added: [] }
  const judges = new Map(own.flatMap((agent) => (agent.judged.length === 0 ? [] : [[agent.key, agent]])))
  for (const each of judged) {
    const agent = newer.get(each)
    if (agent !== undefined) judges.set(each, agent)
  }
  const isFull = older.some((each) => each.judged.length >= MAX_JUDGES)
  const isLinked = (agent: AgentNode) => older.some((each) => each.judged.includes(agent.key))
  for (const agent of added)
    if (!isFull && judges.size < MAX_JUDGES && !isLinked(agent)) judges.set(agent.key, agent)
  const players = own.filter((agent) => agent.played.length > 0)
  const expected = { judged: [...judges.keys()], played: players.map((agent) => agent.key) }
  const about = findings.of(label, key)
  let repair: Step[] | null = null
  for (const [type, has] of [
    ['JUDGED', 'judged'],
    ['PLAYED', 'played'],
  ] as const)
    about.reportDifference(
      'turn_agents',
      { label: `${type}:`, actual: record[has].toSorted(), expected: expected[has].toSorted() },
      () => {
        repair ??= rewriteLinks(record, [
          ...[...judges.values()].map((agent) => ({ ...agent, judged: [1], played: [] })),
          ...players.map((agent) => ({ ...agent, judged: [], played: [1] })),
        ])
        return repair
      },
    )
}

/** Replaces the links of a record, and deletes the agents that have no link afterwards. */
const rewriteLinks = ({ label, key, judged, played }: RecordAgents, agents: AgentNode[]): Step[] => [
  unlink(label, key, 'JUDGED', 'in'),
  unlink(label, key, 'PLAYED', 'in'),
  toStep(LINKING[label], { key, agents: agents.sort((a, b) => (a.key < b.key ? -1 : 1)) }),
  ...deleteUnusedSteps({ Agent: [...judged, ...played] }),
]

const linking = (label: RecordAgents['label']) =>
  generated(
    `doctor/link-agents-${label}`,
    `// params: $key $agents
MATCH (t:${label} {key: $key})
${linkAgents('t', '$agents')}
RETURN t.key AS key`,
  )
const LINKING = { Turn: linking('Turn'), SupersededTurn: linking('SupersededTurn') }
