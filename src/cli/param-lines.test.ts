import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { paramLine, readParamLines } from './param-lines.ts'

test('a parameter line above a statement is read back unchanged, with any characters', () => {
  const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(fc.string(), fc.integer()), {
    minKeys: 1,
  })
  fc.assert(
    fc.property(values, (params) => {
      const lines = Object.entries(params).map(([name, value]) => paramLine(name, value))
      const text = ['// What?', ...lines, '// about it', 'RETURN 1;'].join('\n')
      expect(readParamLines(text)).toEqual({
        query: '// What?\n// about it\nRETURN 1;',
        params: { ...params },
      })
    }),
  )
})

test('a statement without such lines stays unchanged, and an invalid value is rejected by name', () => {
  expect(readParamLines('// x\nRETURN 1\n:param a => 1')).toEqual({
    query: '// x\nRETURN 1\n:param a => 1',
    params: {},
  })
  expect(() => readParamLines(':param a => date()\nRETURN $a')).toThrow(/^:param a: its value must be JSON/)
})
