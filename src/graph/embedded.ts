// Adapts Grafeo, the embedded engine, to the port of the graph.
import { constants, type Dirent, existsSync, readdirSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import grafeo from '@grafeo-db/js'
import { diskError, TurngraphError } from '../core/errors.ts'
import { systemCode } from '../core/system-code.ts'
import { hasHolder, inUseError, removeHolder, writeHolder } from '../platform/data-folder/holder.ts'
import { makeDataFolder } from '../platform/data-folder/make-data-folder.ts'
import { isTrackedByGit } from '../platform/data-folder/own-file.ts'
import { makePrivate } from '../platform/data-folder/private-file.ts'
import { quoteForShell } from '../rules/command-line.ts'
import { Acknowledged, HOW_TO_GO_ON } from './acknowledged.ts'
import { deadlineFromNow, withDeadline } from './deadline.ts'
import { GraphFile } from './graph-file.ts'
import { readLastCommit } from './last-commit.ts'
import {
  type Graph,
  type GraphHealth,
  type GraphSource,
  inOrder,
  type Params,
  type Row,
  type Run,
  type Step,
} from './port.ts'
import type { Statement } from './statements.ts'
import { WriteAheadLog } from './write-ahead-log.ts'

export type EmbeddedOptions = {
  /** The folder that holds the graph; `null` keeps it in memory. */
  folder: string | null
  /** Wait for the disk before a write is acknowledged (TURNGRAPH_SYNC). */
  sync?: boolean
  /** Open the graph although acknowledged writes are lost (TURNGRAPH_ACCEPT_LOSS). The rest becomes the whole graph. */
  acceptLoss?: boolean
  /** For tests: rows without ORDER BY come in random order. */
  shuffleUnordered?: boolean
}

type Job = {
  work: () => Promise<unknown>
  deadline: number
  resolve: (answer: unknown) => void
  reject: (error: unknown) => void
}

/** Grafeo, in this process: one file with a log. Writes wait in a queue: concurrent ones conflict, and retries are slower. */
export class EmbeddedGraph implements Graph {
  readonly engine = 'embedded'
  readonly #db: InstanceType<typeof grafeo.GrafeoDB>
  readonly #folder: string | null
  readonly #log: WriteAheadLog | null
  readonly #file: GraphFile | null
  readonly #acknowledged: Acknowledged | null
  /** Last commit that changed the graph. The engine also counts commits without changes, but does not log them. */
  #committed = 0
  readonly #queue: Job[] = []
  #checkpoints: NodeJS.Timeout | undefined
  #working: Promise<void> | null = null
  #broken: unknown = null
  /** The disk error of the last write, or null if the last write succeeded. */
  #fault: TurngraphError | null = null
  #closed = false
  #revision = 0
  readonly source = {
    engine: 'embedded' as const,
    revision: () => this.#revision,
    copyTo: (file: string) => this.#enqueue(() => this.#copyTo(file)),
  } satisfies GraphSource

  static open(options: EmbeddedOptions): EmbeddedGraph {
    return new EmbeddedGraph(options)
  }

  private constructor(options: EmbeddedOptions) {
    const { folder, sync = true, acceptLoss = false, shuffleUnordered = false } = options
    this.#folder = folder
    if (folder === null) {
      this.#db = grafeo.GrafeoDB.create(null, { shuffleUnordered })
      this.#log = null
      this.#file = null
      this.#acknowledged = null
      return
    }
    const file = path.join(folder, GRAPH_FILE)
    refusePlantedFiles(folder)
    const acknowledged = new Acknowledged(folder)
    try {
      makeDataFolder(folder)
      if (!acceptLoss) refuseLossBeforeOpening(folder, file, acknowledged)
      this.#db = grafeo.GrafeoDB.create(file, { shuffleUnordered, walSalvage: acceptLoss })
      // The engine creates these files readable for everybody.
      makePrivate(file)
      makePrivate(`${file}.wal`)
    } catch (cause) {
      if (cause instanceof TurngraphError) throw cause
      throw diskError(cause, folder) ?? openFailed(folder, cause)
    }
    this.#acknowledged = sync ? acknowledged : null
    this.#file = new GraphFile(file)
    this.#committed = Number(this.#db.currentEpoch())
    const loss = acknowledged.lossAfter(this.#committed)
    if (loss !== null) {
      if (!acceptLoss) {
        this.#db.close()
        throw loss
      }
      acknowledged.acceptLossAfter(this.#committed)
      process.emitWarning(loss.message, 'TurngraphLoss')
    }
    this.#checkpoints = setTimeout(
      () => this.#db.setCheckpointTriggers(CHECKPOINTS),
      CHECKPOINTS.intervalMs,
    ).unref()
    this.#log = sync ? new WriteAheadLog(`${file}.wal`) : null
    writeHolder(folder)
  }

  async read(statement: Statement, params: Params, deadline = deadlineFromNow()): Promise<Row[]> {
    this.#refuseIfUnusable()
    return withDeadline(deadline, () => this.#execute(statement, params))
  }

  /** Grafeo 0.6 cannot cancel a running query. The caller measures the time; this settles when the engine is done. */
  async readLong(statement: Statement, params: Params): Promise<Row[]> {
    this.#refuseIfUnusable()
    return this.#execute(statement, params)
  }

  write(steps: readonly [Step, ...Step[]], deadline?: number): Promise<Row[][] | null> {
    if (steps.length > 1) return this.transact((run) => inOrder(steps, run), deadline)
    return this.#enqueue(() => this.#runAlone(steps[0]), deadline)
  }

  transact<T>(work: (run: Run) => Promise<T | null>, deadline?: number): Promise<T | null> {
    return this.#enqueue(() => this.#runTogether(work), deadline)
  }

  #enqueue<T>(work: () => Promise<T>, deadline = deadlineFromNow()): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#refuseIfUnusable()
      this.#queue.push({ work, deadline, resolve: resolve as Job['resolve'], reject })
      this.#working ??= this.#drain()
    })
  }

  schema(commands: readonly string[]): Promise<void> {
    return this.#enqueue(async () => {
      this.#revision++
      for (const command of commands) {
        this.#noteCommit((await this.#db.executeCypher(toOneProperty(command))).counters)
        const index = indexFor(command)
        if (index !== null) await this.#db.executeCypher(index)
      }
    })
  }

  /** Reports the graph as healthy after a disk error only when another write has succeeded. */
  async health(): Promise<GraphHealth> {
    this.#refuseIfUnusable()
    this.#file?.refuseIfGone()
    if (this.#fault === null) await this.#db.executeCypher('RETURN 1')
    else await this.#enqueue(() => this.#tryToWrite())
    return { engine: 'embedded', version: `Grafeo ${this.#db.version()}` }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    await this.#working
    this.#closed = true
    clearTimeout(this.#checkpoints)
    await this.#log?.close()
    this.#acknowledged?.close()
    try {
      // Remove the holder before another process can take the folder.
      if (this.#folder !== null) removeHolder(this.#folder)
      this.#db.close()
    } catch (cause) {
      // A full disk has no room for the last checkpoint. The log has all acknowledged writes; the next opening reads it.
      if (this.#diskError(cause) === null) throw cause
    }
  }

  /** Runs the queued jobs until the queue is empty. Jobs that waited together share one sync of the log. */
  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      const settled: ((unsynced: TurngraphError | null) => void)[] = []
      for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
        settled.push(await this.#run(job))
        if (settled.length === MAX_SHARING) break
      }
      const unsynced = await this.#sync()
      for (const settle of settled) settle(unsynced)
    }
    this.#working = null
  }

  async #sync(): Promise<TurngraphError | null> {
    try {
      await this.#log?.sync()
      this.#file?.refuseIfGone()
      this.#acknowledged?.write(this.#committed)
      return null
    } catch (cause) {
      if (cause instanceof TurngraphError) return cause
      // The log could not be opened. The next sync also covers the writes of this one.
      if (!isFailedSync(cause)) return this.#diskError(cause) ?? brokenError(cause)
      // After a failed sync the content of the disk is unknown: no further write is acknowledged.
      this.#broken = cause
      return brokenError(cause)
    }
  }

  /** Runs one transaction. Even a refusal waits for the sync, because it may depend on an unsynced write. */
  async #run(job: Job): Promise<(unsynced: TurngraphError | null) => void> {
    const { work, resolve, reject } = job
    const onceSynced = (settle: () => void) => (unsynced: TurngraphError | null) =>
      unsynced === null ? settle() : reject(unsynced)
    if (performance.now() > job.deadline)
      return () => reject(new TurngraphError('timeout', 'The write waited too long in the queue.'))
    try {
      const answer = await work()
      return onceSynced(() => resolve(answer))
    } catch (cause) {
      const error = this.#diskError(cause) ?? cause
      return onceSynced(() => reject(error))
    }
  }

  async #execute(statement: Statement, params: Params): Promise<Row[]> {
    try {
      const result = await this.#db.executeCypher(statement.text, params)
      return result.toArray()
    } catch (cause) {
      throw this.#diskError(cause) ?? cause
    }
  }

  #diskError(cause: unknown): TurngraphError | null {
    const error = diskError(cause, this.#folder ?? undefined)
    if (error !== null) this.#fault = error
    return error
  }

  /** Writes as much as a large capture, so that a disk with room for only a few bytes does not pass. */
  async #tryToWrite(): Promise<void> {
    const { counters } = await this.#db.executeCypher(
      'CREATE (probe:SchemaMigrationLock {rev: $text}) WITH probe DELETE probe RETURN 1 AS written',
      { text: ' '.repeat(PROBE_BYTES) },
    )
    this.#noteCommit(counters)
    this.#fault = null
  }

  /** Copies the file with the whole content of the log. No write and no checkpoint runs during the copy. */
  async #copyTo(file: string): Promise<void> {
    if (this.#folder === null) return this.#db.save(file)
    clearTimeout(this.#checkpoints)
    this.#db.setCheckpointTriggers({})
    try {
      this.#db.walCheckpoint()
      await copyFile(path.join(this.#folder, GRAPH_FILE), file, constants.COPYFILE_FICLONE)
    } finally {
      this.#db.setCheckpointTriggers(CHECKPOINTS)
    }
  }

  async #runAlone({ statement, params }: Step): Promise<Row[][] | null> {
    this.#revision++
    const result = await this.#db.executeCypher(statement.text, params)
    this.#noteCommit(result.counters)
    const rows = result.toArray()
    return rows.length === 0 ? null : [rows]
  }

  #noteCommit(...changes: readonly grafeo.WriteCounters[]): void {
    const wrote = changes.some((counters) => Object.values(counters).some((count) => count > 0))
    if (wrote) this.#committed = Number(this.#db.currentEpoch())
  }

  async #runTogether<T>(work: (run: Run) => Promise<T | null>): Promise<T | null> {
    const transaction = this.#db.beginTransaction()
    this.#revision++
    const changes: grafeo.WriteCounters[] = []
    let result: T | null
    try {
      result = await work(async ({ statement, params }) => {
        const answer = await transaction.executeCypher(statement.text, params)
        changes.push(answer.counters)
        return answer.toArray()
      })
    } catch (cause) {
      if (transaction.isActive) transaction.rollback()
      throw cause
    }
    // The engine has already rolled back a commit that failed.
    if (result === null) {
      transaction.rollback()
      return null
    }
    transaction.commit()
    this.#noteCommit(...changes)
    return result
  }

  #refuseIfUnusable(): void {
    if (this.#broken !== null) throw brokenError(this.#broken)
    if (this.#closed) throw new TurngraphError('store_unavailable', 'The embedded graph is closed.')
  }
}

