import { describe, expect, test } from 'vitest'
import type { Graph } from '../../src/graph/port.ts'
import { readPages } from '../../src/maintenance/export/export-lines.ts'
import { aTurn, captureSteadily, clientOf, PROJECT, type TurnToSend } from '../support/records.ts'
import { fillWithEverything, OTHER_PROJECTS } from '../support/whole-graph.ts'
import { type StoreUnderTest, useGraph } from './store.ts'

type Pair = {
  project: string
  world_slug: string
  turn_number: number
  input: { criteria: { criterion_id: string; text: string | null; state: string }[] }
  player: { summary: string; promises: unknown[]; verifications: unknown[] }
  coach: { decision: string; issues: { severity: string }[]; verifications: unknown[] }
}

async function pairsIn(graph: Graph, asked: { project?: string; since?: string; limit?: number } = {}) {
  const { project, since = null, limit = 500 } = asked
  const client = clientOf(graph)
  const lines: string[] = []
  for await (const line of readPages((cursor) =>
    project === undefined
      ? client.exportGraphPage({ content: 'pairs', since, limit, cursor })
      : client.exportPage({ content: 'pairs', project, since, limit, cursor }),
  )) {
    lines.push(line)
  }
  return lines.map((line) => JSON.parse(line) as Pair)
}

/** Turns as pairs of Player and Coach, for training. */
export function pairsContract(store: StoreUnderTest): void {
  describe('pairs', () => {
    const handles = useGraph(store)
    const criterion = (id: string, words: string) => ({ criterionId: id, criterionText: words })
    const [lid, log] = [
      criterion('AC-1', 'The lid closes without a sound'),
      criterion('AC-2', 'A log is kept'),
    ]
    const capture = (turn: number, more: Partial<TurnToSend>) =>
      captureSteadily(handles.graph, aTurn(turn, { worldSlug: 'w', ...more }))

    test('each pair has the state before the turn, the work of the Player, and the verdicts of the Coach', async () => {
      await capture(1, {
        playerSummary: 'Felt under the lid',
        promises: [{ ...lid, status: 'complete', evidence: 'heard nothing' }],
        verifications: [
          { ...lid, status: 'verified', evidence: 'recorded' },
          { ...log, status: 'rejected' },
          { ...log, status: 'verified', source: 'player' },
        ],
        issues: [
          { severity: 'minor', description: 'A scratch' },
          { severity: 'must_fix', description: 'No log', criterionIds: ['AC-2'] },
        ],
        coachFeedback: 'Keep a log',
        gates: { tests: 'passed' },
      })
      await capture(2, { coachDecision: 'unknown' })
      await capture(3, { coachDecision: 'approved', verifications: [{ ...log, status: 'verified' }] })
      const pairs = await pairsIn(handles.graph, { project: PROJECT })
      expect(pairs).toMatchObject([
        {
          project: PROJECT,
          feature_id: 'FEAT-1',
          task_id: 'TASK-1',
          world_slug: 'w',
          turn_number: 1,
          input: {
            mode: 'fresh_start',
            previous_turn: null,
            previous_feedback: null,
            criteria: [
              { criterion_id: 'AC-1', text: lid.criterionText, state: 'pending', verified_in_turn: null },
              { criterion_id: 'AC-2', text: log.criterionText, state: 'pending', contested_in_turn: null },
            ],
          },
          player: {
            summary: 'Felt under the lid',
            promises: [{ criterion_id: 'AC-1', status: 'complete', evidence: 'heard nothing' }],
            verifications: [{ criterion_id: 'AC-2', source: 'player' }],
          },
          coach: {
            decision: 'feedback',
            feedback: 'Keep a log',
            issues: [{ severity: 'blocking' }, { severity: 'should_fix' }],
            verifications: [
              { criterion_id: 'AC-1', status: 'verified', evidence: 'recorded' },
              { criterion_id: 'AC-2', status: 'rejected' },
            ],
            gates: { tests: 'passed' },
          },
        },
        {
          turn_number: 3,
          input: {
            previous_turn: 2,
            criteria: [
              { criterion_id: 'AC-1', state: 'verified', verified_in_turn: 1 },
              { criterion_id: 'AC-2', state: 'rejected' },
            ],
          },
          coach: { decision: 'approved' },
        },
      ])
      expect(pairs).toHaveLength(2)
    })
  })
}

/** Checks the pages on one engine: `exportContract` runs their statements on every engine. */
export function pairsRulesContract(store: StoreUnderTest): void {
  describe('pages of pairs', () => {
    const handles = useGraph(store)

    test('pages of any size have the pairs of one or all projects, without deleted worlds, and only later ones with since', async () => {
      const { graph } = handles
      await fillWithEverything(graph)
      await captureSteadily(
        graph,
        aTurn(30, { worldSlug: 'w', completedAt: '2031-01-01T00:00:00Z', coachDecision: 'rejected' }),
      )
      const all = await pairsIn(graph)
      expect(all).toHaveLength(13)
      for (const limit of [1, 3]) expect(await pairsIn(graph, { limit })).toEqual(all)
      const own = await Promise.all(
        [PROJECT, ...OTHER_PROJECTS].map((project) => pairsIn(graph, { project })),
      )
      expect(own.flat()).toHaveLength(all.length)
      expect(all.map(({ world_slug }) => world_slug)).not.toContain('gone')
      const since = '2030-06-01T00:00:00Z'
      expect(await pairsIn(graph, { since })).toMatchObject([{ turn_number: 30 }])
    })
  })
}
