import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalInstant } from '../../src/core/instants.ts'
import { featureKey, projectKey, taskKey, turnKey, worldKey } from '../../src/core/keys.ts'
import { parseWire, toWire } from '../../src/core/wire-form.ts'
import { digestRecord } from '../../src/memory/record/digest.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import { defaultSlug } from '../../src/memory/scope/scope.ts'
import { anyContent, anyName } from './arbitraries.ts'

/** Checks that `make` returns different keys for different parts. */
function injective<P extends unknown[]>(parts: fc.Arbitrary<P>, make: (...parts: P) => string): void {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(make(...a) === make(...b)).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
    { numRuns: 3_000 },
  )
}

describe('keys are injective', () => {
  const turnNumber = fc.integer({ min: 1, max: 20 })
  test('keys of projects are injective', () => injective(fc.tuple(anyName), projectKey))
  test('keys of features are injective', () => injective(fc.tuple(anyName, anyName), featureKey))
  test('keys of tasks are injective', () => injective(fc.tuple(anyName, anyName, anyName), taskKey))
  test('keys of worlds are injective', () => injective(fc.tuple(anyName, anyName), worldKey))
  test('keys of turns are injective', () =>
    injective(fc.tuple(anyName, anyName, turnNumber), (project, slug, n) =>
      turnKey(worldKey(project, slug), n),
    ))

  test('keys of parts that join to the same text differ', () => {
    fc.assert(
      fc.property(fc.array(anyName, { minLength: 3, maxLength: 3 }), fc.nat(2), (names, at) => {
        const joined = names.join('/')
        const parts = joined.split('/')
        fc.pre(parts.length > 2)
        const cut = 1 + (at % (parts.length - 1))
        const [a, b] = [parts.slice(0, cut).join('/'), parts.slice(cut).join('/')]
        const [c, d] = [parts.slice(0, 1).join('/'), parts.slice(1).join('/')]
        expect(featureKey(a, b) === featureKey(c, d)).toBe(a === c && b === d)
      }),
    )
  })
})

test('default slugs are plain, short enough to be sent back, and unique per task', () => {
  const slugOf = (taskId: string) => defaultSlug({ featureId: 'f', taskId }, 1, false)
  fc.assert(
    fc.property(anyName, anyName, (a, b) => {
      expect(slugOf(a)).toMatch(/^[A-Za-z0-9._%~-]{1,256}$/)
      expect(slugOf(a) === slugOf(b)).toBe(a === b)
    }),
  )
})

describe('instants', () => {
  const date = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 })
  const pad = (n: number) => String(n).padStart(2, '0')

  test('an instant in any zone equals the same instant in UTC', () => {
    fc.assert(
      fc.property(
        date,
        offset,
        fc.constantFrom(':', ''),
        fc.constantFrom('T', ' '),
        (at, minutes, colon, between) => {
          const local = new Date(at.getTime() + minutes * 60_000).toISOString().slice(0, -1)
          fc.pre(/^\d{4}-/.test(local))
          const zone = `${minutes < 0 ? '-' : '+'}${pad(Math.trunc(Math.abs(minutes) / 60))}${colon}${pad(Math.abs(minutes) % 60)}`
          const canonical = canonicalInstant(local.replace('T', between) + zone)
          expect(canonical).not.toBeNull()
          expect(Date.parse(String(canonical))).toBe(at.getTime())
        },
      ),
    )
  })

  test('the canonical form is its own canonical form, and without a zone it is UTC', () => {
    fc.assert(
      fc.property(date, fc.stringMatching(/^\d{0,9}$/), (at, digits) => {
        const text = `${at.toISOString().slice(0, 19)}${digits === '' ? '' : `.${digits}`}`
        const canonical = canonicalInstant(text)
        expect(canonical).toBe(canonicalInstant(`${text}Z`))
        expect(canonicalInstant(String(canonical))).toBe(canonical)
        expect(String(canonical).slice(0, 19)).toBe(text.slice(0, 19))
        const shown = /\.(\d+)Z$/.exec(String(canonical))?.[1] ?? ''
        expect(shown.replace(/0+$/, '')).toBe(digits.slice(0, 6).replace(/0+$/, ''))
      }),
    )
  })

  test('no other text is an instant', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!/^\s*\d{4}-\d\d-\d\d/.test(text))
        expect(canonicalInstant(text)).toBeNull()
      }),
    )
  })
})

describe('records', () => {
  const sent = anyContent.map((content) => ({ featureId: 'f', taskId: 't', turnNumber: 1, ...content }))

  test('keep their value over the wire', () => {
    fc.assert(
      fc.property(sent, (record) => {
        const parsed = captureRequest.parse(record)
        const wire = JSON.parse(JSON.stringify(toWire(captureRequest, parsed)))
        expect(parseWire(captureRequest, wire, 'turn')).toEqual(parsed)
        expect(Object.keys(wire).filter((key) => /[A-Z]/.test(key))).toEqual([])
      }),
    )
  })

  test('the digest of a record does not depend on the order of its keys', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned)
      if (value === null || typeof value !== 'object') return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, held]) => [key, turned(held)]),
      )
    }
    fc.assert(
      fc.property(sent, (record) => {
        expect(digestRecord(turned(record) as Record<string, unknown>)).toBe(digestRecord(record))
      }),
    )
  })

  test('records that differ have different digests', () => {
    fc.assert(
      fc.property(sent, sent, (a, b) => {
        const same = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))
        expect(digestRecord(a) === digestRecord(b)).toBe(same)
      }),
    )
  })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, held]) => [key, sorted(held)])
}
