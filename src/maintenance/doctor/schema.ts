/** Checks the migrations of a graph, and the constraints and indexes that they create. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { readRows } from '../../graph/decode.ts'
import { loadMigrations, type Migration, migrationStatus } from '../../graph/migrations.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type Finding, Findings, propertyMap } from './finding.ts'

const constraintsThere = statement('doctor/schema', 'constraints')
const indexesThere = statement('doctor/schema', 'indexes')
const migrationChain = statement('graph/migrations')

/** Checks the migrations, and the constraints and indexes that they must have created. */
export async function checkSchema(graph: Graph): Promise<{ examined: number; findings: Finding[] }> {
  const findings = new Findings()
  const migrations = loadMigrations()
  await checkMigrations(graph, migrations, findings)
  const commands = migrations.flatMap((migration) => migration.commands)
  await checkCommands(graph, commands, findings)
  return { examined: migrations.length + commands.length, findings: findings.all }
}

async function checkMigrations(
  graph: Graph,
  migrations: readonly Migration[],
  findings: Findings,
): Promise<void> {
  try {
    const { pending } = await migrationStatus(graph, migrations)
    for (const version of pending) findings.of(null, `V${version}`).add('migration_pending', 'is not applied')
  } catch (error) {
    if (!(error instanceof TurngraphError) || error.cause !== undefined) throw error
    findings.of('SchemaMigration', null).add('migration_changed', error.message)
  }
  const applied = await readRows(graph, migrationChain, {}, chainRow)
  for (const [i, { version, properties, next }] of applied.entries()) {
    findings.of('SchemaMigration', version).record(properties)
    const expected = applied[i + 1] === undefined ? [] : [applied[i + 1]?.version]
    if (JSON.stringify(next) !== JSON.stringify(expected)) {
      const shown = (versions: readonly unknown[]) => (versions.length === 0 ? 'nothing' : versions.join())
      findings
        .of('SchemaMigration', `V${version}`)
        .add('migration_chain', `leads to ${shown(next)}, not to ${shown(expected)}`)
    }
  }
}

const chainRow = z.object({
  version: z.string(),
  properties: propertyMap,
  next: z.array(z.string()),
})

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

async function checkCommands(graph: Graph, commands: readonly string[], findings: Findings): Promise<void> {
  const constraints = await readRows(graph, constraintsThere, {}, schemaRow)
  const indexes = (await readRows(graph, indexesThere, {}, schemaRow)).filter(({ isOnline }) => isOnline)
  for (const command of commands) {
    const [, what, label, listed = ''] = MADE.exec(command) ?? []
    if (label === undefined) continue
    const properties = listed.match(/(?<=\.)\w+/g) ?? []
    if (what === 'CONSTRAINT' && !constraints.some((each) => each.isUnique && isOn(each, label, properties)))
      findings.of(null, `${label}.${properties}`).add('constraint_missing', command)
    if (!hasIndex(graph, indexes, label, properties))
      findings.of(null, `${label}(${properties.join(', ')})`).add('index_missing', command)
  }
}

type Row = z.output<typeof schemaRow>

const isOn = ({ on, of }: Row, label: string, properties: readonly string[]): boolean =>
  on === label && of.join() === properties.join()

/** True if the index exists. An embedded graph has it on the first property only; on Neo4j a constraint creates its own index. */
const hasIndex = (
  { engine }: Graph,
  there: readonly Row[],
  label: string,
  properties: readonly string[],
): boolean => {
  const indexed = engine === 'embedded' ? properties.slice(0, 1) : properties
  return there.some((each) => isOn(each, label, indexed))
}
