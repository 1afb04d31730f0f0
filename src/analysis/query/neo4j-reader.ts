// Runs queries of analysts on Neo4j, in READ mode.
import { TurngraphError } from '../../core/errors.ts'
import {
  ACCESS,
  type Driver,
  driverOf,
  isDuration,
  isNode,
  isOutOfMemory,
  isPath,
  isPoint,
  isRelationship,
  isTemporal,
  mayPass,
  Neo4jError,
  type Neo4jPlan,
  type Session,
  toNeo4j,
} from '../../graph/neo4j-driver.ts'
import type { Neo4jOptions, Params } from '../../graph/port.ts'
import { type Bounds, invalidQuery, type Plan, type Reader, type Rows, RowsTaken } from './reader.ts'
import { durationForm, integerForm, numberForm, sortedForm, temporalForm } from './values.ts'

const PLAN_TIMEOUT_MS = 10_000
const FETCH_ROWS = 200

/** Reads on a Neo4j server, always in READ mode: the server itself refuses a write. */
export class Neo4jReader implements Reader {
  readonly engine = 'neo4j'
  readonly #driver: Driver
  readonly #database: string

  constructor(options: Neo4jOptions) {
    this.#driver = driverOf(options, { useBigInt: true, fetchSize: FETCH_ROWS, maxConnectionPoolSize: 2 })
    this.#database = options.database
  }

  async plan(query: string, params: Params): Promise<Plan> {
    return this.#reading(async (session) => {
      const { summary } = await session.run(`EXPLAIN ${query}`, toNeo4j(params), {
        timeout: PLAN_TIMEOUT_MS,
        metadata: { app: 'turngraph', statement: 'query plan' },
      })
      const operators: string[] = []
      const procedures: string[] = []
      const walk = (plan: Neo4jPlan) => {
        const operator = plan.operatorType.replace(/@.*$/, '')
        operators.push(operator)
        const details = String((plan.arguments as Record<string, unknown>).Details ?? '')
        if (operator === 'ProcedureCall') procedures.push(/^[\w.]*/.exec(details)?.[0] ?? details)
        plan.children.forEach(walk)
      }
      // A command, such as SHOW, may have none.
      if (summary.plan !== false) walk(summary.plan)
      return { reads: summary.queryType === 'r' && summary.plan !== false, operators, procedures }
    })
  }

  async run(query: string, params: Params, bounds: Bounds): Promise<Rows> {
    const { bookmarks = [] } = bounds
    return this.#reading(async (session) => {
      const result = session.run(query, toNeo4j(params), {
        timeout: bounds.timeoutMs,
        metadata: { app: 'turngraph', statement: 'query' },
      })
      const columns = await result.keys()
      const taken = new RowsTaken(bounds)
      for await (const record of result) {
        if (!taken.take([...record.values()].map(formOf))) break // the rest is left with the server
      }
      return { columns: columns.map(String), ...taken.taken }
    }, bookmarks)
  }

  close(): Promise<void> {
    return this.#driver.close()
  }

  async #reading<T>(work: (session: Session) => Promise<T>, bookmarks: readonly string[] = []): Promise<T> {
    const session = this.#driver.session({
      database: this.#database,
      defaultAccessMode: ACCESS.READ,
      bookmarks: [...bookmarks],
    })
    try {
      return await work(session)
    } catch (error) {
      throw error instanceof Neo4jError ? domainError(error) : error
    } finally {
      await session.close().catch(() => {})
    }
  }
}

/** By code, never by message. */
function domainError(error: Neo4jError): TurngraphError {
  const { code } = error
  if (code === 'Neo.ClientError.Statement.AccessMode') {
    return invalidQuery('writes', 'Only reading statements are run.', error)
  }
  if (/^Neo\.ClientError\.Transaction\.TransactionTimedOut|\.Terminated$/.test(code)) {
    return new TurngraphError('timeout', 'The query did not end in time.', {
      hint: 'Bound it: begin at a key, limit the length of paths, or raise timeout_ms (60,000 at most).',
      cause: error,
    })
  }
  if (isOutOfMemory(error)) {
    return new TurngraphError('too_large', 'The query needs more memory than the server gives it.', {
      hint: 'Aggregate less at once, or bound it with LIMIT.',
      cause: error,
    })
  }
  if (code.startsWith('Neo.ClientError.Security.') || mayPass(error)) {
    return new TurngraphError('store_unavailable', 'Neo4j does not answer queries.', {
      hint: 'Try again.',
      cause: error,
    })
  }
  if (code.startsWith('Neo.ClientError.')) {
    return invalidQuery(firstLine(error.message), 'The message is the engine’s own.', error)
  }
  return new TurngraphError('internal', 'Neo4j failed at the query.', { cause: error })
}

const firstLine = (message: string): string => message.split('\n')[0]?.slice(0, 500) ?? ''

function formOf(value: unknown): unknown {
  if (typeof value === 'bigint') return integerForm(value)
  if (typeof value === 'number') return numberForm(value)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(formOf)
  if (isNode(value)) {
    const labels = [...value.labels].sort()
    return { id: value.elementId, labels, properties: sortedForm(value.properties, formOf) }
  }
  if (isRelationship(value)) {
    const { elementId: id, type, startNodeElementId: start, endNodeElementId: end, properties } = value
    return { id, type, start, end, properties: sortedForm(properties, formOf) }
  }
  if (isPath(value)) {
    const { start, segments } = value
    return {
      nodes: [start, ...segments.map((segment) => segment.end)].map(formOf),
      relationships: segments.map((segment) => formOf(segment.relationship)),
    }
  }
  if (isDuration(value)) {
    const { months, days, seconds, nanoseconds } = value
    return durationForm({
      months: Number(months),
      days: Number(days),
      seconds: Number(seconds),
      nanoseconds: Number(nanoseconds),
    })
  }
  if (isPoint(value)) {
    const { srid, x, y, z } = value
    return { srid: Number(srid), x, y, ...(z !== undefined && { z }) }
  }
  if (isTemporal(value)) return temporalForm(value.toString())
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')
  return sortedForm(value as Record<string, unknown>, formOf)
}
