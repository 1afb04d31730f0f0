// Tells the errors of Neo4j and of its driver apart, by code, never by message.
import { type Neo4jError, PROTOCOL_ERROR } from './neo4j-driver.ts'

/** Codes of errors that the driver makes itself, and does not call retriable. */
const WITHOUT_SERVER: ReadonlySet<string> = new Set([
  // No connection came free in time, above all while a cluster elects a leader.
  'N/A',
  // A connection broke while it logged in: the driver tells the network's error under this code (6.3, `_onLoginError`).
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

/** Worth another try; one that lost every time waited for others as long as there was. */
const DEADLOCK = 'Neo.TransientError.Transaction.DeadlockDetected'

/** What a statement found was deleted while it waited for its lock: there, too, the next try sees what is. */
const FORGOTTEN = 'Neo.ClientError.Statement.EntityNotFound'

/** The server took as long as it was given, or waited for a lock as long as it may. */
export const isTimeout = ({ code }: Neo4jError): boolean => TIMED_OUT.has(code)

export const isDeadlock = ({ code }: Neo4jError): boolean => code === DEADLOCK

/** Of a transaction or of the whole server. */
export const isOutOfMemory = ({ code }: Neo4jError): boolean => code.includes('OutOfMemory')

/**
 * Worth another try: a deadlock, a lost connection, a server that starts. Waiting for a lock again is not, nor is what needs more
 * memory than a transaction may have, which the driver takes for transient.
 */
export const isTransient = (error: Neo4jError): boolean => {
  if (error.code === FORGOTTEN) return true
  const mayPass = error.retriable || WITHOUT_SERVER.has(error.code)
  return mayPass && !isTimeout(error) && !isOutOfMemory(error)
}
