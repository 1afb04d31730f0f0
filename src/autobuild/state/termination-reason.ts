/**
 * Why a conversation ended.
 *
 * - `natural_completion`: the model answered without asking for tools, or the chain around it returned.
 * - `max_iterations`: it wanted more model calls than it may have.
 * - `timeout`: it took longer than it may.
 * - `cancelled`: somebody stopped it.
 * - `error`: the model or the chain failed. A tool's failure ends nothing: agents hand it to the model.
 */
export type TerminationReason = 'natural_completion' | 'max_iterations' | 'timeout' | 'cancelled' | 'error'
