// Reads the configuration from the environment.
import path from 'node:path'
import { closestMatch } from 'leven'
import * as z from 'zod'
import { TurngraphError } from '../core/errors.ts'
import { scrubText } from '../core/scrub/scrub.ts'
import { findDataFolder } from './data-folder/find-data-folder.ts'
import { refusePlantedLink } from './data-folder/own-file.ts'
import { refuseUntrusted } from './data-folder/private-file.ts'
import { isLoopback } from './loopback.ts'
import { isServiceAddress } from './service-proof.ts'

const onOff = (byDefault: 'on' | 'off', meaning: string) =>
  z.enum(['on', 'off']).default(byDefault).describe(meaning)
const whole = (least: number, message?: string) => z.coerce.number(message).int().min(least)
const optionalText = (meaning: string) => z.string().optional().describe(meaning)

/** Environment variables of Turngraph. docs/operations.md, which is generated from this schema, lists meanings and defaults. */
const environmentSchema = z.object({
  TURNGRAPH_STORE: z
    .string()
    .regex(
      /^(embedded:.*|(neo4j|bolt)(\+s|\+ssc)?:\/\/.+)$/,
      'must be embedded:FOLDER, embedded:memory, neo4j://… or bolt://…',
    )
    .optional()
    .describe(
      'where the graph is: `embedded:FOLDER`, `embedded:memory`, `neo4j://…`, `bolt://…`, `neo4j+s://…`',
    ),
  TURNGRAPH_NEO4J_USER: z.string().default('neo4j').describe('the user of a Neo4j store'),
  TURNGRAPH_NEO4J_PASSWORD: optionalText('its password'),
  TURNGRAPH_NEO4J_DATABASE: z.string().default('neo4j').describe('its database'),
  TURNGRAPH_DATA: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the folder of the graph, the token and server.json (default: the nearest `.turngraph` that is in use, in the working folder or above it in its repository; otherwise `.turngraph` in the working folder)',
    )
    .meta({ default: '.turngraph' }),
  TURNGRAPH_HOST: z.string().default('127.0.0.1').describe('the address to listen on'),
  TURNGRAPH_PORT: whole(0, 'must be a whole number, 0 to 65535')
    .max(65535)
    .default(7480)
    .describe('the port; 0 is any free one'),
  TURNGRAPH_AUTH: z
    .enum(['token', 'off'])
    .default('token')
    .describe('`token`, or `off` on a loopback address only'),
  TURNGRAPH_TOKENS: optionalText(
    'a file of further tokens, hashed, with scopes (default: tokens.json in the folder of TURNGRAPH_DATA)',
  ).meta({ default: 'tokens.json' }),
  TURNGRAPH_EXECUTORS: optionalText(
    'a file that names the executors a world may use; `external` is always there',
  ),
  TURNGRAPH_PROJECT: z.string().min(1).default('default').describe('the project of callers that name none'),
  TURNGRAPH_TURN_LENGTH_THRESHOLD: whole(0, 'must be a whole number')
    .default(5)
    .describe('turns of transcripts with more calls are long'),
  TURNGRAPH_SYNC: onOff('on', '`off`: the embedded graph does not wait for the disk'),
  TURNGRAPH_ACCEPT_LOSS: onOff(
    'off',
    '`on`: an embedded graph is opened although acknowledged writes are lost',
  ),
  TURNGRAPH_IMPORT_ROOTS: optionalText('folders the server itself may import from, separated like PATH'),
  TURNGRAPH_ALLOWED_HOSTS: z
    .string()
    .regex(/^[^\s/,]+(\s*,\s*[^\s/,]+)*$/, 'must be names or name:port, separated by commas')
    .optional()
    .describe(
      'names under which the service is reached in addition to its address, `name` or `name:port`, separated by commas; a service on a loopback address, or with names listed, refuses requests with another Host or Origin',
    ),
  TURNGRAPH_RATE_LIMIT: whole(0)
    .optional()
    .describe('requests a minute and token; 0 is none (default: none on loopback, else 600)'),
  TURNGRAPH_MAX_CONNECTIONS: whole(1, 'must be a whole number of at least 1')
    .default(2000)
    .describe('connections at a time; fewer where the process may not open so many files'),
  TURNGRAPH_WEB: onOff('on', '`off`: the service serves no page'),
  TURNGRAPH_GENAI_SPANS: onOff(
    'off',
    '`on`: operations on the memory are spans after the GenAI conventions of OpenTelemetry, verifications their events',
  ),
  TURNGRAPH_LOG: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('the level of the log, JSON lines on standard error'),
  TURNGRAPH_TASK: optionalText(
    'the task of a session of Claude Code, for its hooks, and of commands that name none: `FEATURE/TASK`, or as `.turngraph/task.json`; `none` excludes the session',
  ),
  TURNGRAPH_RUN_ID: optionalText(
    'the run of an orchestrator: all its processes use one world (`turngraph.guardkit` of the Python client)',
  ),
  TURNGRAPH_HOOK_WAIT_MS: whole(1, 'must be a whole number of at least 1')
    .optional()
    .describe(
      'wait of a Claude Code hook for the service, in milliseconds (default: 150, at the start of a session 2000)',
    ),
  TURNGRAPH_URL: z
    .string()
    .trim()
    .refine(
      isServiceAddress,
      'must be an address such as http://127.0.0.1:7480, without a user and a password',
    )
    .optional()
    .describe('the service that commands go through'),
  TURNGRAPH_TOKEN: optionalText('the token that commands show to that service'),
})

