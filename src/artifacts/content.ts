/** Picks what has content from the fields of an artifact for a turn record. */
import type * as z from 'zod'
import type { WireForm } from '../core/wire-form.ts'
import type { turnInput } from '../memory/record/record.ts'

/** A turn record in the wire form (turns.md), without project and world; only the fields that have content. */
export type WireTurn = WireForm<z.input<typeof turnInput>>

/** A text with content: white space alone does not count. */
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
