/** Reads a list from its first page to its last. */
export async function allPages<T>(
  read: (cursor: string | null) => Promise<{ items: T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  do {
    const page: { items: T[]; nextCursor: string | null } = await read(cursor)
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== null)
  return items
}
