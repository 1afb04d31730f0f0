// Updates the schema of a graph, and rejects a schema that was changed.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { sha256 } from '../core/keys.ts'
import { retry } from '../core/retry.ts'
import { keyRow, readPages, readRows } from './decode.ts'
import { LABELS, type Label } from './model/nodes.ts'
import { selectKeys } from './model-statements.ts'
import type { Graph } from './port.ts'
import { CYPHER_ROOT, generated, statement } from './statements.ts'

/**
 * A file of `cypher/migrations`, with a name in the format of neo4j-migrations: `V001__what_it_does.cypher`.
 */
export type Migration = {
  version: string
  description: string
  checksum: string
  commands: readonly string[]
}

export type MigrationStatus = { applied: readonly string[]; pending: readonly string[] }

export type MigrateOptions = {
  migrations?: readonly Migration[]
  now?: () => Date
  /**
   * How long the lock of a killed process blocks others on Neo4j. A running migration renews its lock until
   * the end.
   */
  leaseMs?: number
}

const LEASE_MS = 10_000
const WAIT_FOR_LOCK_MS = 30_000
/** Number of nodes that a command changes at once, by label. */
const AT_ONCE: { [L in Label]?: number } = { World: 20, Turn: 100, SupersededTurn: 100 }
const NODES_AT_ONCE = 1_000
/** Time limit for a command on a few nodes, in milliseconds: sessions may be long. */
const NODES_MS = 60_000

/** First part of the name of each lock owner in this process. */
const PROCESS = crypto.randomUUID()

const takeLock = statement('graph/migration-lock')
const renewLock = statement('graph/migration-renew')
const releaseLock = statement('graph/migration-unlock')
const appliedMigrations = statement('graph/migrations')
const recordMigration = statement('graph/migration-record')

const appliedRow = z.object({
  version: z.string(),
  properties: z.object({ description: z.string(), checksum: z.string() }),
})

/** Constraints for the lock and the chain, which must exist before the first migration is recorded. */
const BOOTSTRAP = [
  'CREATE CONSTRAINT schema_migration_version IF NOT EXISTS FOR (n:SchemaMigration) REQUIRE n.version IS UNIQUE',
  'CREATE CONSTRAINT schema_migration_lock_key IF NOT EXISTS FOR (n:SchemaMigrationLock) REQUIRE n.key IS UNIQUE',
]

export function loadMigrations(folder = path.join(CYPHER_ROOT, 'migrations')): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.cypher'))
    .sort()
    .map((file) => {
      const name = file.match(/^V(\d{3})__(\w+)\.cypher$/)
      if (name === null) throw new Error(`${file} is not named like V001__what_it_does.cypher`)
      const text = readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n')
      return {
        version: name[1] ?? '',
        description: (name[2] ?? '').replaceAll('_', ' '),
        checksum: sha256(text),
        commands: text
          .replace(/^\s*\/\/.*$/gm, '')
          .split(';')
          .map((command) => command.trim())
          .filter((command) => command !== ''),
      }
    })
}

/** Compares the files with the chain in the graph. Rejects a changed file of an applied migration. */
export async function migrationStatus(
  graph: Graph,
  migrations: readonly Migration[] = loadMigrations(),
): Promise<MigrationStatus> {
  const applied = await readRows(graph, appliedMigrations, {}, appliedRow)
  for (const { version, properties } of applied) {
    const { description, checksum } = properties
    const file = migrations.find((migration) => migration.version === version)
    if (file === undefined) {
      throw drift(
        `The graph has migration V${version} (${description}), which this version of Turngraph does not know.`,
      )
    }
    if (file.checksum !== checksum) {
      throw drift(`V${version} (${description}) was changed after it had been applied.`)
    }
  }
  const done = new Set(applied.map((migration) => migration.version))
  return {
    applied: [...done],
    pending: migrations.map((migration) => migration.version).filter((version) => !done.has(version)),
  }
}

