import type { PageOptions } from './options.ts'

type Page<T> = { items: T[]; nextCursor: string | null }

const WHOLE_PAGE = 500

/** The one page that was asked for, else all of them as one. */
export async function readPages<T>(
  { limit, cursor }: PageOptions,
  read: (window: { limit: number; cursor: string | null }) => Promise<Page<T>>,
): Promise<Page<T>> {
  let page = await read({ limit: limit ?? WHOLE_PAGE, cursor: cursor ?? null })
  if (limit !== undefined) return page
  const items = [...page.items]
  while (page.nextCursor !== null) {
    page = await read({ limit: WHOLE_PAGE, cursor: page.nextCursor })
    for (const item of page.items) items.push(item)
  }
  return { items, nextCursor: null }
}
