// Updates the schema of a graph, and rejects a schema that was changed.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { sha256 } from '../core/keys.ts'
import { readRows } from './decode.ts'
import { type Graph, toStep } from './port.ts'
import { CYPHER_ROOT, statement } from './statements.ts'

/**
 * A file of `cypher/migrations`, with a name in the format of neo4j-migrations: `V001__what_it_does.cypher`. Its
 * commands are repeatable. They change either the schema or data, because Neo4j runs them in one transaction.
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
}

/** Longest time for all migrations, and for the wait for another process. */
const MIGRATE_MS = 30 * 60_000

const takeLock = statement('graph/migration-lock')
const appliedMigrations = statement('graph/migrations')
const recordMigration = statement('graph/migration-record')
const constraintsThere = statement('graph/schema', 'constraints')
const indexesThere = statement('graph/schema', 'indexes')

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

/** Rejects a graph of an earlier schema, a changed file of an applied migration, and an unknown migration. */
export async function migrationStatus(
  graph: Graph,
  migrations: readonly Migration[] = loadMigrations(),
): Promise<MigrationStatus> {
  const applied = await readRows(graph, appliedMigrations, {}, appliedRow)
  for (const { version, properties } of applied) {
    const { description, checksum } = properties
    const file = migrations.find((migration) => migration.version === version)
    if (version === FIRST && file?.description !== description)
      throw new SchemaMismatch(EARLIER, HOW_TO_BRING)
    if (file === undefined) {
      throw new SchemaMismatch(
        `The graph has migration V${version} (${description}), which this version of Turngraph does not know.`,
      )
    }
    if (file.checksum !== checksum) {
      throw new SchemaMismatch(`V${version} (${description}) was changed after it had been applied.`)
    }
  }
  const done = new Set(applied.map((migration) => migration.version))
  return {
    applied: [...done],
    pending: migrations.map((migration) => migration.version).filter((version) => !done.has(version)),
  }
}

/** Version of the first migration. Its description is different in graphs with the earlier list of migrations. */
const FIRST = '001'

/**
 * Updates the schema, one process at a time, and returns the versions that it applied. On Neo4j an open transaction holds the lock
 * while other transactions apply the migrations, so the lock of a killed process ends with its connection. An embedded graph needs no
 * lock, because only one process can open it.
 */
export async function migrate(graph: Graph, options: MigrateOptions = {}): Promise<readonly string[]> {
  const { migrations = loadMigrations(), now = () => new Date() } = options
  const { pending } = await migrationStatus(graph, migrations)
  if (pending.length === 0) return []
  await graph.schema(BOOTSTRAP)
  if (graph.engine === 'embedded') return applyPending(graph, migrations, now)
  const applied = await graph.transact(async (run) => {
    await run(toStep(takeLock, { token: crypto.randomUUID() }))
    return applyPending(graph, migrations, now)
  }, performance.now() + MIGRATE_MS)
  return applied ?? []
}

async function applyPending(
  graph: Graph,
  migrations: readonly Migration[],
  now: () => Date,
): Promise<readonly string[]> {
  const { applied, pending } = await migrationStatus(graph, migrations)
  let previous = applied.at(-1) ?? null
  for (const { version, description, checksum, commands } of migrations) {
    if (!pending.includes(version)) continue
    await graph.schema(commands)
    await refuseTakenNames(graph, commands)
    const params = { version, previous, description, checksum, appliedAt: now().toISOString() }
    await graph.write([toStep(recordMigration, params)])
    previous = version
  }
  return pending
}

/**
 * Rejects a constraint that was not created. Neo4j creates nothing, and reports no error, if a constraint or index of another
 * program has the same name. The graph would then accept two nodes with one key.
 */
async function refuseTakenNames(graph: Graph, commands: readonly string[]): Promise<void> {
  const missing = (await schemaGaps(graph, commands)).find(({ what }) => what === 'constraint')
  if (missing === undefined) return
  throw new SchemaMismatch(
    `another constraint or index has the name of this one: ${missing.command}.`,
    HOW_TO_SHARE,
  )
}

export const HOW_TO_SHARE =
  'Another program uses this database. Give Turngraph a database of its own, or remove what is in the way (`SHOW CONSTRAINTS`, `SHOW INDEXES`).'

type SchemaGap = {
  what: 'constraint' | 'index'
  label: string
  properties: readonly string[]
  command: string
}

/** Returns the constraints and indexes that the commands of migrations create and the graph does not have. */
export async function schemaGaps(graph: Graph, commands: readonly string[]): Promise<SchemaGap[]> {
  const constraints = await readRows(graph, constraintsThere, {}, schemaRow)
  const indexes = (await readRows(graph, indexesThere, {}, schemaRow)).filter(({ isOnline }) => isOnline)
  const gaps: SchemaGap[] = []
  for (const command of commands) {
    const [, made, label, listed = ''] = MADE.exec(command) ?? []
    if (label === undefined) continue
    const properties = listed.match(/(?<=\.)\w+/g) ?? []
    const gap = { label, properties, command }
    if (made === 'CONSTRAINT' && !constraints.some((each) => each.isUnique && isOn(each, label, properties)))
      gaps.push({ what: 'constraint', ...gap })
    // An embedded graph has an index on the first property only. On Neo4j, a constraint creates its own index.
    const indexed = graph.engine === 'embedded' ? properties.slice(0, 1) : properties
    if (!indexes.some((each) => isOn(each, label, indexed))) gaps.push({ what: 'index', ...gap })
  }
  return gaps
}

const texts = z
  .union([z.string(), z.array(z.string())])
  .nullish()
  .transform((value) => (typeof value === 'string' ? [value] : (value ?? [])))

/** Row of a constraint or index. The engines name the columns differently. */
const schemaRow = z
  .object({
    type: z.string().nullish(),
    state: z.string().nullish(),
    label: texts,
    labelsOrTypes: texts,
    property: texts,
    properties: texts,
  })
  .transform(({ type, state, label, labelsOrTypes, property, properties }) => ({
    isUnique: (type ?? '').includes('UNIQUE'),
    isOnline: state == null || state === 'ONLINE',
    on: [...label, ...labelsOrTypes].join(),
    of: [...property, ...properties],
  }))

/** Matches a migration command that creates a constraint or an index, with its label and its properties. */
const MADE = /^CREATE (CONSTRAINT|INDEX) \w+ IF NOT EXISTS FOR \(\w+:(\w+)\) (?:REQUIRE|ON) (.+)$/i

type Row = z.output<typeof schemaRow>

const isOn = ({ on, of }: Row, label: string, properties: readonly string[]): boolean =>
  on === label && of.join() === properties.join()

/** The graph has another schema than this version. A retry does not help. */
export class SchemaMismatch extends TurngraphError {
  constructor(message: string, hint = HOW_TO_FIT) {
    super('store_unavailable', `The schema does not fit: ${message}`, { hint })
  }
}

const HOW_TO_FIT =
  'Run the Turngraph version that wrote this graph, or restore the migration file; never edit an applied one.'
const EARLIER =
  'An earlier version of Turngraph wrote this graph, and no migration leads from its schema to this one.'
const HOW_TO_BRING =
  'Export the graph with the version that wrote it (`turngraph export --out FILE`), and restore the file into an empty store with this version (`turngraph restore FILE`).'
