// Declares the function with which the MCP door runs an operation. Each transport implements it.
import type { OperationName } from '../operations/table.ts'

export type CallContext = {
  /** Aborted when the caller gives up. */
  signal: AbortSignal
  /** Sends a message of the operation to the caller, in addition to the answer. */
  tell: (message: string) => void
}

/** Runs an operation for this connection: camelCase in and out. */
export type CallOperation = (
  operation: OperationName,
  input: Record<string, unknown>,
  context: CallContext,
) => Promise<unknown>
