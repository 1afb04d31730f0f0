// Configures the Neo4j driver, names its kinds of values, and converts whole numbers for it.
import neo4j, { type Config, type Driver } from 'neo4j-driver'
import type { Neo4jOptions, Params, Value } from './port.ts'

export {
  type Driver,
  Neo4jError,
  type Plan as Neo4jPlan,
  type Session,
} from 'neo4j-driver'

export const ACCESS = neo4j.session
export const { PROTOCOL_ERROR } = neo4j.error
export const { bookmarkManager, isDateTime, isDuration, isNode, isPath, isPoint, isRelationship } = neo4j

export const isTemporal = (value: object): boolean =>
  isDateTime(value) ||
  neo4j.isDate(value) ||
  neo4j.isLocalDateTime(value) ||
  neo4j.isTime(value) ||
  neo4j.isLocalTime(value)

export function createDriver({ url, user, password }: Neo4jOptions, more: Config): Driver {
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

/** Converts whole numbers, which are integers in Turngraph but floats in the driver. */
export function toNeo4j(value: Value | Params): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(toNeo4j)
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) result[key] = toNeo4j((value as Params)[key] as Value)
  return result
}