const MAX_SHARING = 64
const PROBE_BYTES = 64 * 1024
const GRAPH_FILE = 'graph.db'
const LOG_FOLDER = `${GRAPH_FILE}.wal`
/**
 * The engine's checkpoints are off by default. A checkpoint writes the changes since the last one and blocks
 * other writes. With a checkpoint every 50 ms, p95 was four times as long. With a checkpoint every second, an
 * import of 400 MB of transcripts took a quarter more CPU time. After a crash, the next start reads the log: 19 MB
 * take 0.2 s. A timer enables checkpoints when the first one is due, because the engine's checkpoint thread delays
 * a close by 100 ms. A close also writes a checkpoint.
 */
const CHECKPOINTS = { intervalMs: 5_000, walBytes: 16 * 1024 * 1024 }

const isFailedSync = (cause: unknown): boolean =>
  cause instanceof Error && 'syscall' in cause && ['fsync', 'fdatasync'].includes(String(cause.syscall))

const brokenError = (cause: unknown): TurngraphError =>
  new TurngraphError('store_unavailable', `The embedded graph could not be written to disk: ${cause}.`, {
    hint: 'Check the disk, then start again: all acknowledged writes are stored.',
    cause,
  })

/** Reduces an index to its first property, by which statements find nodes. Grafeo keeps one index per property in memory. */
const toOneProperty = (command: string): string =>
  command.replace(/^(CREATE INDEX .* ON \([^,)]+),[^)]*\)$/is, '$1)')

