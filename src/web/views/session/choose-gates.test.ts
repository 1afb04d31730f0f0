import { expect, test } from 'vitest'
import { chooseGates, MAX_GATES } from './choose-gates.ts'

const turn = (turn_number: number, gates: Record<string, 'passed' | 'failed' | 'unknown'>) => ({
  turn_number,
  gates,
})

test('a few gates are all drawn in the order in which turns name them, except gates with an unknown status', () => {
  const turns = [turn(1, { tests: 'passed', lint: 'unknown' }), turn(2, { build: 'failed', tests: 'failed' })]
  expect(chooseGates(turns)).toEqual({ shown: ['tests', 'build'], leftOut: 0 })
})

test('if there are too many gates, the ones that failed last are drawn and the others are counted', () => {
  const passed = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`gate ${i}`, 'passed' as const]))
  const turns = [
    turn(1, { ...passed, 'gate 299': 'failed' }),
    turn(2, { 'gate 250': 'failed' }),
    turn(3, { 'gate 250': 'passed' }),
  ]
  const { shown, leftOut } = chooseGates(turns)
  expect(shown).toHaveLength(MAX_GATES)
  expect(shown).toEqual([...Array.from({ length: 18 }, (_, i) => `gate ${i}`), 'gate 250', 'gate 299'])
  expect(leftOut).toBe(280)
})
