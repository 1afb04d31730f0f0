// Classifies the errors of Neo4j and of its driver by code, never by message.
import { TurngraphError } from '../core/errors.ts'
import { HOW_TO_SHARE } from './migrations.ts'
import { type Neo4jError, PROTOCOL_ERROR } from './neo4j-driver.ts'
import type { Neo4jOptions } from './port.ts'

/** Codes of temporary errors that the driver does not report as retriable. */
const TEMPORARY: ReadonlySet<string> = new Set([
  // No connection became free in time, mainly while a cluster elects a leader.
  'N/A',
  // A connection broke during login: the driver reports the network error with this code (6.3, `_onLoginError`).
  PROTOCOL_ERROR,
  // A found node was deleted while the statement waited for its lock. The next try sees the current state.
  'Neo.ClientError.Statement.EntityNotFound',
  // The server ended the transaction, mainly because it was shutting down. The driver renames the transient error of this name.
  'Neo.ClientError.Transaction.Terminated',
  // The leader of a cluster is another server now. With `neo4j://`, the driver reports this as an expired session.
  'Neo.ClientError.Cluster.NotALeader',
  'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase',
  // An administrator has made the database read-only, or the address is that of a follower.
  'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase',
  // The adapter has dropped its bookmarks.
  'Neo.ClientError.Transaction.InvalidBookmark',
  // A disk is full or failed, or the server is overloaded.
  'Neo.DatabaseError.Transaction.TransactionCommitFailed',
  'Neo.DatabaseError.General.UnknownError',
])

const TIMED_OUT: ReadonlySet<string> = new Set([
  'Neo.ClientError.Transaction.TransactionTimedOut',
  'Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration',
  'Neo.ClientError.Transaction.LockClientStopped',
  'Neo.TransientError.Transaction.LockAcquisitionTimeout',
])

/** Worth another try. An operation that lost every time has waited for others until its deadline. */
const DEADLOCK = 'Neo.TransientError.Transaction.DeadlockDetected'

const STALE_BOOKMARK: ReadonlySet<string> = new Set([
  'Neo.TransientError.Transaction.BookmarkTimeout',
  'Neo.ClientError.Transaction.InvalidBookmark',
])

const REFUSED_LOGIN: ReadonlySet<string> = new Set([
  'Neo.ClientError.Security.Unauthorized',
  'Neo.ClientError.Security.CredentialsExpired',
  'Neo.ClientError.Security.TokenExpired',
])

/** Errors of a migration that does not fit the constraints, indexes or nodes of another program. */
const SCHEMA_REFUSED: ReadonlySet<string> = new Set([
  'Neo.ClientError.Schema.IndexAlreadyExists',
  'Neo.ClientError.Schema.ConstraintAlreadyExists',
  'Neo.DatabaseError.Schema.ConstraintCreationFailed',
])

/** True if the server does not know the commit that a bookmark names. */
export const isStaleBookmark = ({ code }: Neo4jError): boolean => STALE_BOOKMARK.has(code)

/** True if the server sent the error; the driver raises the others itself. */
export const isAnswer = ({ code }: Neo4jError): boolean => code.startsWith('Neo.')

/** The operation used up its time on the server, or its time for waiting for a lock. */
export const isTimeout = ({ code }: Neo4jError): boolean => TIMED_OUT.has(code)

/** Covers the memory limit of a transaction and that of the whole server. */
export const isOutOfMemory = ({ code }: Neo4jError): boolean => code.includes('OutOfMemory')

/** Covers a refused login, a login that is not allowed at the moment, and missing privileges. */
export const isRefused = ({ code }: Neo4jError): boolean => code.startsWith('Neo.ClientError.Security.')

/**
 * True if another try may succeed: a deadlock, a lost connection, a server that starts. Not retried: waiting
 * for a lock again, and an operation that exceeds the memory limit of a transaction, which the driver calls
 * transient.
 */
export const isTransient = (error: Neo4jError): boolean =>
  (error.retriable || TEMPORARY.has(error.code)) && !isTimeout(error) && !isOutOfMemory(error)

/** Maps an error to a domain error. Returns an error that shows a defect unchanged. */
export function toStoreError(error: Neo4jError, { url, database }: Neo4jOptions): Error {
  const { code } = error
  if (REFUSED_LOGIN.has(code)) {
    return new TurngraphError('store_unavailable', `Neo4j at ${url} refused the credentials.`, {
      hint: 'Set TURNGRAPH_NEO4J_USER and TURNGRAPH_NEO4J_PASSWORD.',
      cause: error,
    })
  }
  // The system database accepts only administrative commands, and rejects others with a general code.
  const isSystem = database === 'system' && code === 'Neo.ClientError.Statement.SemanticError'
  if (code === 'Neo.ClientError.Database.DatabaseNotFound' || isSystem) {
    return new TurngraphError('store_unavailable', `Neo4j has no database "${database}" for a graph.`, {
      hint: 'Set TURNGRAPH_NEO4J_DATABASE.',
      cause: error,
    })
  }
  if (SCHEMA_REFUSED.has(code)) {
    return new TurngraphError(
      'store_unavailable',
      `Neo4j at ${url} refused the schema: ${reasonOf(error)}.`,
      {
        hint: HOW_TO_SHARE,
        cause: error,
      },
    )
  }
  if (isTimeout(error) || code === DEADLOCK) {
    return new TurngraphError(
      'timeout',
      'The graph did not answer in time: another transaction holds a lock.',
      { hint: 'Try again: a repeated capture is stored once.', cause: error },
    )
  }
  if (isOutOfMemory(error)) {
    return new TurngraphError('store_unavailable', `Neo4j at ${url} is out of memory for this request.`, {
      hint: 'Request less data at once, or raise db.memory.transaction.max or the heap of Neo4j.',
      cause: error,
    })
  }
  if (isTransient(error) || isRefused(error)) {
    const [state, first] = isRefused(error)
      ? ['is not available', 'Check TURNGRAPH_NEO4J_USER and its privileges, then try']
      : isAnswer(error)
        ? ['is not available', 'Try']
        : ['cannot be reached', 'Check TURNGRAPH_STORE and the server (Neo4j 5.26 or 2026.x), then try']
    return new TurngraphError('store_unavailable', `Neo4j at ${url} ${state}: ${reasonOf(error)}.`, {
      hint: `${first} again; no acknowledged write is lost.`,
      cause: error,
    })
  }
  return error
}

/** Returns the first sentence of the cause, without the advice of the driver before it. */
const reasonOf = ({ message }: Neo4jError): string =>
  message.replace(/^.*Caused by: /s, '').split(/\.\s|[.:]?\n|\.$/)[0] ?? ''