export type Store =
  | { kind: 'embedded'; folder: string | null; sync: boolean; acceptLoss?: boolean }
  | { kind: 'neo4j'; url: string; user: string; password: string | null; database: string }

export type Config = ReturnType<typeof loadConfig>

export const ENVIRONMENT = environmentSchema.shape

/** Reads the environment. @throws `invalid_request` that names each invalid variable */
export function loadConfig(environment: NodeJS.ProcessEnv, folder = process.cwd()) {
  const set = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = environmentSchema.safeParse(set)
  const unknown = findUnknownVariables(set)
  if (!parsed.success || unknown.length > 0) {
    const problems = [
      ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
      ...unknown,
    ]
    throw new TurngraphError('invalid_request', `The configuration does not fit: ${problems.join('; ')}`, {
      hint: 'Without these variables, `turngraph config` lists every variable with its meaning.',
      details: { problems },
    })
  }
  const env = parsed.data
  const dataFolder =
    env.TURNGRAPH_DATA === undefined ? findDataFolder(folder) : path.resolve(folder, env.TURNGRAPH_DATA)
  refuseUntrusted(() => refusePlantedLink(dataFolder))
  const resolveFile = (file: string | undefined) => (file === undefined ? null : path.resolve(folder, file))
  const loopback = isLoopback(env.TURNGRAPH_HOST)
  if (env.TURNGRAPH_AUTH === 'off' && !loopback) {
    throw new TurngraphError('invalid_request', 'TURNGRAPH_AUTH=off is for a loopback address only.', {
      hint: 'Set TURNGRAPH_HOST=127.0.0.1, or leave TURNGRAPH_AUTH=token.',
    })
  }
  return {
    store: parseStore(env, dataFolder, folder),
    dataFolder,
    host: env.TURNGRAPH_HOST,
    port: env.TURNGRAPH_PORT,
    auth: env.TURNGRAPH_AUTH,
    tokensFile: resolveFile(env.TURNGRAPH_TOKENS),
    executorsFile: resolveFile(env.TURNGRAPH_EXECUTORS),
    project: env.TURNGRAPH_PROJECT,
    turnLengthThreshold: env.TURNGRAPH_TURN_LENGTH_THRESHOLD,
    importRoots: (env.TURNGRAPH_IMPORT_ROOTS ?? '').split(path.delimiter).filter((root) => root !== ''),
    allowedHosts: (env.TURNGRAPH_ALLOWED_HOSTS ?? '')
      .toLowerCase()
      .split(/\s*,\s*/)
      .filter((host) => host !== ''),
    rateLimit: env.TURNGRAPH_RATE_LIMIT ?? (loopback ? 0 : 600),
    maxConnections: env.TURNGRAPH_MAX_CONNECTIONS,
    web: env.TURNGRAPH_WEB === 'on',
    hookWaitMs: env.TURNGRAPH_HOOK_WAIT_MS ?? null,
    task: env.TURNGRAPH_TASK ?? null,
    genAiSpans: env.TURNGRAPH_GENAI_SPANS === 'on',
    logLevel: env.TURNGRAPH_LOG,
    url: env.TURNGRAPH_URL?.replace(/\/+$/, '') ?? null, // clients append paths
    token: env.TURNGRAPH_TOKEN ?? null,
  }
}

