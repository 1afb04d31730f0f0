// Writes and reads the cursors of lists of worlds.
import { canonicalInstant } from '../core/instants.ts'
import { foreignCursor, textCursor } from '../core/pages.ts'
import type { WorldOrder, WorldPosition } from '../memory/worlds/list-worlds.ts'
import type { WorldProgress } from '../memory/worlds/world-progress.ts'

/** Reads the position of a cursor. In the order by slug it is only the slug. */
export const positionIn =
  (order: WorldOrder) =>
  ({ lastActivity, worldSlug }: Pick<WorldProgress, 'lastActivity' | 'worldSlug'>): string =>
    order === 'world_slug' ? worldSlug : `${lastActivity} ${worldSlug}`

export function worldCursor(order: WorldOrder, cursor: string | null | undefined): WorldPosition | null {
  const position = textCursor(cursor)
  if (position === null) return null
  if (order === 'world_slug') return { worldSlug: position }
  const [, lastActivity = '', worldSlug = ''] = /^(\S+) (.+)$/s.exec(position) ?? []
  if (canonicalInstant(lastActivity) !== lastActivity) throw foreignCursor()
  return { worldSlug, lastActivity }
}
