import * as z from 'zod'
import { decodeRow } from '../../graph/decode.ts'
import { textList } from '../../graph/model/values.ts'
import { type Graph, type Run, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { normalizeLabel } from '../../memory/criteria/labels.ts'
import { keptKeys } from './kept-keys.ts'
import { goneOf, inOnePiece, NODES_AT_ONCE } from './piece.ts'
import type { Counts, Tally } from './tally.ts'

const criteriaOfTask = statement('forget/criteria')
const wordingsJudged = statement('forget/wordings-judged')
const wordingsPromised = statement('forget/wordings-promised')
const worldsLeft = statement('forget/worlds-left')
const holdWorlds = statement('forget/hold-worlds')
const holdTask = statement('forget/hold-task')
const criteriaGo = statement('forget/criteria-go')
const criteriaChange = statement('forget/criteria-change')

const criterionRow = z.object({
  key: z.string(),
  mergedInto: z.string().nullable(),
  worldKey: z.string().nullable(),
  texts: textList,
  textSources: textList,
  labels: textList,
  labelSources: textList,
  isNamed: z.boolean(),
})
type Held = z.output<typeof criterionRow>

const wordingRow = z.object({
  key: z.string(),
  label: z.string(),
  text: z.string().nullable(),
  source: z.string(),
})

type Change = { key: string; properties: { [name: string]: string[] | string | null } }

/**
 * The criteria of a task that nothing speaks of any more go, and of the others what only the turns that went had
 * called them. Whoever resolved a criterion before, and writes after, is made to resolve it anew.
 */
export async function forgetCriteria(
  graph: Graph,
  taskKey: string,
  tally: Tally,
  isTime: () => boolean,
): Promise<boolean> {
  while (isTime()) {
    let left = 0
    await inOnePiece(graph, tally, async (run) => {
      const seen = await whatGoes(run, taskKey)
      left = seen.keys.length + seen.changes.length
      if (left === 0) return null
      const params = { taskKey, token: crypto.randomUUID() }
      await run({ statement: holdWorlds, params })
      await run({ statement: holdTask, params })
      // Under the locks: what was seen before may be named again.
      return take(run, await whatGoes(run, taskKey))
    })
    if (left <= NODES_AT_ONCE) return true
  }
  return false
}

async function take(run: Run, { keys, changes }: Going): Promise<Counts> {
  const some = keys.slice(0, NODES_AT_ONCE)
  const gone = some.length === 0 ? [] : await run(stepOf(criteriaGo, { keys: some }))
  const criteria = changes.slice(0, NODES_AT_ONCE)
  if (criteria.length > 0) await run(stepOf(criteriaChange, { batch: { criteria } }))
  return { Criterion: goneOf(criteriaGo, gone) }
}

type Going = { keys: string[]; changes: Change[] }

async function whatGoes(run: Run, taskKey: string): Promise<Going> {
  const rows = await run({ statement: criteriaOfTask, params: { taskKey } })
  const held = rows.map((row) => decodeRow(criteriaOfTask, criterionRow, row))
  const kept = keptKeys(
    held,
    held.flatMap(({ key, isNamed }) => (isNamed ? [key] : [])),
  )
  const keys = held.flatMap(({ key }) => (kept.has(key) ? [] : [key])).sort()
  const left = held.filter(({ key }) => kept.has(key))
  if (left.length === 0) return { keys, changes: [] }
  const worlds = (await run({ statement: worldsLeft, params: { taskKey } })).map(({ key }) => String(key))
  return { keys, changes: changesOf(left, await wordings(run, left), new Set(worlds)) }
}

type Wordings = ReadonlyMap<string, { texts: ReadonlySet<string>; labels: ReadonlySet<string> }>

const pair = (what: string, source: string): string => `${source}\n${what}`

/** What those that are left are called by those that are left: a merged one's names are its target's, too. */
async function wordings(run: Run, held: readonly Held[]): Promise<Wordings> {
  const into = new Map(held.map(({ key, mergedInto }) => [key, mergedInto]))
  const found = new Map(held.map(({ key }) => [key, { texts: new Set<string>(), labels: new Set<string>() }]))
  const params = { keys: held.map(({ key }) => key) }
  for (const from of [wordingsJudged, wordingsPromised]) {
    for (const row of await run({ statement: from, params })) {
      const { key, label, text, source } = decodeRow(from, wordingRow, row)
      const passed = new Set<string>()
      for (let at: string | null = key; at !== null && !passed.has(at); at = into.get(at) ?? null) {
        passed.add(at)
        if (text !== null) found.get(at)?.texts.add(pair(text, source))
        found.get(at)?.labels.add(pair(normalizeLabel(label), source))
      }
    }
  }
  return found
}

function changesOf(held: readonly Held[], called: Wordings, worlds: ReadonlySet<string>): Change[] {
  return held.flatMap(({ key, worldKey, texts, textSources, labels, labelSources }) => {
    const names = called.get(key)
    const keepsText = texts.map((text, i) => names?.texts.has(pair(text, textSources[i] ?? '')) === true)
    const keepsLabel = labels.map(
      (label, i) => names?.labels.has(pair(label, labelSources[i] ?? '')) === true,
    )
    const keepsWorld = worldKey === null || worlds.has(worldKey)
    if (keepsWorld && keepsText.every(Boolean) && keepsLabel.every(Boolean)) return []
    const properties = {
      worldKey: keepsWorld ? worldKey : null,
      texts: texts.filter((_, i) => keepsText[i]),
      textSources: textSources.filter((_, i) => keepsText[i]),
      labels: labels.filter((_, i) => keepsLabel[i]),
      labelSources: labelSources.filter((_, i) => keepsLabel[i]),
    }
    return [{ key, properties }]
  })
}
