// Declares how the MCP door runs an operation: each transport brings its own way.
import type { OperationName } from '../operations/table.ts'

export type CallContext = {
  /** Aborted where the caller gives up. */
  signal: AbortSignal
  /** Tells the caller what the operation has to say beside its answer. */
  tell: (message: string) => void
}

/** Runs an operation for this connection: camelCase in and out. */
export type CallOperation = (
  operation: OperationName,
  input: Record<string, unknown>,
  context: CallContext,
) => Promise<unknown>
