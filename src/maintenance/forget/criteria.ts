/** Deletes the criteria that no turn names any more, and removes texts and labels that only deleted turns used. */
import * as z from 'zod'
import { decodeRow } from '../../graph/decode.ts'
import { type Graph, type Run, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { normalizeLabel, splitLabel, withoutOwnLabel } from '../../rules/labels.ts'
import { optionalText, textList } from '../../rules/values.ts'
import { deleteUnused, inOnePiece, type Progress } from './delete-nodes.ts'

const lockCriteria = statement('forget/lock-criteria')
const criteriaOfTask = statement('criteria/of-task')
const changeCriteria = statement('forget/change-criteria')
const namesInUse = ['verifications', 'promises', 'specifications'].map((of) =>
  statement('forget/names-in-use', of),
)

const CRITERIA_AT_ONCE = 1_000

/** Deletes unused criteria. Raises the revision of the worlds, so that a concurrent capture resolves its criteria again. */
export async function forgetCriteria(graph: Graph, taskKey: string, progress: Progress): Promise<boolean> {
  for (let left = Number.POSITIVE_INFINITY; left > CRITERIA_AT_ONCE; ) {
    if (!progress.isTime()) return false
    await inOnePiece(graph, progress, async (run) => {
      await run({ statement: lockCriteria, params: { taskKey, token: crypto.randomUUID() } })
      const { unnamed, changes } = await compareCriteria(run, taskKey)
      left = Math.max(unnamed.length, changes.length)
      if (left === 0) return null
      const criteria = changes.slice(0, CRITERIA_AT_ONCE)
      if (criteria.length > 0) await run(toStep(changeCriteria, { batch: { criteria } }))
      return deleteUnused(run, { Criterion: unnamed.slice(0, CRITERIA_AT_ONCE) })
    })
  }
  return true
}

const criterionRow = z.object({
  key: z.string(),
  isWorldGone: z.boolean(),
  isNamed: z.boolean(),
  properties: z.object({
    mergedInto: optionalText,
    worldKey: optionalText,
    texts: textList,
    textSources: textList,
    labels: textList,
    labelSources: textList,
  }),
})
const nameRow = z.object({ key: z.string(), label: z.string(), text: optionalText, source: z.string() })

async function compareCriteria(run: Run, taskKey: string) {
  const rows = await run({ statement: criteriaOfTask, params: { taskKey } })
  const criteria = rows.map((row) => {
    const { properties, ...criterion } = decodeRow(criteriaOfTask, criterionRow, row)
    return { ...criterion, ...properties }
  })
  const named = withTargets(
    criteria,
    criteria.flatMap(({ key, isNamed }) => (isNamed ? [key] : [])),
  )
  const remaining = criteria.filter(({ key }) => named.has(key))
  const names = new Map(remaining.map(({ key }) => [key, new Set<string>()]))
  for (const from of remaining.length === 0 ? [] : namesInUse)
    for (const row of await run({ statement: from, params: { keys: [...names.keys()] } })) {
      const { key, label, text, source } = decodeRow(from, nameRow, row)
      // The names of a merged criterion are also names of its target.
      const labels = [label, splitLabel(text ?? '').label ?? label]
      for (const each of withTargets(criteria, [key])) {
        const used = names.get(each)?.add(`${source} text ${text && withoutOwnLabel(text, label)}`)
        for (const one of labels)
          used?.add(`${source} label ${one}`).add(`${source} label ${normalizeLabel(one)}`)
      }
    }
  const changes = remaining.flatMap(({ key, worldKey, isWorldGone, ...stored }) => {
    const isUsed = (source: string | undefined, name: string) => names.get(key)?.has(`${source} ${name}`)
    const texts = stored.texts.map((text, i) => isUsed(stored.textSources[i], `text ${text}`))
    const labels = stored.labels.map((label, i) => isUsed(stored.labelSources[i], `label ${label}`))
    if (!isWorldGone && texts.every(Boolean) && labels.every(Boolean)) return []
    const properties = {
      worldKey: isWorldGone ? null : worldKey,
      texts: stored.texts.filter((_, i) => texts[i]),
      textSources: stored.textSources.filter((_, i) => texts[i]),
      labels: stored.labels.filter((_, i) => labels[i]),
      labelSources: stored.labelSources.filter((_, i) => labels[i]),
    }
    return [{ key, properties }]
  })
  return { unnamed: criteria.flatMap(({ key }) => (named.has(key) ? [] : [key])), changes }
}

export function withTargets(
  criteria: readonly { key: string; mergedInto: string | null }[],
  keys: readonly string[],
): Set<string> {
  const into = new Map(criteria.map(({ key, mergedInto }) => [key, mergedInto]))
  const found = new Set<string>()
  for (const key of keys)
    for (let at: string | null = key; at !== null && !found.has(at); at = into.get(at) ?? null) found.add(at)
  return found
}
