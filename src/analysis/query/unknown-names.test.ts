import { describe, expect, test } from 'vitest'
import { GRAPH_NAMES } from '../graph-schema.ts'
import { findUnknownNames } from './unknown-names.ts'

const unknownIn = (query: string) => findUnknownNames(query, GRAPH_NAMES).map(({ unknown }) => unknown)

describe('names that the graph does not have', () => {
  test.each([
    ['MATCH (t:Trun) RETURN t', ['Trun']],
    ['MATCH (t:Turn|Wrold) RETURN t', ['Wrold']],
    ['MATCH (t:!(Turn|Wrold)) RETURN t', ['Wrold']],
    ['MATCH (t:Turn:Wrold) RETURN t', ['Wrold']],
    ['MATCH (t:`Trun`) RETURN t', ['Trun']],
    ['MATCH (:World)-[:HAS_TRUN]->(:Turn) RETURN 1', ['HAS_TRUN']],
    ['MATCH (:World)-[:HAS_TURN|:NXT*1..3]->(:Turn) RETURN 1', ['NXT']],
    ['MATCH (:Turn)<-[r:HAS_TURN {nubmer: 1}]-() RETURN r', ['nubmer']],
    ['MATCH (w:World)-[r:PROGRESS]->() RETURN r.sttae', ['sttae']],
    ['MATCH (t:Turn {nubmer: 1}) RETURN t', ['nubmer']],
    ['MATCH (t:Turn) WHERE t.nubmer = 1 AND t:Wrold RETURN t', ['nubmer', 'Wrold']],
    ['MATCH (t:Turn) WITH t AS turn RETURN turn.nubmer', ['nubmer']],
    ['MATCH (t:Turn) RETURN t {.number, .nubmer}', ['nubmer']],
    ['MATCH (w:World) WHERE EXISTS { (w)-[:HAS_TRUN]->(:Trun) } RETURN w', ['HAS_TRUN', 'Trun']],
    ['MATCH (a:Trun), (b:Trun) RETURN a.`nubmer`', ['Trun', 'nubmer']],
  ])('are found: %s', (query, unknown) => {
    expect(unknownIn(query)).toEqual(unknown)
  })

  test.each([
    'RETURN {foo: 1, bar: {baz: 2}} AS m',
    'WITH {foo: 1} AS m RETURN m.foo',
    'UNWIND $rows AS row RETURN row.foo, $map.bar',
    "MATCH (t:Turn) WHERE t.number = 1 // (x:Trun) t.nubmer\nRETURN ':Trun' AS `strange:Name`, /* [:NXT] */ 1",
    'MATCH (t:Turn) RETURN t {.number, other: 1} AS t, [(t)-[:NEXT]->(b) | b.number]',
    'MATCH (t:Turn) WITH {foo: t.number} AS t RETURN t.foo',
    'MATCH (t:Turn) RETURN t.startedAt.year, date().month, duration.between(t.startedAt, t.startedAt).days',
    'MATCH (t:Turn) WITH t.number AS foo ORDER BY foo RETURN foo',
    'MATCH (t:Turn) RETURN [x IN collect({foo: 1}) WHERE x.foo > 0 | x.foo]',
    'CALL db.labels() YIELD label RETURN label',
    'MATCH (t:Turn) CALL (t) { RETURN t.number AS foo } RETURN foo',
    'MATCH (a)-[r]->(b) WHERE r:NEXT OR a:World RETURN type(r), labels(a)',
    'MATCH (t:Turn) RETURN CASE WHEN t:Turn THEN {foo: 1}.foo ELSE 2 END',
    'RETURN 1 IS :: INTEGER',
    'RETURN [1, 2, 3][0..2] AS list, 1.5 AS number',
  ])('give no false warning: %s', (query) => {
    expect(unknownIn(query)).toEqual([])
  })

  test('are listed once each, with similar names', () => {
    expect(findUnknownNames('MATCH (a:Trun), (b:Trun) RETURN a', GRAPH_NAMES)).toEqual([
      { unknown: 'Trun', near: ['Turn'] },
    ])
  })
})
