import { describe, expect, test } from 'vitest'
import { rewordEmbedded, rewordNeo4j } from './engine-errors.ts'

const embedded = (query: string, problem: string, place = '') =>
  rewordEmbedded({
    message: `Query error: GRAFEO-Q001: ${problem}${place === '' ? '' : `\n  --> query:${place}\n   |\n 1 | …`}`,
    query,
    isPlanned: true,
  })

describe('an error of the embedded engine', () => {
  test('has the line, the column and the word of the original query, not of the text for the engine', () => {
    const query = "MATCH (t:Turn) WHERE t.a = 'ä😀' RETRUN t"
    expect(embedded(query, 'syntax error: [Cypher] Expected end of query', '2:33')).toBe(
      'syntax error: Expected end of query at line 1, column 33: RETRUN',
    )
    expect(embedded('MATCH (t:Turn\nRETURN t', 'syntax error: [Cypher] Expected RParen', '3:1')).toBe(
      'syntax error: Expected ")" at line 2, column 1: RETURN',
    )
    expect(embedded('RETURN 1 +', 'syntax error: [Cypher] Expected expression', '2:11')).toBe(
      'syntax error: Expected expression at line 1, column 11: the end of the statement',
    )
  })

  test('without a place keeps the message of the engine', () => {
    expect(embedded('RETURN foo', "semantic error: Undefined variable 'foo'")).toBe(
      "semantic error: Undefined variable 'foo'",
    )
  })

  test('never names a rejected procedure', () => {
    expect(
      embedded(
        'CALL db.labels()',
        "semantic error: unknown procedure 'db.labels'; CALL grafeo.procedures() lists the procedures",
      ),
    ).toBe("semantic error: unknown procedure 'db.labels'")
  })
})

test('an error of Neo4j has the place in the original query, not in the text for the engine', () => {
  const message = 'Invalid input \'RETRUN\': expected … (line 2, column 16 (offset: 23))\n"MATCH …"'
  const query = 'MATCH (t:Turn) RETRUN t'
  expect(rewordNeo4j({ message, query, isPlanned: true })).toBe(
    "Invalid input 'RETRUN': expected … (line 1, column 16 (offset: 15))",
  )
})
