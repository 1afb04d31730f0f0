import { describe, expect, test } from 'vitest'
import { worldKey } from '../../src/core/keys.ts'
import { parseStatement } from '../../src/graph/statements.ts'
import { memory } from '../support/embedded-engines.ts'
import { aContext, aTurn, captureSteadily, clientOf, everyField, TASK } from '../support/records.ts'
import { fillWithEverything } from '../support/whole-graph.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

/** Names that a careless key would confuse. */
const NAMES = [
  'guardkit',
  'guardkit_factory',
  'a',
  'a/b',
  'b',
  'a%2Fb',
  'A',
  '..',
  '.',
  ' ',
  'a ',
  "'",
  '\u{1f600}',
  'é',
  'e\u0301',
  '1',
  '~1',
]

const slugOf = (name: string) => encodeURIComponent(name).replaceAll("'", '%27')

const joinedKeys = parseStatement(
  'test',
  'MATCH (a)-[r]->(b) WHERE a.key IS NOT NULL AND b.key IS NOT NULL RETURN a.key AS a, type(r) AS kind, b.key AS b',
)

/** Isolation of scopes, and determinism. */
export function isolationContract(store: StoreUnderTest): void {
  describe('isolation', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)

    test('a relationship joins nodes of one project', async () => {
      await fillWithEverything(handles.graph)
      const rows = await handles.graph.read(joinedKeys, {})
      expect(rows.length).toBeGreaterThan(20)
      const projectOf = (key: unknown) => String(key).split('/')[0]
      expect(rows.filter(({ a, b }) => projectOf(a) !== projectOf(b))).toEqual([])
    })

    test('guarantee: writes of one scope do not affect similar scopes', async () => {
      const view = (project: string) =>
        client()
          .loadTurnContinuationContext(aContext(9, { project, role: 'coach' }))
          .then((v) => JSON.stringify(v))
      await client().captureTurnState({ ...everyField, project: 'guardkit', worldSlug: null })
      const before = await view('guardkit')
      await client().captureTurnState({
        ...everyField,
        project: 'guardkit_factory',
        worldSlug: null,
        turnNumber: 8,
      })
      await client().captureTurnState(aTurn(3, { project: 'guardkit_factory', onConflict: 'supersede' }))
      await client().deleteWorld({ project: 'guardkit_factory', worldSlug: TASK })
      expect(await view('guardkit')).toBe(before)
    })

    describe('guarantee: the same request has the same answer', () => {
      const scenario = [
        aTurn(1, {
          acceptanceCriteriaStatus: { criterion_1: 'verified', 'AC-2': 'rejected' },
          promises: [{ criterionId: 'AC-002', criterionText: 'It answers with 404', status: 'complete' }],
        }),
        { ...everyField, worldSlug: null, turnNumber: 2 },
        aTurn(4, {
          verifications: ['c', 'a', 'b'].flatMap((name) => [
            { criterionId: 'AC-7', criterionText: `The same label for ${name}`, status: 'rejected' as const },
            { criterionId: name, status: 'verified' as const, source: 'validator' as const },
          ]),
          issues: ['x', 'y', 'z'].map((description) => ({
            severity: 'major',
            description,
            criterionIds: ['AC-7'],
          })),
          gates: { b: 'failed', a: 'passed' },
        }),
        aTurn(3, { verifications: [{ criterionId: 'AC-7', status: 'verified' }] }),
        aTurn(2, {
          playerSummary: 'instead',
          onConflict: 'supersede',
          verifications: [{ criterionId: 'AC-2', status: 'verified' }],
        }),
      ]
      const requests = (['player', 'coach'] as const).flatMap((role) =>
        (['sticky', 'evidence', 'latest'] as const).flatMap((policy) =>
          [1, 2, 3, 4, 5, 9].map((currentTurn) => aContext(currentTurn, { role, policy })),
        ),
      )
      const answers = (graph: Parameters<typeof clientOf>[0]) =>
        Promise.all(
          requests.map((request) =>
            clientOf(graph)
              .loadTurnContinuationContext(request)
              .then((answer) => JSON.stringify(answer)),
          ),
        )

      test('the same request twice is byte-identical', async () => {
        for (const record of scenario) await captureSteadily(handles.graph, record)
        const first = await answers(handles.graph)
        for (let i = 0; i < 3; i++) expect(await answers(handles.graph)).toEqual(first)
      })

      test('the same captures give byte-identical contexts on every engine', async () => {
        const reference = await handles.open(() => memory.open())
        for (const record of scenario) {
          await captureSteadily(handles.graph, record)
          await captureSteadily(reference, record)
        }
        expect(await answers(handles.graph)).toEqual(await answers(reference))
        const { items } = await client().listTurns({ worldSlug: TASK })
        const { items: expected } = await clientOf(reference).listTurns({ worldSlug: TASK })
        expect(JSON.stringify(items)).toBe(JSON.stringify(expected))
        const history = { worldSlug: TASK, turnNumber: 2 }
        expect(JSON.stringify(await client().getTurnHistory(history))).toBe(
          JSON.stringify(await clientOf(reference).getTurnHistory(history)),
        )
        await reference.close()
      })
    })

    test('keys of worlds are their percent-encoded names', () => {
      expect(worldKey('a/b', 'c')).not.toBe(worldKey('a', 'b/c'))
      expect(new Set(NAMES.flatMap((a) => NAMES.map((b) => worldKey(a, b)))).size).toBe(NAMES.length ** 2)
    })
  })
}

