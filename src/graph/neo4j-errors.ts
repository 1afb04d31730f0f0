// Classifies the errors of Neo4j and of its driver by code, never by message.
import { type Neo4jError, PROTOCOL_ERROR } from './neo4j-driver.ts'

/** Codes of errors that the driver itself raises and does not call retriable. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set([
  // No connection became free in time, mainly while a cluster elects a leader.
  'N/A',
  // A connection broke during login: the driver reports the network error with this code (6.3,
  // `_onLoginError`).
  PROTOCOL_ERROR,
])

const TIMED_OUT: ReadonlySet<string> = new Set([
  'Neo.ClientError.Transaction.TransactionTimedOut',
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
  'Neo.ClientError.Transaction.LockClientStopped',
  'Neo.TransientError.Transaction.LockAcquisitionTimeout',
  'Neo.TransientError.Transaction.LockClientStopped',
  'Neo.TransientError.Transaction.Terminated',
])

/** Worth another try. An operation that lost every time has waited for others until its deadline. */
const DEADLOCK = 'Neo.TransientError.Transaction.DeadlockDetected'

/**
 * A found node was deleted while the statement waited for its lock. Retryable: the next try sees the current
 * state.
 */
const FORGOTTEN = 'Neo.ClientError.Statement.EntityNotFound'

const STALE_BOOKMARK: ReadonlySet<string> = new Set([
  'Neo.TransientError.Transaction.BookmarkTimeout',
  'Neo.ClientError.Transaction.InvalidBookmark',
])

/** The server does not know the commit that a bookmark names. */
export const isStaleBookmark = ({ code }: Neo4jError): boolean => STALE_BOOKMARK.has(code)

/** True if the server sent the error; the driver raises the others itself. */
export const isAnswer = ({ code }: Neo4jError): boolean => code.startsWith('Neo.')

/** The operation used up its time on the server, or its time for waiting for a lock. */
export const isTimeout = ({ code }: Neo4jError): boolean => TIMED_OUT.has(code)

export const isDeadlock = ({ code }: Neo4jError): boolean => code === DEADLOCK

/** Covers the memory limit of a transaction and that of the whole server. */
export const isOutOfMemory = ({ code }: Neo4jError): boolean => code.includes('OutOfMemory')

/**
 * True if another try may succeed: a deadlock, a lost connection, a server that starts. Not retried: waiting
 * for a lock again, and an operation that exceeds the memory limit of a transaction, which the driver calls
 * transient.
 */
export const isTransient = (error: Neo4jError): boolean => {
  if (error.code === FORGOTTEN) return true
  const mayPass = error.retriable || WITHOUT_SERVER.has(error.code)
  return mayPass && !isTimeout(error) && !isOutOfMemory(error)
}
