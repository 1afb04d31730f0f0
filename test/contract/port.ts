import { describe, expect, test } from 'vitest'
import { canonicalInstant } from '../../src/core/instants.ts'
import type { Params, Step, Value } from '../../src/graph/port.ts'
import { parseStatement, type Statement } from '../../src/graph/statements.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

const cypher = (source: string): Statement => {
  const params = [...new Set(source.match(/\$\w+/g) ?? [])]
  return parseStatement('test', `// params: ${params.join(' ')}\n${source}`)
}
const step = (source: string, params: Params = {}): Step => ({ statement: cypher(source), params })

const create = (key: string): Step => step('CREATE (n:World {key: $key}) RETURN n.key AS key', { key })
const refuse = step('MATCH (n:World {key: $key}) RETURN n.key AS key', { key: 'nobody' })

/** The port itself (src/graph/port.ts). */
export function portContract(store: StoreUnderTest): void {
  describe('the port', () => {
    const handles = useGraph(store)
    const count = async () => {
      const [row] = await handles.graph.read(cypher('MATCH (n:World) RETURN count(n) AS count'), {})
      return row?.count
    }

    test('health answers with the engine and its version', async () => {
      const health = await handles.graph.health()
      expect(health).toEqual({ engine: handles.graph.engine, version: expect.stringMatching(/\d/) })
    })

    test.each<[string, Value]>([
      ['text', 'plain'],
      ['empty text', ''],
      ['every script', 'é ß 漢字 \u{1f469}\u{200d}\u{1f4bb} עברית \u{10ffff} \u0001\t\r\n\\ "\' ` $x {y}'],
      ['a whole number', 42],
      ['the greatest whole number', Number.MAX_SAFE_INTEGER],
      ['the least whole number', Number.MIN_SAFE_INTEGER],
      ['a fraction', 0.1 + 0.2],
      ['a great number', 1e300],
      ['a tiny number', 5e-324],
      ['true', true],
      ['nothing', null],
      ['a list', [1, 0.5, 'a', null, [true, []]]],
      ['a map', { a: { b: [{ c: null }] }, '': 'empty name', 'with space': 1 }],
    ])('a parameter comes back as it went: %s', async (_name, value) => {
      expect(await handles.graph.read(cypher('RETURN $value AS value'), { value })).toEqual([{ value }])
    })

    test.each<[string, Value]>([
      ['text', 'é漢字\u{1f469}\u{200d}\u{1f4bb} \\ "\' \u0001'],
      ['a text of 64 KiB', 'ä'.repeat(32 * 1024)],
      ['a whole number', Number.MAX_SAFE_INTEGER],
      ['a fraction', 0.3],
      ['texts', ['b', 'a', 'b', '']],
      ['an empty list', []],
    ])('a property comes back as it was stored: %s', async (_name, value) => {
      const properties = { key: 'k', value }
      await handles.graph.write([
        step('CREATE (n:World) SET n += $properties RETURN n.key AS key', { properties }),
      ])
      const rows = await handles.graph.read(cypher('MATCH (n:World) RETURN n.value AS value'), {})
      expect(rows).toEqual([{ value }])
    })

    test('whole numbers are integers, fractions are floats', async () => {
      const rows = await handles.graph.read(cypher('RETURN $a / 2 AS half, $b / 2 AS quarter'), {
        a: 7,
        b: 0.5,
      })
      expect(rows).toEqual([{ half: 3, quarter: 0.25 }])
    })

    test('a property that is set to null is absent, and equals nothing', async () => {
      await handles.graph.write([
        step('CREATE (n:World) SET n += $held RETURN n.key AS key', { held: { key: 'k', a: 1, b: null } }),
      ])
      await handles.graph.write([
        step('MATCH (n:World) SET n += $held RETURN n.key AS key', { held: { a: null } }),
      ])
      const read = cypher(
        'MATCH (n:World) RETURN keys(n) AS names, n.a IS NULL AS isAbsent, n.a = $nothing AS equals',
      )
      expect(await handles.graph.read(read, { nothing: null })).toEqual([
        { names: ['key'], isAbsent: true, equals: null },
      ])
    })

    test.each([
      '2026-03-08T14:07:00Z',
      '2026-03-08T14:07:00.397166Z',
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
    ])('the instant %s keeps its digits', async (iso) => {
      await handles.graph.write([
        step('CREATE (n:World {key: $key}) SET n.at = datetime($iso) RETURN n.key AS key', { key: 'k', iso }),
      ])
      const [row] = await handles.graph.read(
        cypher('MATCH (n:World) RETURN n.at AS at, properties(n) AS all'),
        {},
      )
      expect(canonicalInstant(String(row?.at))).toBe(iso)
      expect(canonicalInstant(String((row?.all as { at: string } | undefined)?.at))).toBe(iso)
    })

    test('instants compare as instants, and null stays null', async () => {
      const read = cypher('RETURN datetime($a) < datetime($b) AS earlier, datetime($none) AS none')
      const params = { a: '2026-03-08T14:07:00.9Z', b: '2026-03-08T14:07:01Z', none: null }
      expect(await handles.graph.read(read, params)).toEqual([{ earlier: true, none: null }])
    })

    test('one statement takes a thousand entries', async () => {
      const entries = Array.from({ length: 1_000 }, (_, i) => ({
        key: `k${i}`,
        texts: [`a${i}`, 'x'.repeat(500)],
      }))
      await handles.graph.write([
        step('FOREACH (e IN $entries | CREATE (n:World) SET n += e) RETURN size($entries) AS size', {
          entries,
        }),
      ])
      const rows = await handles.graph.read(
        cypher('MATCH (n:World) RETURN n.key AS key, n.texts AS texts'),
        {},
      )
      const byKey = new Map(rows.map(({ key, texts }) => [key, texts]))
      expect(entries.filter(({ key, texts }) => byKey.get(key)?.toString() !== texts.toString())).toEqual([])
      expect(rows).toHaveLength(1_000)
    })

    test('steps of one write see the changes of earlier steps, and answer in order', async () => {
      const second = step('MATCH (n:World) SET n.seen = true RETURN count(n) AS count')
      expect(await handles.graph.write([create('a'), create('b'), second])).toEqual([
        [{ key: 'a' }],
        [{ key: 'b' }],
        [{ count: 2 }],
      ])
    })

    test('guarantee: an acknowledged write is visible to reads', async () => {
      await handles.graph.write([create('a')])
      expect(await count()).toBe(1)
    })

    test('a long read answers like a read; after an abort Neo4j ends it, and the embedded engine completes it', async () => {
      const { graph } = handles
      const gone = new AbortController()
      const limits = { deadline: performance.now() + 60_000, signal: gone.signal }
      expect(await graph.readLong(cypher('RETURN $value AS value'), { value: 1 }, limits)).toEqual([
        { value: 1 },
      ])
      const pairs = cypher('UNWIND range(1, $n) AS a UNWIND range(1, $n) AS b RETURN count(*) AS pairs')
      const reading = graph.readLong(pairs, { n: 300 }, limits)
      const nobodyWaits = new Error('nobody waits')
      gone.abort(nobodyWaits)
      if (graph.engine === 'embedded') expect(await reading).toEqual([{ pairs: 90_000 }])
      else await expect(reading).rejects.toBe(nobodyWaits)
    })

    test('a step without a row rejects the write', async () => {
      expect(await handles.graph.write([refuse])).toBeNull()
    })

    test.each([
      ['first', [refuse, create('a'), create('b')]],
      ['middle', [create('a'), refuse, create('b')]],
      ['last', [create('a'), create('b'), refuse]],
    ] as [string, [Step, ...Step[]]][])(
      'a step that rejects the write rolls back all of it: %s',
      async (_at, steps) => {
        await handles.graph.write([create('before')])
        expect(await handles.graph.write(steps)).toBeNull()
        expect(await count()).toBe(1)
      },
    )

    test('a failed step rolls back its whole write', async () => {
      await handles.graph.write([create('a')])
      const link = step('MATCH (a:World {key: $a}) CREATE (a)-[:NEXT]->(:World {key: $b}) RETURN 1 AS one', {
        a: 'a',
        b: 'b',
      })
      await expect(handles.graph.write([link, create('a')])).rejects.toThrow()
      expect(await count()).toBe(1)
      const edges = await handles.graph.read(cypher('MATCH ()-[r:NEXT]->() RETURN count(r) AS count'), {})
      expect(edges).toEqual([{ count: 0 }])
    })

    test('a key exists once, even if many writes claim it in parallel', async () => {
      const claim = (i: number) =>
        handles.graph.write([
          step('MERGE (n:World {key: $key}) ON CREATE SET n.by = $by RETURN n.by AS by', { key: 'k', by: i }),
        ])
      const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => claim(i)))
      expect(new Set(answers.map((rows) => rows?.[0]?.[0]?.by)).size).toBe(1)
      expect(await count()).toBe(1)
      await expect(handles.graph.write([create('k')])).rejects.toThrow()
    })

    test('a lock token excludes other writers until the check: one of thirty parallel claims wins', async () => {
      await handles.graph.write([create('k')])
      const claim = (by: number) =>
        handles.graph.write([
          step(
            'MATCH (w:World {key: $key}) SET w.rev = $by WITH w WHERE w.owner IS NULL SET w.owner = $by RETURN w.owner AS owner',
            { key: 'k', by },
          ),
        ])
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => claim(i)))
      const won = answers.filter((answer) => answer !== null)
      expect(won).toHaveLength(1)
      const [row] = await handles.graph.read(cypher('MATCH (w:World) RETURN w.owner AS owner'), {})
      expect(won[0]?.[0]?.[0]).toEqual(row)
    })

    test('reads run during writes and see whole transactions', async () => {
      const pair = (i: number) => handles.graph.write([create(`${i}a`), create(`${i}b`)])
      let writing = true
      const writes = Promise.all(Array.from({ length: 40 }, (_, i) => pair(i))).finally(() => {
        writing = false
      })
      const counts: number[] = []
      while (writing) counts.push(Number(await count()))
      await writes
      expect(await count()).toBe(80)
      expect(counts.length).toBeGreaterThan(0)
      expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    })

    test('a handle reads the writes of another one', async () => {
      const other = await handles.open(() => store.beside(handles.graph))
      await other.write([create('a')])
      expect(await count()).toBe(1)
      await other.write([create('b')])
      expect(await count()).toBe(2)
      if (other !== handles.graph) await other.close()
    })

    test('a closed graph is an error, never an empty answer', async () => {
      const other = await handles.open(() => store.beside(handles.graph))
      await other.close()
      await expect(other.read(cypher('MATCH (n:World) RETURN n.key AS key'), {})).rejects.toThrow()
      await expect(other.write([create('a')])).rejects.toThrow()
      await expect(other.health()).rejects.toThrow()
    })
  })
}
