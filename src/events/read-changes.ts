/** Reads the changes since an instant, all records of a project, and their versions. */
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

/** Record that may have changed, by its key in the graph. */
export type ChangeRef = { type: ChangeEvent['type']; key: string }

/** Changed record with its version at the time of the read. */
export type Change = ChangeRef & { version: number }

/** Returns an id that is unique across types. */
export const toChangeId = ({ type, key }: ChangeRef): string => `${type} ${key}`

/**
 * Overlap of reads and cursors. A statement takes the database's time before it waits for a lock, and may commit up to its
 * deadline of 5 s later.
 */
export const OVERLAP_MS = 10_000

/** Computes the cursor before some changes. All earlier changes were reported, except those that are committed late. */
export const cursorBefore = ([first]: readonly Change[], since: number, now: number): number =>
  Math.max(since, Math.min(first?.version ?? since, now - OVERLAP_MS))

/** Number of events that are read and reported at once. */
export const EVENTS_AT_ONCE = 20

const changed = z.array(columns({ key: z.string(), version: z.number() }))
const changesRow = z.object({ now: z.number(), worlds: changed, runs: changed, imports: changed })
const sessionRow = z.object({ key: z.string(), slug: z.string(), version: z.number(), runs: changed })
const placeRow = z.object({ key: z.string(), version: z.number() })
const versionRow = placeRow.extend({ now: z.number() })

/** Reads the database's clock in epoch milliseconds. */
export async function readClock(graph: Graph): Promise<number> {
  const [row] = await readRows(graph, nowStatement, {}, z.object({ now: z.number() }))
  if (row === undefined) throw new Error('events/now gave no row')
  return row.now
}

/** Maximum number of changes of each kind per page, which bounds the memory of a read. */
const CHANGES_AT_ONCE = 1_000

/** Page of changes, and the database's clock at the time of the read. */
export type ChangePage = { now: number; changes: Change[] }

/** Yields pages of the changes since an instant, inclusive, earliest first; of all projects if the project is null. */
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
  // If a kind fills its page, changes after its last one are unknown and wait for the next page. Changes of that same version may
  // appear twice, because the engines order keys differently from JavaScript.
  const full = [worlds, runs, imports].filter(({ length }) => length === CHANGES_AT_ONCE)
  const next = full.flatMap((some) => some.toSorted(inOrder).at(-1) ?? []).sort(inOrder)[0] ?? null
  const changes = [
    ...worlds.map((each) => ({ type: 'session' as const, ...each })),
    ...runs.map((each) => ({ type: 'run' as const, ...each })),
    ...imports.map((each) => ({ type: 'import' as const, ...each })),
  ].filter(({ version }) => next === null || version <= next.version)
  return { now, changes: changes.sort(inOrder), next }
}

/** Position among all changes, in the order of versions. */
type Place = Pick<Change, 'version' | 'key'>

const inOrder = (a: Place, b: Place): number =>
  a.version - b.version || (a.key < b.key ? -1 : Number(a.key > b.key))

/** Page size of a snapshot, whose pages have keys only: the embedded graph sorts all sessions for each page. */
const KEYS_AT_ONCE = 500

/** Yields pages of all records of a project or session: sessions and their runs, then imports, which belong to no session. */
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

/** Reads the current versions of records; leaves out deleted ones. */
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
