import type { Command } from 'commander'
import type { Config, ENVIRONMENT, Store } from '../platform/config.ts'
import { printJson } from './output.ts'
import type { Cell } from './table.ts'

export function addConfig(program: Command): void {
  program
    .command('config')
    .description('print the settings in effect, secrets masked')
    .option('--json', 'print them as one JSON object')
    .action(printConfig)
}

async function printConfig({ json }: { json?: boolean }): Promise<void> {
  const { loadConfig, maskedConfig, ENVIRONMENT } = await import('../platform/config.ts')
  // Masked, its shape is the same.
  const values = inEffect(maskedConfig(loadConfig(process.env)) as Config)
  if (json) return printJson(values)
  const { printTable } = await import('./table.ts')
  const variables = Object.entries(values) as [keyof typeof ENVIRONMENT, Cell][]
  printTable(
    ['variable', 'value', 'set', 'meaning'],
    variables.map(([name, value]) => [
      name,
      value,
      process.env[name] ? 'yes' : null,
      ENVIRONMENT[name].description ?? null,
    ]),
  )
}

/** Every variable with the value that Turngraph works with; a further one does not compile without its line. */
const inEffect = (config: Config): Record<keyof typeof ENVIRONMENT, Cell> => ({
  TURNGRAPH_STORE: storeUrl(config.store),
  TURNGRAPH_NEO4J_USER: config.store.kind === 'neo4j' ? config.store.user : null,
  TURNGRAPH_NEO4J_PASSWORD: config.store.kind === 'neo4j' ? config.store.password : null,
  TURNGRAPH_NEO4J_DATABASE: config.store.kind === 'neo4j' ? config.store.database : null,
  TURNGRAPH_DATA: config.dataFolder,
  TURNGRAPH_HOST: config.host,
  TURNGRAPH_PORT: config.port,
  TURNGRAPH_AUTH: config.auth,
  TURNGRAPH_TOKENS: config.tokensFile,
  TURNGRAPH_EXECUTORS: config.executorsFile,
  TURNGRAPH_PROJECT: config.project,
  TURNGRAPH_SYNC: config.store.kind === 'embedded' ? (config.store.sync ? 'on' : 'off') : null,
  TURNGRAPH_ACCEPT_LOSS: config.store.kind === 'embedded' ? (config.store.acceptLoss ? 'on' : 'off') : null,
  TURNGRAPH_TURN_LENGTH_THRESHOLD: config.turnLengthThreshold,
  TURNGRAPH_IMPORT_ROOTS: config.importRoots.join(', ') || null,
  TURNGRAPH_RATE_LIMIT: config.rateLimit,
  TURNGRAPH_MAX_CONNECTIONS: config.maxConnections,
  TURNGRAPH_LOG: config.logLevel,
  TURNGRAPH_URL: config.url,
  TURNGRAPH_TOKEN: config.token,
})

const storeUrl = (store: Store): string =>
  store.kind === 'neo4j' ? store.url : `embedded:${store.folder ?? 'memory'}`
