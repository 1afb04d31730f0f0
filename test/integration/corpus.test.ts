import { describe, expect, test } from 'vitest'
import { readAutobuild } from '../../src/autobuild/read.ts'
import { normalizeText } from '../../src/criteria/text.ts'
import type { Graph } from '../../src/graph/port.ts'
import type { OperationOutput } from '../../src/operations.ts'
import { captureTurnState } from '../../src/turns/capture.ts'
import { type CaptureRequest, captureRequest } from '../../src/turns/record.ts'
import { defaultSlug } from '../../src/turns/scope.ts'
import { parseWire } from '../../src/wire.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory, neo4jLts } from '../support/engines.ts'
import { expectations, type TaskExpectation, type TurnExpectation } from '../support/oracle/oracle.ts'
import { clientOf } from '../support/records.ts'

type Context = OperationOutput<'loadTurnContinuationContext'>
type Place = { project: string; featureId: string; taskId: string; worldSlug: string }

/** Captures every run of a repository as a world, and answers where each of them is. */
async function captureAll(graph: Graph, project: string, root: string): Promise<Map<string, Place[]>> {
  const { tasks } = await readAutobuild([root])
  const taken = new Set<string>()
  const places = new Map<string, Place[]>()
  for (const { featureId, taskId, folder, runs } of tasks) {
    const ofTask: Place[] = []
    for (const [i, run] of runs.entries()) {
      const scope = { project, featureId, taskId }
      const plain = defaultSlug(scope, i + 1, false)
      const worldSlug = taken.has(plain) ? defaultSlug(scope, i + 1, true) : plain
      taken.add(worldSlug)
      for (const turn of run) {
        const request = parseWire(captureRequest, { ...turn, project, world_slug: worldSlug }, 'turn')
        await captureTurnState(graph, request as CaptureRequest & { project: string }, {
          now: () => new Date('2026-02-01T00:00:00Z'),
          newId: () => 'fixed',
        })
      }
      ofTask.push({ ...scope, worldSlug })
    }
    places.set(folder, ofTask)
  }
  return places
}

/** What the oracle says of a context, from the context. */
const seen = ({ previousTurn, criteria }: Context) => ({
  previousTurn,
  criteria: criteria.map((criterion) => ({
    label: criterion.criterionId,
    text: criterion.text === null ? null : normalizeText(criterion.text),
    state: criterion.state,
    verifiedInTurn: criterion.verifiedInTurn,
    contestedInTurn: criterion.contested?.turn ?? null,
  })),
})

const expected = ({ previousTurn, criteria }: TurnExpectation) => ({
  previousTurn,
  criteria: criteria.map(({ text, ...criterion }) => ({
    ...criterion,
    text: text === null ? null : normalizeText(text),
  })),
})

describeCorpus('real autobuild artifacts', () => {
  describe.each(corpusRepositories())('$name', ({ name, root }) => {
    const oracle: TaskExpectation[] = expectations(root)
    /** All contexts, Player's and Coach's, as the first engine gave them. */
    let reference: string[] | null = null

    for (const engine of [memory, neo4jLts]) {
      describeOn(engine, (store) => {
        const handles = useGraph(store)

        test('every context is what the files say, and the same on both engines', async () => {
          const places = await captureAll(handles.graph, name, root)
          expect([...places.keys()].sort()).toEqual(oracle.map(({ folder }) => folder).sort())
          const contexts: string[] = []
          for (const { folder, taskId, featureId, worlds } of oracle) {
            const ofTask = places.get(folder) ?? []
            expect(ofTask, folder).toHaveLength(worlds.length)
            for (const [i, world] of worlds.entries()) {
              const place = ofTask[i] as Place
              expect(place).toMatchObject({ taskId, featureId })
              for (const turn of world.turns) {
                const at = `${place.worldSlug}, turn ${turn.turn}`
                const load = (role: 'player' | 'coach') =>
                  clientOf(handles.graph).loadTurnContinuationContext({
                    ...place,
                    role,
                    currentTurn: turn.turn,
                  })
                const coach = await load('coach')
                const player = await load('player')
                if (turn.turn > 1) {
                  expect(seen(coach), at).toEqual(expected(turn))
                  expect(seen(player), at).toEqual(expected(turn))
                }
                contexts.push(JSON.stringify(coach), JSON.stringify(player))
              }
            }
          }
          reference ??= contexts
          expect(contexts).toEqual(reference)
          expect(contexts.length).toBeGreaterThan(0)
          await knownCases(handles.graph, name, places)
        }, 300_000)
      })
    }
  })
})

/** What the contract says of single tasks. */
async function knownCases(graph: Graph, repository: string, places: Map<string, Place[]>): Promise<void> {
  const of = (taskId: string) => [...places.values()].flat().filter((place) => place.taskId.endsWith(taskId))
  if (repository === 'youtube-transcript-mcp') {
    const [place, ...others] = of('SKEL-004')
    expect(others).toEqual([])
    for (const currentTurn of [3, 4, 5, 6, 7]) {
      const { criteria, context } = await clientOf(graph).loadTurnContinuationContext({
        ...(place as Place),
        currentTurn,
      })
      expect(
        criteria.map(({ state }) => state),
        `before turn ${currentTurn}`,
      ).toEqual(Array(6).fill('verified'))
      expect(context).toContain(`**Progress**: 6 of 6 criteria verified after turn ${currentTurn - 1}`)
    }
  }
  const rip = of('TASK-RIP-007')
  if (rip.length > 0)
    expect(rip.map(({ worldSlug }) => worldSlug)).toEqual(['TASK-RIP-007', 'TASK-RIP-007.2'])
}
