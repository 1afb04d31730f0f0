import { describe, expect, test } from 'vitest'
import { formatPattern, formatSequence, parsePattern } from './pattern.ts'

describe('a pattern is written in the form of the seed', () => {
  test.each([
    ['Read', 'Read'],
    ['Read Read', 'Read{2+}'],
    ['Grep Read Read Edit', 'Grep → Read{2+} → Edit'],
    ['Grep Read Read Read Edit Read Edit', 'Grep → Read{2+} → Edit → Read → Edit'],
    ['Bash Bash Read Bash Read', 'Bash{2+} → Read → Bash → Read'],
    ['Glob Read Read Grep Read Read Read Edit', 'Glob → Read{2+} → Grep → Read{2+} → Edit'],
    ['Bash Bash Bash Bash Bash', 'Bash{2+}'],
    ['Read Grep Read Grep', 'Read → Grep → Read → Grep'],
    ['Read Read Grep Grep', 'Read{2+} → Grep{2+}'],
    ['read Read', 'read → Read'],
    ['mcp__a__b mcp__a__b constructor __proto__', 'mcp__a__b{2+} → constructor → __proto__'],
  ])('%s', (tools, pattern) => {
    expect(formatPattern(tools.split(' '))).toBe(pattern)
  })

  test('three and five reads are the same pattern; one read is another', () => {
    const reads = (count: number) => formatPattern(['Grep', ...Array<string>(count).fill('Read'), 'Edit'])
    expect(reads(3)).toBe(reads(5))
    expect(reads(2)).toBe(reads(3))
    expect(reads(1)).not.toBe(reads(2))
  })

  test('the pattern of no calls is empty', () => {
    expect(formatPattern([])).toBe('')
  })
})

describe('a sequence shows the number of consecutive calls', () => {
  test.each([
    ['', ''],
    ['Read', 'Read'],
    ['Grep Read Read Edit', 'Grep → Read×2 → Edit'],
    ['Bash Bash Read Bash', 'Bash×2 → Read → Bash'],
  ])('%s', (tools, sequence) => {
    expect(formatSequence(tools.split(' '))).toBe(sequence)
  })

  test('140 calls of one tool in a row take one word', () => {
    expect(formatSequence(Array<string>(140).fill('Bash'))).toBe('Bash×140')
  })
})

describe('a pattern is read in every printed form, and in the form that a keyboard can type', () => {
  test.each([
    'Grep → Read{2+} → Edit',
    'Grep -> Read{2+} -> Edit',
    'Grep->Read{2+}->Edit',
    ' Grep → Read×2 → Edit ',
    'Grep -> Read×140 → Edit',
    'Grep → Read → Read → Read → Edit',
    'Grep×1 → Read×2 → Read → Edit',
  ])('%s', (text) => {
    expect(parsePattern(text)).toBe('Grep → Read{2+} → Edit')
  })

  test('every printed form of calls is read as their pattern', () => {
    for (const tools of [['Bash'], ['Bash', 'Bash'], ['A', 'B', 'B', 'A'], ['mcp__a__b', 'mcp__a__b', 'x']]) {
      expect(parsePattern(formatSequence(tools))).toBe(formatPattern(tools))
      expect(parsePattern(formatPattern(tools))).toBe(formatPattern(tools))
    }
  })
})
