/** Reads what changed since an instant, what there is, and the versions of both. */
import * as z from 'zod'
import { readPages, readRows } from '../graph/decode.ts'
import type { Graph } from '../graph/port.ts'
import { statement } from '../graph/statements.ts'
import { columns } from '../rules/values.ts'
import type { ChangeEvent } from './change-event.ts'

const nowStatement = statement('events/now')
const changesOfAll = statement('events/changes', 'of-all')
const changesOfProject = statement('events/changes', 'of-project')
const sessionsStatement = statement('events/sessions-of-project')
const importsOfProject = statement('events/imports-of-project')
const versionStatements = {
  session: statement('events/versions', 'session'),
  run: statement('events/versions', 'run'),
  import: statement('events/versions', 'import'),
}

/** Something that may have changed, by its key in the graph. */
export type ChangeRef = { type: ChangeEvent['type']; key: string }

/** Something that changed, and the version that it had when it was looked for. */
export type Change = ChangeRef & { version: number }

/** One name of what may have changed, whatever its type. */
export const toChangeId = ({ type, key }: ChangeRef): string => `${type} ${key}`

/**
 * A statement takes its time from the database before it waits for a lock, and commits up to a deadline of 5 s later: each
 * look goes back so far, and so does the cursor of what is told.
 */
export const OVERLAP_MS = 10_000

/** Brings a reader back to where these changes begin: all before was told, but for what may still be committed late. */
export const cursorBefore = ([first]: readonly Change[], since: number, now: number): number =>
  Math.max(since, Math.min(first?.version ?? since, now - OVERLAP_MS))

const EVENTS_AT_ONCE = 20

/** So many are read, and told, at once. */
export function* pieces<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += EVENTS_AT_ONCE) yield all.slice(at, at + EVENTS_AT_ONCE)
}

const changed = z.array(columns({ key: z.string(), version: z.number() }))
const changesRow = z.object({ now: z.number(), worlds: changed, runs: changed, imports: changed })
const sessionRow = z.object({ key: z.string(), slug: z.string(), version: z.number(), runs: changed })
const placeRow = z.object({ key: z.string(), version: z.number() })
const versionRow = placeRow.extend({ now: z.number() })

/** The database's clock, in epoch milliseconds. */
export async function readClock(graph: Graph): Promise<number> {
  const [row] = await readRows(graph, nowStatement, {}, z.object({ now: z.number() }))
  if (row === undefined) throw new Error('events/now gave no row')
  return row.now
}

/** So many of each kind: a look holds no more of them than a page, however much has changed. */
const CHANGES_AT_ONCE = 1_000

/** A page of what changed, and the database's clock at that moment. */
export type ChangePage = { now: number; changes: Change[] }

/** Pages of what changed since an instant, inclusive, the earliest first; of all projects where none is named. */
export async function* readChanges(
  graph: Graph,
  since: number,
  project: string | null = null,
): AsyncGenerator<ChangePage> {
  let after: Place | null = { version: since, key: '' }
  while (after !== null) {
    const page: ChangePage & { next: Place | null } = await readPageAfter(graph, after, project)
    yield page
    after = page.next
  }
}

async function readPageAfter(
  graph: Graph,
  { version: since, key: afterKey }: Place,
  project: string | null,
): Promise<ChangePage & { next: Place | null }> {
  const [from, scope] = project === null ? [changesOfAll, {}] : [changesOfProject, { project }]
  const [row] = await readRows(graph, from, { ...scope, since, afterKey, limit: CHANGES_AT_ONCE }, changesRow)
  if (row === undefined) throw new Error(`${from.name} gave no row`)
  const { now, worlds, runs, imports } = row
  // Where a kind fills its page, nothing after its last change is known. (Others of that very version come twice: engines do not
  // order keys as JavaScript does.)
  const full = [worlds, runs, imports].filter(({ length }) => length === CHANGES_AT_ONCE)
  const next = full.flatMap((some) => some.toSorted(inOrder).at(-1) ?? []).sort(inOrder)[0] ?? null
  const changes = [
    ...worlds.map((each) => ({ type: 'session' as const, ...each })),
    ...runs.map((each) => ({ type: 'run' as const, ...each })),
    ...imports.map((each) => ({ type: 'import' as const, ...each })),
  ].filter(({ version }) => next === null || version <= next.version)
  return { now, changes: changes.sort(inOrder), next }
}

/** A place among all changes, in the order of their versions. */
type Place = Pick<Change, 'version' | 'key'>

const inOrder = (a: Place, b: Place): number =>
  a.version - b.version || (a.key < b.key ? -1 : Number(a.key > b.key))

/** Keys alone: the embedded graph sorts the project's sessions for each page. */
const KEYS_AT_ONCE = 500

/** Pages of all that a project, or one of its sessions, has: sessions and their runs, then imports, which are of no session. */
export async function* readAll(
  graph: Graph,
  { project, worldSlug }: { project: string; worldSlug: string | null },
): AsyncGenerator<Change[]> {
  for (let after: string | null = ''; after !== null; ) {
    const params = { project, worldSlug: worldSlug ?? '', limit: KEYS_AT_ONCE, after }
    const rows: z.output<typeof sessionRow>[] = await readRows(graph, sessionsStatement, params, sessionRow)
    yield rows.flatMap(({ key, version, runs }): Change[] => [
      { type: 'session', key, version },
      ...runs.map((run) => ({ type: 'run' as const, ...run })).sort(inOrder),
    ])
    after = rows.length < KEYS_AT_ONCE ? null : (rows.at(-1)?.slug ?? null)
  }
  if (worldSlug !== null) return
  for await (const imports of readPages(graph, importsOfProject, { project }, placeRow, KEYS_AT_ONCE))
    yield imports.map((each) => ({ type: 'import', ...each }))
}

/** Those of the changes that are there, each at the version that it now has. */
export async function readCurrentVersions(graph: Graph, refs: readonly ChangeRef[]): Promise<ChangePage> {
  const versions = await readVersions(graph, refs)
  const changes = refs.flatMap(({ type, key }) => {
    const version = versions[type].get(key)
    return version === undefined ? [] : [{ type, key, version }]
  })
  return { now: versions.now, changes: changes.sort(inOrder) }
}

export const listKeys = (refs: readonly ChangeRef[], type: Change['type']): string[] =>
  refs.filter((each) => each.type === type).map(({ key }) => key)

export async function readVersions(graph: Graph, refs: readonly ChangeRef[]) {
  let latest = 0
  const of = async (type: Change['type']) => {
    const keys = listKeys(refs, type)
    const rows = keys.length === 0 ? [] : await readRows(graph, versionStatements[type], { keys }, versionRow)
    for (const { now } of rows) latest = Math.max(latest, now)
    return new Map(rows.map(({ key, version }) => [key, version]))
  }
  const [session, run, imported] = await Promise.all([of('session'), of('run'), of('import')])
  return { now: latest, session, run, import: imported }
}
