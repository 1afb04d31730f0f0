import { describe, expect, test } from 'vitest'
import { TurngraphError } from '../../core/errors.ts'
import { refuseByWords } from './refuse.ts'

const problemOf = (query: string, engine: 'neo4j' | 'embedded' = 'neo4j'): string | null => {
  try {
    refuseByWords(query, engine)
    return null
  } catch (error) {
    if (error instanceof TurngraphError) return error.message
    throw error
  }
}

describe('a query is rejected by its words', () => {
  test.each([
    ['CREATE (n)', 'query: has CREATE at 0, which does not read this graph'],
    ['match (n) set n.a = 1', 'query: has set at 10, which does not read this graph'],
    ['MATCH (n)\n/* SET */ DELETE n', 'query: has DELETE at 20, which does not read this graph'],
    ['RETURN 1; RETURN 2', 'query: has more than one statement: a ";" at 8'],
    ['RETURN "\\u0022"', 'query: has a \\u escape at 8'],
    ['RETURN 1 AS\u00a0x', 'query: has U+00A0 at 11'],
    ['RETURN 1 AS x\u{e0001}', 'query: has U+E0001 at 13'],
    ["RETURN 'it", 'query: cannot be read at 7: "\'it"'],
    ['RETURN 1 /* it', 'query: cannot be read at 9: "/* it"'],
    ['CALL db.stats.clear("x")', 'query: calls the procedure db.stats.clear at 0'],
    ['CALL db . stats . clear', 'query: calls the procedure db.stats.clear at 0'],
    ['CALL `db`.labels.`x`()', 'query: calls the procedure db.labels.x at 0'],
    ['RETURN apoc.load.json("x")', 'query: calls the function apoc.load.json at 7'],
    ['RETURN `apoc` . `load`/**/.json ("x")', 'query: calls the function apoc.load.json at 7'],
    ['RETURN db.labels()', 'query: calls the function db.labels at 7'],
    ['RETURN (file)(1), file()', 'query: calls the function file at 18'],
    ['  // nothing', 'query: is empty'],
    [`RETURN ${'('.repeat(65)}1${')'.repeat(65)}`, 'query: nests brackets more than 64 deep at 71'],
    [`RETURN ${'[{a:('.repeat(22)}`, 'query: nests brackets more than 64 deep at 113'],
  ])('%s', (query, problem) => {
    expect(problemOf(query)).toBe(problem)
  })

  test.each([
    'MATCH (n:Set)-[:DELETE|CREATE]->(m {create: 1}) RETURN n.remove, m.set',
    "RETURN 'CREATE (n)' AS a, \"it's\" AS b, 'it\\'s; SET' AS c",
    'RETURN 1 AS `SET`, `a``b`',
    'MATCH (n) WHERE (n.a IN (1)) AND NOT (n)-->() RETURN (1) ORDER BY (n.a)',
    'MATCH p = shortestPath((a)-[*..3]-(b)) RETURN LENGTH(p)',
    'MATCH p = ANY SHORTEST (a)-[:NEXT]-+(b) RETURN p',
    'CALL (n) { RETURN 1 AS x } RETURN x',
    'CALL db.labels',
    'CALL db.labels() YIELD label RETURN label',
    'RETURN duration . inDays(date(), date()), $set, $`a b`, 1.5e3, 0x1F',
    'MATCH (größe:Übung) RETURN größe.länge',
    `RETURN ${'('.repeat(64)}1${')'.repeat(64)}, ${'(1), '.repeat(100)} '${'('.repeat(100)}'`,
  ])('but not: %s', (query) => {
    expect(problemOf(query)).toBeNull()
  })

  test('the hint of a rejected procedure lists only those of the engine', () => {
    const hintOf = (engine: 'neo4j' | 'embedded') => {
      try {
        refuseByWords('CALL db.stats.clear()', engine)
      } catch (error) {
        return (error as TurngraphError).hint
      }
    }
    expect(hintOf('embedded')).toBe(
      'The procedures for queries are db.labels, db.propertyKeys, db.relationshipTypes.',
    )
    expect(hintOf('neo4j')).toContain('db.schema.visualization')
    expect(problemOf('CALL db.schema.visualization()', 'neo4j')).toBeNull()
    expect(problemOf('CALL db.schema.visualization()', 'embedded')).toContain('calls the procedure')
  })

  test('a semicolon at the end is removed', () => {
    expect(refuseByWords('RETURN 1 AS x ; // that is all', 'embedded')).toBe('RETURN 1 AS x ')
  })
})