/** Returns the index for a constraint, because Grafeo does not find nodes by constraints. Neo4j rejects such an index. */
function indexFor(command: string): string | null {
  const found = command.match(
    /CREATE CONSTRAINT (\w+) IF NOT EXISTS FOR \((\w+):(\w+)\) REQUIRE \2\.(\w+) IS UNIQUE/i,
  )
  if (found === null) return null
  const [, name, variable, label, property] = found
  return `CREATE INDEX ${name}_index IF NOT EXISTS FOR (${variable}:${label}) ON (${variable}.${property})`
}

/**
 * Detects lost writes before the engine opens the graph for writing, if the graph was not closed properly.
 * The engine truncates a log that it cannot read to the end, and closing writes the rest into the graph's
 * file and removes the log. A rejected opening must leave both unchanged for a repair or a copy. If the
 * commit cannot be read here, the opening itself fails and reports the reason.
 */
function refuseLossBeforeOpening(folder: string, file: string, acknowledged: Acknowledged): void {
  const isThere = existsSync(file)
  if (isThere && !hasHolder(folder)) return
  const lastCommit = isThere ? readLastCommit(file) : 0
  const loss = lastCommit === null ? null : acknowledged.lossAfter(lastCommit)
  if (loss !== null) throw loss
}

/**
 * The files that the engine and this adapter write, delete or follow. The engine makes more files by adding to the name of the graph's
 * file, such as `graph.db.creating` and `graph.db.spill`. It makes none with the usual suffix of a copy, such as
 * `graph.db.bak`.
 */
