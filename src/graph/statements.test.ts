import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { allStatements, chooseForms, parseStatement, statement, unusedStatements } from './statements.ts'

test('comments are dropped, parameters are named in order', () => {
  const text =
    '// why\n// params: $key $a\nMATCH (n:X {key: $key}) // at the end\nSET n.a = $a\n  // between\nRETURN n.url'
  expect(parseStatement('x', text)).toEqual({
    name: 'x',
    text: 'MATCH (n:X {key: $key})\nSET n.a = $a\nRETURN n.url',
    params: ['a', 'key'],
  })
})

test('an undeclared parameter is rejected', () => {
  expect(() => parseStatement('x', '// params: $a\nRETURN $a, $b')).toThrow('does not declare $b')
})

test('an unused declared parameter is rejected', () => {
  expect(() => parseStatement('x', '// params: $a $b\nRETURN $a')).toThrow('declares $b in vain')
})

describe('forms that an engine runs wrongly are rejected', () => {
  test.each([
    'MATCH (a)-[r]->() FOREACH (x IN [r] | DELETE x)',
    'FOREACH (x IN CASE WHEN true THEN [r] ELSE [] END |\n  DETACH DELETE x)',
    'CALL (w) {\n  OPTIONAL MATCH (w)-->(t) RETURN t\n}',
    'call (w) { optional match (w)-->(t) return t }',
    'DELETE null',
    'RETURN collect(x)[0] AS first',
    'RETURN COLLECT { MATCH (n) RETURN n }',
    'RETURN collect(DISTINCT x{.id}) AS ids',
    'RETURN duration.between(a, b)',
    'SET w.at = datetime.realtime()',
    'SET w.id = randomUUID()',
    'RETURN datetime().epochMillis',
    'SET w.rev = w.rev + 1',
    'SET w.fence = w.rev + 1',
    'REMOVE w.rev',
    'REMOVE w.lock',
    "OPTIONAL MATCH (p:Turn {key: w.key + '/1'})",
    'OPTIONAL MATCH (task:Task {id: 1})\nOPTIONAL MATCH (task)-[:HAS_WORLD]->(x) RETURN x',
    'RETURN [[(w)-[:A]->(a) | a.key], [(w)-[:B]->(b) | b.key]] AS both',
    'SET target = CASE WHEN true THEN a ELSE b END',
    '\n// params: $key $taskKey\nMATCH (x:World {key: $key})\nWHERE x.deletedAt IS NULL AND x.taskKey = $taskKey RETURN x',
  ])('%s', (text) => {
    expect(() => parseStatement('x', `MATCH (w:World) ${text}`)).toThrow('is refused')
  })

  test.each([
    'MATCH (a)-[r:NEXT]->() DELETE r',
    'CALL (x) { MATCH (x)-[r]->() DELETE r }',
    'FOREACH (_ IN [1] | CREATE (:X))\nWITH w MATCH (w)-[r:NEXT]->() DELETE r',
    'SET w.lastCompletedAt = CASE WHEN true THEN 1 ELSE 2 END',
    'SET w.count = w.count + 1',
    'RETURN collect({a: 1}) AS all',
  ])('what looks like them is not: %s', (text) => {
    expect(parseStatement('x', `MATCH (w:World) ${text}`).params).toEqual([])
  })
})

test('a statement without a file is rejected when its module loads', () => {
  expect(() => statement('turns/no-such-statement')).toThrow(
    'there is no cypher/turns/no-such-statement.cypher',
  )
})

test('every file under cypher/ is a statement of some module', async () => {
  const src = fileURLToPath(new URL('..', import.meta.url))
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.endsWith('.d.ts'))
    // The page runs in a browser, and calls operations.
    .filter((file) => !file.startsWith(`web${path.sep}`))
    // These modules are programs: they act when they are loaded.
    .filter((file) => !['main.ts', 'hook-run.ts'].map((name) => path.join('cli', name)).includes(file))
  for (const file of modules) await import(pathToFileURL(path.join(src, file)).href)
  expect(allStatements().length).toBeGreaterThan(10)
  const [forAnalysts, unused] = [true, false].map((is) =>
    unusedStatements().filter((name) => name.startsWith('analysis/') === is),
  )
  expect(unused).toEqual([])
  const howTo = readFileSync(path.join(src, '../docs/how-to/transcripts.md'), 'utf8')
  for (const name of forAnalysts ?? []) expect(howTo).toContain(`\`${path.basename(name)}\``)
})

describe('a file with choices', () => {
  const file = (place: string, end = '') =>
    chooseForms(`MATCH (w)\n// when one two\nWHERE w.a\n// when all\n// end\n${place}RETURN w\n${end}`)

  test('each choice has a statement', () => {
    expect(file('')).toEqual([
      { choices: ['one'], source: 'MATCH (w)\nWHERE w.a\nRETURN w\n' },
      { choices: ['two'], source: 'MATCH (w)\nWHERE w.a\nRETURN w\n' },
      { choices: ['all'], source: 'MATCH (w)\nRETURN w\n' },
    ])
  })

  test('a repeated choice keeps its first value, and a new choice multiplies the statements', () => {
    const again = '// when one\nLIMIT 1\n// when two all\n// end\n'
    const order = '// when up\nORDER BY w.a\n// when down\nORDER BY w.a DESC\n// end\n'
    const forms = file('', again + order)
    expect(forms.map(({ choices }) => choices.join(' '))).toEqual([
      ...['one up', 'one down', 'two up', 'two down', 'all up', 'all down'],
    ])
    expect(forms[0]?.source).toBe('MATCH (w)\nWHERE w.a\nRETURN w\nLIMIT 1\nORDER BY w.a\n')
    expect(forms[5]?.source).toBe('MATCH (w)\nRETURN w\nORDER BY w.a DESC\n')
  })
})
