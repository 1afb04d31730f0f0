// Configures the Neo4j driver, names its kinds of values, and converts whole numbers for it.
import neo4j, { type Config, type Driver, type Neo4jError } from 'neo4j-driver'
import type { Neo4jOptions, Params, Value } from './port.ts'

export {
  type Driver,
  Neo4jError,
  type Plan as Neo4jPlan,
  type Session,
  type SessionConfig,
} from 'neo4j-driver'

export const ACCESS = neo4j.session
export const { bookmarkManager, isDateTime, isDuration, isNode, isPath, isPoint, isRelationship } = neo4j

export const isTemporal = (value: object): boolean =>
  isDateTime(value) ||
  neo4j.isDate(value) ||
  neo4j.isLocalDateTime(value) ||
  neo4j.isTime(value) ||
  neo4j.isLocalTime(value)

export function driverOf({ url, user, password }: Neo4jOptions, more: Config): Driver {
  const auth = password === null ? undefined : neo4j.auth.basic(user, password)
  return neo4j.driver(url, auth, {
    connectionAcquisitionTimeout: 4_000,
    connectionTimeout: 3_000,
    telemetryDisabled: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
    userAgent: 'turngraph',
    ...more,
  })
}

/** Codes of errors that the driver makes itself, and does not call retriable. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set([
  // No connection came free in time, above all while a cluster elects a leader.
  'N/A',
  // A connection broke while it logged in: the driver tells the network's error under this code (6.3, `_onLoginError`).
  neo4j.error.PROTOCOL_ERROR,
])

/** Whether a server could not be asked, or may answer otherwise soon; by code, never by message. */
export const mayPass = ({ code, retriable }: Neo4jError): boolean => retriable || WITHOUT_SERVER.has(code)

/** Of a transaction or of the whole server; by code, never by message. */
export const isOutOfMemory = ({ code }: Neo4jError): boolean => code.includes('OutOfMemory')

/** JavaScript's whole numbers are integers to us, floats to the driver: this is the one place that knows. */
export function toNeo4j(value: Value | Params): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(toNeo4j)
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) result[key] = toNeo4j((value as Params)[key] as Value)
  return result
}
