import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type * as z from 'zod'
import { snakeCase } from '../../core/wire-form.ts'
import { pair } from './pairs.ts'
import { KINDS } from './records.ts'

const howTo = readFileSync(new URL('../../../docs/how-to/move-and-back-up.md', import.meta.url), 'utf8')

test('the how-to names every kind of record', () => {
  expect(KINDS.filter((kind) => !howTo.includes(`\`${kind}\``))).toEqual([])
})

test('the how-to names every field of a pair', () => {
  const { input, player, coach, ...where } = pair.shape
  const named = [input, player, coach].flatMap(({ shape }: z.ZodObject) => Object.keys(shape))
  const fields = [...Object.keys(where), 'input', 'player', 'coach', ...named].map(snakeCase)
  expect(fields.filter((field) => !howTo.includes(`\`${field}\``))).toEqual([])
})