/** Checks the isolation of keys, which TypeScript builds. Other suites run the statements on Neo4j. */
export function isolationOfNamesContract(store: StoreUnderTest): void {
  describe('guarantee: projects, tasks and sessions never see each other', () => {
    const handles = useGraph(store)
    const client = () => clientOf(handles.graph)
    type Scope = { project: string; featureId: string; taskId: string; worldSlug: string }
    const scopes: Scope[] = [
      ...NAMES.map((project) => ({ project, featureId: 'f', taskId: 't', worldSlug: 'w' })),
      ...NAMES.map((featureId) => ({
        project: 'p1',
        featureId,
        taskId: 't',
        worldSlug: `f-${slugOf(featureId)}`,
      })),
      ...NAMES.map((taskId) => ({
        project: 'p2',
        featureId: 'f',
        taskId,
        worldSlug: `t-${slugOf(taskId)}`,
      })),
      ...NAMES.map((name) => ({ project: 'p3', featureId: 'f', taskId: 't', worldSlug: slugOf(name) })),
      { project: 'x/y', featureId: 'z', taskId: 't', worldSlug: 'q' },
      { project: 'x', featureId: 'y/z', taskId: 't', worldSlug: 'q' },
      { project: 'x', featureId: 'y', taskId: 'z/t', worldSlug: 'r' },
    ]
    const mark = (scope: Scope) => `<${scopes.indexOf(scope)}>`
    // Worlds of one task share its criteria, so each world uses its own words.
    const words = (scope: Scope) =>
      ['only', 'here', 'so'].map((word) => word + scopes.indexOf(scope)).join(' ')

    test('every project, feature, task and world sees only its own turns, whatever their names are', async () => {
      for (const scope of scopes) {
        const verifications = [
          {
            criterionId: 'AC-001',
            criterionText: `${words(scope)} ${mark(scope)}`,
            status: 'verified' as const,
          },
          { criterionId: 'AC-002', status: 'rejected' as const, evidence: `seen ${mark(scope)}` },
        ]
        const turn = { ...aTurn(1), ...scope, playerSummary: `said in ${mark(scope)}`, verifications }
        expect(await client().captureTurnState(turn)).toMatchObject({ created: true, ...scope })
      }
      for (const scope of scopes) {
        const { project, worldSlug } = scope
        const views = [
          await client().loadTurnContinuationContext({ ...scope, currentTurn: 2, role: 'coach' }),
          await client().listTurns({ project, worldSlug }),
        ]
        const marks = JSON.stringify(views).match(/<\d+>/g)
        expect(new Set(marks), JSON.stringify(scope)).toEqual(new Set([mark(scope)]))
        const { criteria } = await client().loadTurnContinuationContext({ ...scope, currentTurn: 2 })
        expect(criteria).toHaveLength(2)
        const byDefault = await client().loadTurnContinuationContext({
          ...scope,
          worldSlug: null,
          currentTurn: 2,
        })
        if (project !== 'p3') expect(byDefault.worldSlug).toBe(worldSlug)
      }
      for (const project of NAMES) {
        const { items } = await client().listWorlds({ project })
        expect(
          items.map((world) => world.project),
          project,
        ).toEqual([project])
      }
    })
  })
}