/** Finds misspelled variables, which would have no effect. Ignores the variables of tests. */
function findUnknownVariables(set: Record<string, unknown>): string[] {
  return Object.keys(set)
    .filter((name) => name.startsWith('TURNGRAPH_') && !name.startsWith('TURNGRAPH_TEST_'))
    .filter((name) => !Object.hasOwn(ENVIRONMENT, name))
    .map((name) => {
      const near = closestMatch(name, Object.keys(ENVIRONMENT), { maxDistance: NEAR })
      return near === undefined ? `${name} is no setting` : `${name} is no setting: did you mean ${near}?`
    })
}

/** Maximum edit distance of a suggested name. */
const NEAR = 4

function parseStore(env: z.infer<typeof environmentSchema>, dataFolder: string, folder: string): Store {
  const url = env.TURNGRAPH_STORE ?? 'embedded:'
  if (url.startsWith('embedded:')) {
    const place = url.slice('embedded:'.length)
    const sync = env.TURNGRAPH_SYNC === 'on'
    if (place === 'memory') return { kind: 'embedded', folder: null, sync }
    const acceptLoss = env.TURNGRAPH_ACCEPT_LOSS === 'on'
    return {
      kind: 'embedded',
      folder: place === '' ? dataFolder : path.resolve(folder, place),
      sync,
      ...(acceptLoss && { acceptLoss }),
    }
  }
  const address = parseAddress(url)
  if (address === null) {
    throw new TurngraphError('invalid_request', 'TURNGRAPH_STORE is not a valid address of Neo4j.', {
      hint: 'Write bolt://HOST:PORT or neo4j://HOST:PORT, and the password in TURNGRAPH_NEO4J_PASSWORD. In the address, encode its special characters: %23 for #.',
    })
  }
  return {
    kind: 'neo4j',
    url: address.url,
    user: address.user || env.TURNGRAPH_NEO4J_USER,
    password: address.password || (env.TURNGRAPH_NEO4J_PASSWORD ?? null),
    database: env.TURNGRAPH_NEO4J_DATABASE,
  }
}

/** Only a cluster has parameters. An unencoded password may look like a path, a fragment or a parameter. */
const AFTER_HOST = { bolt: /^\/?$/, neo4j: /^\/?(\?\w+=[^@#&]+(&\w+=[^@#&]+)*)?$/ }

/** Removes the credentials from an address, because messages and logs contain the address. Returns null if it is invalid. */
function parseAddress(text: string): { url: string; user: string; password: string } | null {
  try {
    const address = new URL(text)
    const { username, password, pathname, search, hash } = address
    const allowed = text.startsWith('bolt') ? AFTER_HOST.bolt : AFTER_HOST.neo4j
    if (!allowed.test(pathname + search + hash)) return null
    address.username = ''
    address.password = ''
    return { url: address.href, user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return null // the error contains the address with the password
  }
}

export function maskedConfig(config: Config): Config {
  const store =
    config.store.kind === 'neo4j' ? { ...config.store, password: mask(config.store.password) } : config.store
  const url = config.url === null ? null : scrubText(config.url)
  return { ...config, store, url, token: mask(config.token) }
}

const mask = (secret: string | null): string | null => (secret === null ? null : '****')

/** Names a store in texts for users: `Neo4j at bolt://db:7687`, `the graph in ./.turngraph`. */
export const storeName = (store: Store): string =>
  store.kind === 'neo4j'
    ? `Neo4j at ${store.url}`
    : `the graph in ${store.folder === null ? 'memory' : shownFolder(store.folder)}`

/** Shortens a folder below the working folder to a relative path, which is what the user typed. */
export function shownFolder(folder: string, workingFolder = process.cwd()): string {
  const below = path.relative(workingFolder, folder)
  const isBelow = below !== '' && !below.startsWith('..') && !path.isAbsolute(below)
  return isBelow ? `./${below.replaceAll(path.sep, '/')}` : folder
}
