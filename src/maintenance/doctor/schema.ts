/** Checks the migrations of a graph, and the constraints and indexes that they create. */
import * as z from 'zod'
import { TurngraphError } from '../../core/errors.ts'
import { readRows } from '../../graph/decode.ts'
import { loadMigrations, type Migration, migrationStatus, schemaGaps } from '../../graph/migrations.ts'
import type { Graph } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { type Finding, Findings, propertyMap } from './finding.ts'

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

async function checkCommands(graph: Graph, commands: readonly string[], findings: Findings): Promise<void> {
  for (const { what, label, properties, command } of await schemaGaps(graph, commands)) {
    if (what === 'constraint') findings.of(null, `${label}.${properties}`).add('constraint_missing', command)
    else findings.of(null, `${label}(${properties.join(', ')})`).add('index_missing', command)
  }
}