/** Updates the schema, one process at a time, and returns the versions that it applied. */
export async function migrate(graph: Graph, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { migrations = loadMigrations(), now = () => new Date(), leaseMs = LEASE_MS } = options
  const { pending } = await migrationStatus(graph, migrations)
  if (pending.length === 0) return []
  for (const command of BOOTSTRAP) await graph.schema(command)
  const owner = `${PROCESS} ${crypto.randomUUID()}`
  const locked = new TurngraphError('store_unavailable', 'Another process is migrating the schema.', {
    hint: 'Wait for it. A stale lock expires within ten seconds.',
  })
  await retry(
    async () => {
      if (!(await tryToLock(graph, owner, leaseMs))) throw locked
    },
    { when: (error) => error === locked, until: performance.now() + WAIT_FOR_LOCK_MS, ...LOCK_PAUSES },
  )
  const renew = () => tryToRenew(graph, owner, leaseMs)
  const renewing = renewRegularly(graph, renew, leaseMs)
  try {
    const { applied, pending: left } = await migrationStatus(graph, migrations)
    let previous = applied.at(-1) ?? null
    for (const migration of migrations.filter(({ version }) => left.includes(version))) {
      for (const [i, command] of migration.commands.entries())
        await runCommand(graph, { name: `V${migration.version}.${i + 1}`, command, renew })
      await refuseIfLost(renew)
      const { version, description, checksum } = migration
      const params = { version, previous, description, checksum, appliedAt: now().toISOString() }
      await graph.write([{ statement: recordMigration, params }])
      previous = version
    }
    return left
  } finally {
    clearInterval(renewing)
    await graph.write([{ statement: releaseLock, params: { owner, token: crypto.randomUUID() } }])
  }
}

type Renew = () => Promise<boolean>

/**
 * Runs a command. A command that names the keys of a label, such as `$worldKeys` or `$turnKeys`, runs for a few
 * nodes at a time, because servers limit the size of a transaction. Such a command must end with `RETURN count(*)`,
 * and may run again after its process was killed.
 */
async function runCommand(
  graph: Graph,
  { name, command, renew }: { name: string; command: string; renew: Renew },
): Promise<void> {
  await refuseIfLost(renew)
  const label = LABELS.find((each) => command.includes(`$${toKeysParam(each)}`))
  if (label === undefined) return graph.schema(command)
  const param = toKeysParam(label)
  const change = generated(`migrations/${name}`, `// params: $${param}\n${command}`)
  for await (const some of readPages(graph, selectKeys(label), {}, keyRow, AT_ONCE[label] ?? NODES_AT_ONCE)) {
    const params = { [param]: some.map(({ key }) => key) }
    if (some.length > 0) await graph.write([{ statement: change, params }], performance.now() + NODES_MS)
    await refuseIfLost(renew)
  }
}

/** Returns the name of the parameter with the keys of a few nodes: `supersededTurnKeys`. */
const toKeysParam = (label: Label): string => `${label.charAt(0).toLowerCase()}${label.slice(1)}Keys`

/** Only one process can have an embedded graph, so a lock of another process in it is stale. */
async function tryToLock(graph: Graph, owner: string, leaseMs: number): Promise<boolean> {
  const process = graph.engine === 'embedded' ? PROCESS : null
  const params = { owner, process, token: crypto.randomUUID(), leaseMs }
  return (await graph.write([{ statement: takeLock, params }])) !== null
}

/** The embedded graph needs no renewal because only one process writes to it. */
async function tryToRenew(graph: Graph, owner: string, leaseMs: number): Promise<boolean> {
  if (graph.engine === 'embedded') return true
  const params = { owner, token: crypto.randomUUID(), leaseMs }
  return (await graph.write([{ statement: renewLock, params }])) !== null
}

const LOCK_PAUSES = { firstPauseMs: 100, longestPauseMs: 100 }

/**
 * A command may take longer than the lease. A failed renewal is repeated at the next interval; the migration
 * checks before the next command whether the lease was lost.
 */
function renewRegularly(graph: Graph, renew: Renew, leaseMs: number): NodeJS.Timeout | undefined {
  if (graph.engine === 'embedded') return undefined
  return setInterval(() => void renew().catch(() => false), leaseMs / 3).unref()
}

/**
 * A process that was suspended for longer than its lease may have lost it: another process has migrated the
 * schema, and others have written since then. An old command would change their data.
 */
async function refuseIfLost(renew: Renew): Promise<void> {
  if (await renew()) return
  throw new TurngraphError(
    'store_unavailable',
    'Another process has taken over the migration of the schema.',
    {
      hint: 'Try again when it is done: applied migrations are not repeated.',
    },
  )
}

/** The graph has another schema than this version. A retry does not help. */
export class SchemaMismatch extends TurngraphError {
  constructor(message: string) {
    super('store_unavailable', `The schema does not fit: ${message}`, {
      hint: 'Run the Turngraph version that wrote this graph, or restore the migration file; never edit an applied one.',
    })
  }
}

const drift = (message: string): TurngraphError => new SchemaMismatch(message)
