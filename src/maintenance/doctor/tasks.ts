/** Checks the criteria of a task: the target of each merge must exist, and no chain of merges may be a cycle. */
import * as z from 'zod'
import { groupBy } from '../../core/group-by.ts'
import { isCriterionKey, labelOnlyCriterionKey } from '../../core/keys.ts'
import { hasMark } from '../../core/scrub/marks.ts'
import { readRows } from '../../graph/decode.ts'
import { setProperties } from '../../graph/model-statements.ts'
import type { Graph, Step } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { normalizeLabel } from '../../rules/labels.ts'
import { finalKeys } from '../../rules/progress.ts'
import { Findings, type Properties, propertyMap, type ToCheck } from './finding.ts'
import { checkVersions } from './specifications.ts'

const criteriaOfTask = statement('criteria/of-task')

const criterionRow = z.object({ key: z.string(), properties: propertyMap, isNamed: z.boolean() })

/** Criteria that the turns of a task may name, and the key under which a merged criterion counts. */
export type OfTask = {
  criteria: ReadonlySet<string>
  finalKey: (key: string) => string
  /** True if no chain of merges is broken or a cycle. */
  isSound: boolean
}

export async function checkTask({ graph, nodes: [node], findings }: ToCheck): Promise<void> {
  if (node === undefined) return
  if (node.properties.restoring === true)
    return node.about.add('restore_unfinished', 'parts of it are missing')
  checkVersions(node.properties.specificationVersion, node.row, node.about)
  findings.examined += (await readCriteria(graph, node.key, findings)).criteria.size
}

export async function readCriteria(graph: Graph, task: string, findings = new Findings()): Promise<OfTask> {
  const rows = await readRows(graph, criteriaOfTask, { taskKey: task }, criterionRow)
  const into = new Map(rows.map(({ key, properties }) => [key, asText(properties.mergedInto)]))
  const targets = new Set([...into.values()])
  for (const { key, properties, isNamed } of rows) {
    const about = findings.of('Criterion', key)
    if (about.record(properties) && !isOwnKey(task, key, properties))
      about.add('key_wrong', `stands below ${task}`)
    if (!isNamed && !targets.has(key)) about.add('criterion_unnamed', 'nothing speaks of it')
    const shared = findSharedLabels(properties)
    if (shared !== null) about.add('criterion_labels', shared)
    const end = findBrokenMerge(key, into)
    if (end !== null) about.add('criterion_merge', end, unmerge(key, into))
  }
  const ends = [...into].map(([key, target]) => ({
    key,
    mergedInto: findBrokenMerge(key, into) === null ? target : null,
  }))
  return {
    criteria: new Set(into.keys()),
    finalKey: finalKeys(ends),
    isSound: !findings.checks.has('criterion_merge'),
  }
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/**
 * Finds two labels that one source gave to a criterion with a masked text. Versions before masks.md masked texts before they
 * compared them, so that criteria that differed only in a secret were merged.
 */
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

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function findBrokenMerge(key: string, into: ReadonlyMap<string, string | null>): string | null {
  const passed = new Set<string>()
  for (let at: string | null = key; at !== null; at = into.get(at) ?? null) {
    if (!into.has(at)) return `is merged into ${at}, which the task does not have`
    if (passed.has(at)) return `is merged into ${[...passed].join(', then ')}, and so into itself`
    passed.add(at)
  }
  return null
}

/** Undoes one impossible merge and no other: a merge into a criterion that is missing, or one link of a cycle. */
function unmerge(key: string, into: ReadonlyMap<string, string | null>): Step | null {
  const target = into.get(key) ?? null
  if (target === null) return null
  const round = [key]
  for (let at: string | null = target; at !== null && at !== key; at = into.get(at) ?? null) {
    if (round.includes(at)) return null // leads to a cycle without this criterion
    round.push(at)
  }
  const isOfRound = into.get(round.at(-1) ?? '') === key && round.toSorted()[0] === key
  return !into.has(target) || isOfRound ? setProperties('Criterion', key, { mergedInto: null }) : null
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
