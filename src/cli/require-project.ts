/** Reads the pages of lists, and suggests similar names for an unknown project. */
import type { TurngraphClient } from '../client/client.ts'
import { hasCode, TurngraphError } from '../core/errors.ts'
import { didYouMean, nearNames } from '../core/near-names.ts'

export type Window = { limit?: number | undefined; cursor?: string | undefined }
export type Page<T> = { items: T[]; nextCursor: string | null }

const WHOLE_PAGE = 500

export async function readPages<P extends Page<unknown>>(
  { limit, cursor }: Window,
  read: (window: { limit: number; cursor: string | null }) => Promise<P>,
): Promise<P> {
  let page = await read({ limit: limit ?? WHOLE_PAGE, cursor: cursor ?? null })
  if (limit !== undefined) return page
  const items = [...page.items]
  while (page.nextCursor !== null) {
    page = await read({ limit: WHOLE_PAGE, cursor: page.nextCursor })
    for (const item of page.items) items.push(item)
  }
  return { ...page, items }
}

/** Rejects an unknown project, and suggests similar names. @throws `not_found` if the graph has nothing of the project */
export async function requireProject(client: TurngraphClient, project: string): Promise<void> {
  const { items } = await readPages({}, (window) => client.listProjects(window))
  const names = items.map((item) => item.project)
  if (names.includes(project)) return
  const near = nearNames(project, names)
  throw new TurngraphError('not_found', `There is no project ${project} in this graph.${didYouMean(near)}`, {
    hint: '`turngraph projects` lists them; the first capture or import into a project makes it.',
    details: { near },
  })
}

export async function withProjectChecked<T>(
  client: TurngraphClient,
  project: string | undefined,
  use: (client: TurngraphClient) => Promise<T>,
): Promise<T> {
  try {
    return await use(client)
  } catch (error) {
    if (project !== undefined && hasCode(error, 'not_found', 'unknown_world'))
      await requireProject(client, project)
    throw error
  }
}
