/** `turngraph migrate`: brings the graph's schema up to date. */
import { TurngraphError } from '../core/errors.ts'
import { EXIT } from '../core/exit-codes.ts'
import type { Config } from '../platform/config.ts'
import { action } from './command.ts'
import { printNote, printText } from './output.ts'

export const addMigrate = action(
  {
    name: 'migrate',
    description: "bring the graph's schema up to date (a server and every command do so by themselves)",
    options: { check: ['--check', 'change nothing; exit code 8 where migrations are pending'] },
  },
  migrateStore,
)

async function migrateStore({ check = false }: { check?: boolean | undefined }): Promise<void> {
  const { loadConfig } = await import('../platform/config.ts')
  const { openGraph } = await import('../graph/open.ts')
  const { migrate, migrationStatus } = await import('../graph/migrations.ts')
  const { existingStore } = await import('./connect.ts')
  const { runningServer } = await import('./running-server.ts')
  const config = loadConfig(process.env)
  const server = await runningServer(config)
  if (server !== null && holdsOurs(config)) return tellOfServer(server)
  const graph = await openGraph(check ? existingStore(config.store) : config.store)
  try {
    if (check) return printStatus(await migrationStatus(graph))
    const applied = await migrate(graph)
    printText(applied.length === 0 ? 'The schema is current.' : `Applied ${versions(applied)}.`)
  } finally {
    await graph.close()
  }
}

/** True for an embedded graph, which only one process can open. Neo4j accepts this command and the server. */
const holdsOurs = ({ store }: Config): boolean => store.kind === 'embedded' && store.folder !== null

/** Reports the state of the server, which migrated the graph at its start and is ready only with a current schema. */
function tellOfServer({ pid, url, ready }: { pid: number; url: string; ready: boolean }): void {
  if (!ready) {
    throw new TurngraphError('store_unavailable', `The server at ${url} (process ${pid}) is not ready.`, {
      hint: 'It migrates by itself; its log says what it waits for.',
    })
  }
  printText('The schema is current.')
  printNote(`Asked the server at ${url}, which holds the graph.`)
}

function printStatus({ applied, pending }: { applied: readonly string[]; pending: readonly string[] }): void {
  if (applied.length > 0) printText(`Applied: ${versions(applied)}`)
  printText(pending.length === 0 ? 'The schema is current.' : `Pending: ${versions(pending)}`)
  if (pending.length > 0) process.exitCode = EXIT.found.code
}

const versions = (list: readonly string[]): string => list.map((version) => `V${version}`).join(', ')
