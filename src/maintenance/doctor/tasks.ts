/** Checks the criteria and the specifications of tasks. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { isCriterionKey, labelOnlyCriterionKey } from '../../core/keys.ts'
import { hasMark } from '../../core/scrub/marks.ts'
import { readRows } from '../../graph/decode.ts'
import { setProperties } from '../../graph/model-statements.ts'
import { statement } from '../../graph/statements.ts'
import { normalizeLabel } from '../../rules/labels.ts'
import { findBrokenMerge } from '../../rules/progress.ts'
import { type Examined, type Findings, type Properties, propertyMap, type ToCheck } from './finding.ts'

const criteriaOfTask = statement('criteria/of-task')

export const TASK_COLUMNS = {
  versions: '[(x)-[:SPECIFIED_BY]->(s:Specification) | s.version]',
  specifiedAfter: '[(x)-[:HAS_WORLD]->(w:World) | [w.key, size(coalesce(w.specifiedAfter, []))]]',
} as const

const taskRow = z.object({
  versions: z.array(z.number().nullable()),
  specifiedAfter: z.array(z.tuple([z.string(), z.number()])),
})

export async function checkTask({ graph, nodes: [node], findings }: ToCheck): Promise<void> {
  if (node === undefined) return
  if (node.properties.restoring === true)
    return node.about.add('restore_unfinished', 'some of its parts are missing')
  checkVersions(node)
  const rows = await readRows(graph, criteriaOfTask, { taskKey: node.key }, criterionRow)
  findings.examined += rows.length
  checkCriteria(node.key, rows, findings)
}

/** Checks that versions are numbered from 1, and that each world records as many versions as its task. */
function checkVersions({ properties, row, about }: Examined): void {
  const { versions, specifiedAfter } = taskRow.parse(row)
  const newest = Number(properties.specificationVersion ?? 0)
  const isWrong = about.reportDifference('specification', {
    label: 'versions',
    actual: Array.from({ length: newest }, (_, i) => i + 1),
    expected: versions.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
  })
  if (isWrong) return
  for (const [world, known] of specifiedAfter) {
    const label = `number of versions in ${world}`
    about.reportDifference('specification', { label, actual: known, expected: newest })
  }
}

const criterionRow = z.object({ key: z.string(), properties: propertyMap, isNamed: z.boolean() })

function checkCriteria(
  task: string,
  rows: readonly z.output<typeof criterionRow>[],
  findings: Findings,
): void {
  const into = new Map(rows.map(({ key, properties }) => [key, asText(properties.mergedInto)]))
  const targets = new Set([...into.values()])
  for (const { key, properties, isNamed } of rows) {
    const about = findings.of('Criterion', key)
    if (about.record(properties) && !isOwnKey(task, key, properties))
      about.add('key_wrong', `belongs to the task ${task}`)
    if (!isNamed && !targets.has(key)) about.add('criterion_unnamed', 'no turn and no specification uses it')
    const shared = findSharedLabels(properties)
    if (shared !== null) about.add('criterion_labels', shared)
    const end = findBrokenMerge(key, into)
    if (end !== null) about.add('criterion_merge', end)
  }
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Finds two labels of one source. Versions before masks.md merged criteria that differed only in a secret. */
function findSharedLabels({ texts, labels, labelSources }: Properties): string | null {
  if (!listOf(texts).some(hasMark)) return null
  const bySource = groupBy(
    listOf(labels).map((label, i) => ({
      label: normalizeLabel(label),
      source: listOf(labelSources)[i] ?? '',
    })),
    ({ source }) => source,
  )
  for (const [source, given] of bySource) {
    const names = [...new Set(given.map(({ label }) => label))]
    if (names.length > 1) return `has several labels of one source (${source}): ${names.join(', ')}`
  }
  return null
}

/** Checks the form of a criterion key. It is derived from the text, or from label and world if the criterion had no text. */
function isOwnKey(task: string, key: string, { worldKey, labels }: Properties): boolean {
  const world = asText(worldKey)
  const all = listOf(labels)
  return (
    isCriterionKey(task, key) &&
    (world === null || all.some((label) => labelOnlyCriterionKey(task, world, normalizeLabel(label)) === key))
  )
}

export const SPECIFICATION_COLUMNS = { positions: '[(x)-[l:LISTS]->(:Criterion) | l.position]' } as const
const positionsRow = z.object({ positions: z.array(z.number()) })

/** Checks the number of criteria of versions. Reads and exports treat a wrong number as half a declaration, and fail. */
export async function checkSpecifications({ nodes }: ToCheck): Promise<void> {
  for (const { key, properties, row, about } of nodes) {
    const positions = positionsRow.parse(row).positions.sort((a, b) => a - b)
    const criteriaCount = positions.length
    if (positions.some((position, i) => position !== i))
      about.add('specification', `lists the positions ${positions.join(', ')}`)
    else
      about.reportDifference(
        'specification',
        { label: 'criteriaCount', actual: properties.criteriaCount, expected: criteriaCount },
        () => setProperties('Specification', key, { criteriaCount }),
      )
  }
}
