/** `turngraph config`: prints the settings in effect. */
import type { Config, ENVIRONMENT, Store } from '../platform/config.ts'
import { action } from './command.ts'
import { printJson, printList } from './output.ts'
import type { Cell } from './table.ts'

export const addConfig = action(
  {
    name: 'config',
    description: 'print the settings in effect, secrets masked',
    options: { json: ['--json', 'print them as one JSON object'] },
  },
  printConfig,
)

async function printConfig({ json }: { json?: boolean | undefined }): Promise<void> {
  const { loadConfig, maskedConfig, ENVIRONMENT } = await import('../platform/config.ts')
  const values = inEffect(maskedConfig(loadConfig(process.env)))
  if (json) return printJson(values)
  await printList(Object.entries(values) as [keyof typeof ENVIRONMENT, Cell][], null, {
    variable: ([name]) => name,
    value: ([, value]) => value,
    set: ([name]) => (process.env[name] ? 'yes' : null),
    meaning: ([name]) => ENVIRONMENT[name].description,
  })
}

/** Maps every variable to its effective value. A new variable without its line here does not compile. */
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
  TURNGRAPH_ALLOWED_HOSTS: config.allowedHosts.join(', ') || null,
  TURNGRAPH_MAX_CONNECTIONS: config.maxConnections,
  TURNGRAPH_WEB: config.web ? 'on' : 'off',
  TURNGRAPH_GENAI_SPANS: config.genAiSpans ? 'on' : 'off',
  TURNGRAPH_LOG: config.logLevel,
  TURNGRAPH_TASK: config.task,
  TURNGRAPH_RUN_ID: process.env.TURNGRAPH_RUN_ID ?? null,
  TURNGRAPH_HOOK_WAIT_MS: config.hookWaitMs,
  TURNGRAPH_URL: config.url,
  TURNGRAPH_TOKEN: config.token,
})

const storeUrl = (store: Store): string =>
  store.kind === 'neo4j' ? store.url : `embedded:${store.folder ?? 'memory'}`
