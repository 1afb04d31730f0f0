/** A text with content: white space alone is none. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** A status or decision as its table spells it: `Not started` → `not_started`; what is no text is ''. */
export const word = (value: unknown): string =>
  typeof value === 'string'
    ? value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_')
    : ''

export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)]

export const firstText = (...candidates: (string | null | undefined)[]): string | undefined =>
  candidates.find(isText) ?? undefined

export const firstNumber = (...candidates: (number | null | undefined)[]): number | undefined =>
  candidates.find((n) => typeof n === 'number') ?? undefined

export const firstList = <T>(...candidates: (readonly T[] | null | undefined)[]): T[] | undefined => {
  const list = candidates.find((l) => l !== undefined && l !== null && l.length > 0)
  return list ? [...list] : undefined
}

export function hasContent(value: unknown): boolean {
  if (value === undefined || value === null) return false
  if (typeof value === 'string') return isText(value)
  return typeof value !== 'object' || Object.keys(value).length > 0
}

type WithContent<T> = { [K in keyof T]?: Exclude<T[K], undefined | null> }

/** "Has content" (autobuild-artifacts.md): an empty text, list or object has none, zero has. */
export function withContent<T extends Record<string, unknown>>(fields: T): WithContent<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => hasContent(value))) as WithContent<T>
}
