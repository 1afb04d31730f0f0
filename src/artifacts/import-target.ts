import type { CaptureRequest, TurnState } from '../memory/record/record.ts'

type Page<T> = { items: T[]; nextCursor: string | null }
type PageOf = { project: string | null; limit: number; cursor: string | null }

/**
 * What an import asks of Turngraph. Every TurngraphClient fits; it is spelled out here because the clients
 * know all capabilities, and a capability that knew them in turn would close a cycle.
 */
export type ImportTarget = {
  listWorlds(input: PageOf & { featureId: string; taskId: string }): Promise<Page<{ worldSlug: string }>>
  listTurns(input: PageOf & { worldSlug: string }): Promise<Page<TurnState>>
  createWorld(
    input: { project: string | null; featureId: string; taskId: string },
    options?: { idempotencyKey: string },
  ): Promise<{ worldSlug: string; deletedAt: string | null }>
  captureTurnState(
    input: CaptureRequest,
  ): Promise<{ created: boolean; superseded: boolean; redactions?: number }>
}
