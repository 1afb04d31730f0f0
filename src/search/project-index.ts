/**
 * Keeps the search index of a project. It is derived from the graph when the project is first searched. Before each later search,
 * the sessions and transcripts that changed since are read, so a search finds every acknowledged write of any process
 * (docs/decisions/search.md).
 */
import { inChunks } from '../core/group-by.ts'
import {
  type ChangeRef,
  listKeys,
  OVERLAP_MS,
  readAll,
  readChanges,
  readClock,
  toChangeId,
} from '../events/read-changes.ts'
import type { Graph } from '../graph/port.ts'
import {
  type ReadSource,
  readCallsOfFiles,
  readCriteriaOfTasks,
  readDeclaredTasks,
  readSessions,
  readTurns,
} from './read-sources.ts'
import { TextIndex } from './text-index.ts'

/** Numbers of nodes per statement, which bound the memory of a read. */
const SESSIONS_AT_ONCE = 100
const TURNS_AT_ONCE = 200
const TASKS_AT_ONCE = 20
const FILES_AT_ONCE = 10

export class ProjectIndex {
  readonly #graph: Graph
  readonly #project: string
  #index = new TextIndex()
  /** Time of the database's clock before which all changes are in the index; null before the first read. */
  #since: number | null = null
  /** Versions of the changes since that time that are in the index. */
  #versions = new Map<string, number>()
  /** Ids of the indexed turns of each session. */
  #turnsOfSession = new Map<string, ReadonlySet<string>>()
  #declared = new Map<string, number>()
  #current: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(graph: Graph, project: string) {
    this.#graph = graph
    this.#project = project
  }

  get texts(): TextIndex {
    return this.#index
  }

  /**
   * Reads all changes that were acknowledged before the call. Calls during a read share the next one, because the read may have
   * passed their changes.
   */
  refresh(): Promise<void> {
    if (this.#current === null) return this.#start()
    this.#next ??= this.#current
      .catch(() => {}) // its callers have the error
      .then(() => {
        this.#next = null
        return this.#start()
      })
    return this.#next
  }

  #start(): Promise<void> {
    const read = this.#since === null ? this.#build() : this.#readChanges(this.#since)
    this.#current = read.finally(() => {
      this.#current = null
    })
    return this.#current
  }

  async #build(): Promise<void> {
    this.#index = new TextIndex()
    this.#turnsOfSession.clear()
    this.#declared.clear()
    this.#versions.clear()
    const since = (await readClock(this.#graph)) - OVERLAP_MS
    for await (const page of readAll(this.#graph, { project: this.#project, worldSlug: null }))
      await this.#update(page)
    await this.#updateDeclared()
    this.#index.settle()
    this.#since = since
  }

  async #readChanges(since: number): Promise<void> {
    let horizon = since
    for await (const { now, changes } of readChanges(this.#graph, since, this.#project)) {
      if (horizon === since) horizon = Math.max(since, now - OVERLAP_MS)
      const changed = changes.filter((change) => this.#versions.get(toChangeId(change)) !== change.version)
      await this.#update(changed)
      for (const change of changed) this.#versions.set(toChangeId(change), change.version)
    }
    await this.#updateDeclared()
    this.#since = horizon
    for (const [id, version] of this.#versions) if (version < horizon) this.#versions.delete(id)
  }

  async #update(changes: readonly ChangeRef[]): Promise<void> {
    const tasks = new Set<string>()
    for (const keys of inChunks(listKeys(changes, 'session'), SESSIONS_AT_ONCE))
      for (const taskKey of await this.#updateSessions(keys)) tasks.add(taskKey)
    await this.#updateCriteria([...tasks])
    for (const keys of inChunks(listKeys(changes, 'import'), FILES_AT_ONCE))
      this.#put(await readCallsOfFiles(this.#graph, keys))
  }

  /** Updates the turns of sessions, and returns the keys of their tasks. */
  async #updateSessions(keys: readonly string[]): Promise<string[]> {
    const sessions = await readSessions(this.#graph, keys)
    const found = new Map(sessions.map((session) => [session.key, session.turns]))
    const missing: string[] = []
    for (const key of keys) {
      const turns = found.get(key) ?? []
      const ids = new Set(turns.map(({ id }) => id))
      for (const id of this.#turnsOfSession.get(key) ?? []) if (!ids.has(id)) this.#index.remove(id)
      if (ids.size > 0) this.#turnsOfSession.set(key, ids)
      else this.#turnsOfSession.delete(key)
      for (const turn of turns) if (this.#index.get(turn.id)?.digest !== turn.digest) missing.push(turn.key)
    }
    for (const some of inChunks(missing, TURNS_AT_ONCE)) this.#put(await readTurns(this.#graph, some))
    return sessions.map(({ taskKey }) => taskKey)
  }

  async #updateCriteria(taskKeys: readonly string[]): Promise<void> {
    for (const keys of inChunks(taskKeys, TASKS_AT_ONCE))
      this.#put(await readCriteriaOfTasks(this.#graph, keys))
  }

  /** Updates the criteria of tasks that were declared and have no session. */
  async #updateDeclared(): Promise<void> {
    const declared = await readDeclaredTasks(this.#graph, this.#project)
    const changed = declared.filter(({ key, version }) => this.#declared.get(key) !== version)
    await this.#updateCriteria(changed.map(({ key }) => key))
    this.#declared = new Map(declared.map(({ key, version }) => [key, version]))
  }

  #put(read: readonly ReadSource[]): void {
    for (const { source, texts } of read)
      if (this.#index.get(source.id)?.digest !== source.digest) this.#index.put(source, texts)
  }
}