const GRAPH_FILES = /^(graph\.(db(?!\.(bak|backup|copy|old|orig)$)|acknowledged)|holder\.json$)/
const MAY_BE_FOLDER = /^graph\.db/

/** Rejects planted files: a repository must bring no graph, a link overwrites a file of the user, and a FIFO may block. */
function refusePlantedFiles(folder: string): void {
  for (const found of listFolder(folder)) {
    if (!GRAPH_FILES.test(found.name)) continue
    const file = path.join(folder, found.name)
    if (!found.isFile() && !(found.isDirectory() && MAY_BE_FOLDER.test(found.name))) {
      const kind = found.isSymbolicLink() ? 'a symbolic link' : 'not a regular file'
      throw new TurngraphError('invalid_request', `${file} is not used: it is ${kind}.`, {
        hint: `Remove it: rm ${quoteForShell(file)}`,
      })
    }
    if (isTrackedByGit(file)) throw trackedByGit(file)
  }
}

function listFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return []
    throw diskError(cause, folder) ?? openFailed(folder, cause)
  }
}

const trackedByGit = (file: string): TurngraphError =>
  new TurngraphError(
    'invalid_request',
    `${file} is not used: git tracks it, so its content may come from another person.`,
    {
      hint: `If it is yours, remove it from git: git rm --cached ${quoteForShell(file)}. Otherwise remove it: rm ${quoteForShell(file)}`,
    },
  )

function openFailed(folder: string, cause: unknown): TurngraphError {
  const text = cause instanceof Error ? cause.message : String(cause)
  const isSystemError = /os error|^E[A-Z]+:/.test(text)
  if (text.includes(LOCKED) && !isSystemError) return inUseError(folder, cause)
  const reason = text.replace(/^.*?GRAFEO-\w+: /s, '')
  return new TurngraphError('store_unavailable', `The graph in ${folder} cannot be opened: ${reason}`, {
    hint: isSystemError ? CHECK_FOLDER : text.includes(LOG_FOLDER) ? HOW_TO_GO_ON : HOW_TO_RESTORE,
    cause,
  })
}

/** The engine's error code if another process has locked the file. A missing permission has the same code. */
const LOCKED = 'GRAFEO-X001'
const CHECK_FOLDER = 'Check that the folder exists and is writable.'
const HOW_TO_RESTORE =
  'Restore it from an export into a new folder (TURNGRAPH_DATA=NEW turngraph restore FILE), or put a copy of this one in its place.'

export type Copy = Pick<InstanceType<typeof grafeo.GrafeoDB>, 'executeCypher' | 'close'>

/** Opens a copy made by `copyTo`, in another process: code that runs there cannot reach the graph itself. */
export const readOnlyCopy = (file: string): Copy => grafeo.GrafeoDB.openReadOnly(file)
