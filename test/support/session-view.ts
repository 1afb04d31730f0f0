import type { TurngraphClient } from '../../src/client/client.ts'

/**
 * Reads everything that readers see of the sessions of a project, or of a task, except the time of each
 * write.
 */
export async function viewOf(client: TurngraphClient, taskId?: string): Promise<unknown[]> {
  const { items } = await client.listWorlds({ limit: 500, ...(taskId !== undefined && { taskId }) })
  return Promise.all(
    items.map(async ({ createdAt: _, lastActivity: __, ...world }) => {
      const { worldSlug, currentTurn } = world
      const turns = await client.listTurns({ worldSlug, limit: 500 })
      const contexts = await Promise.all(
        (['player', 'coach'] as const).map((role) =>
          client.loadTurnContinuationContext({
            worldSlug,
            currentTurn: currentTurn + 1,
            role,
            elsewhere: 'off',
          }),
        ),
      )
      return {
        world,
        turns: turns.items.map(({ createdAt: _, ...turn }) => turn),
        contexts: contexts.map(({ context }) => context),
        criteria: await client.listCriteria({ worldSlug }),
      }
    }),
  )
}
