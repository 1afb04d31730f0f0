/** Selects the fields of an artifact that have content, for a turn record. */

import type * as z from 'zod'
import { canonicalInstant } from '../core/instants.ts'
import type { WireForm } from '../core/wire-form.ts'
import type { turnInput } from '../memory/record/record.ts'

/** A turn record in the wire form (turns.md), without project and world; only the fields that have content. */
export type WireTurn = WireForm<z.input<typeof turnInput>>

/** Checks for a text with content. White space is not content. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== ''

/** Spells a status or decision like its table: `Not started` → `not_started`. Returns '' if it is not a text. */
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

/** Keeps the fields with content (autobuild-artifacts.md, "Has content"). Zero has content; empty values do not. */
export function withContent<T extends Record<string, unknown>>(fields: T): WithContent<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => hasContent(value))) as WithContent<T>
}

export const isUsableTime = (text: string | null | undefined): boolean =>
  !isText(text) || canonicalInstant(text) !== null
