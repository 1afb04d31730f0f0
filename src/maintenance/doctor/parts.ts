/** Compares the ordered parts of nodes with the counts of their owners and with the model. */
import * as z from 'zod'
import { groupBy, inChunks } from '../../core/group-by.ts'
import { projectOfKey } from '../../core/keys.ts'
import { readRows } from '../../graph/decode.ts'
import { LABELS, type Label } from '../../graph/model/nodes.ts'
import { ownedBy } from '../../graph/model/relationships.ts'
import { selectParts, setProjectOfParts } from '../../graph/model-statements.ts'
import type { Graph } from '../../graph/port.ts'
import { type Examined, type Findings, keyList, type Part, propertyMap } from './finding.ts'

const PARTS_AT_ONCE = 4_000

/** Labels with ordered parts, with the kinds of the parts and the statement that reads them. */
const OWNERS = new Map(
  LABELS.flatMap((label) => {
    const kinds = ownedBy(label).flatMap(({ type, of, parts }) =>
      parts === null ? [] : [{ type, of, ...parts }],
    )
    const criteria = '[(x)-[:OF|TO_MEET|ABOUT]->(c:Criterion) | c.key]'
    return kinds.length === 0 ? [] : [[label, { kinds, read: selectParts(label, { criteria }) }] as const]
  }),
)

const partRow = z.object({
  key: z.string(),
  type: z.string(),
  labels: z.array(z.string()),
  properties: propertyMap,
  criteria: keyList,
})

/** Adds the parts to nodes of a kind, and reports parts that are missing or do not fit the model. */
export async function readParts(
  graph: Graph,
  label: Label,
  nodes: readonly Examined[],
  findings: Findings,
): Promise<Examined[]> {
  const owner = OWNERS.get(label)
  if (owner === undefined) return [...nodes]
  const { kinds, read } = owner
  const countParts = ({ properties }: Examined) =>
    kinds.reduce((sum, { count }) => sum + Number(properties[count] ?? 0), 1)
  const examined: Examined[] = []
  for (const some of inChunks(nodes, PARTS_AT_ONCE, countParts)) {
    const rows = await readRows(graph, read, { keys: some.map(({ key }) => key) }, partRow)
    findings.examined += rows.length
    const byOwner = groupBy(rows, ({ key }) => key)
    for (const node of some) {
      const own = byOwner.get(node.key) ?? []
      const byType = groupBy(own, ({ type }) => type)
      const repairProject = () => setProjectOfParts(label, node.key, projectOfKey(node.key))
      const parts: Part[] = []
      let { isWhole } = node
      for (const { type, of, by, count } of kinds) {
        const ofType = (byType.get(type) ?? []).toSorted(
          (a, b) => Number(a.properties[by]) - Number(b.properties[by]),
        )
        // Other parts have no positions from 0. The check of their owner counts them.
        const isCounted = by === 'position'
        const places = ofType.map(({ properties }) => properties[by])
        if (
          isCounted &&
          node.about.reportDifference('turn_parts', {
            label: count,
            actual: node.properties[count],
            expected: ofType.length,
          })
        )
          isWhole = false
        else if (isCounted && places.some((place, i) => place !== i))
          node.about.add('turn_parts', `positions of ${of}: ${places}`)
        for (const { labels, properties, criteria } of ofType) {
          const about = findings.of(of, isCounted ? node.key : `${node.key}/${properties[by]}`)
          if (labels.join() !== of)
            about.add('record_invalid', `a part has the label ${labels.join()} instead of ${of}`)
          if (labels.join() !== of || !about.record(properties, repairProject)) isWhole = false
          else parts.push({ label: of, properties: { ...properties }, criteria })
        }
      }
      examined.push({ ...node, parts, isWhole })
    }
  }
  return examined
}
