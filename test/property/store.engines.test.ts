import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { worldKey } from '../../src/core/keys.ts'
import type { Graph } from '../../src/graph/port.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, enginesHere, memory, neo4jLts, shuffled } from '../support/engines.ts'
import { chainOf } from '../support/graph-dump.ts'
import { captureSteadily, clientOf, type TurnToSend } from '../support/records.ts'
import { anyContent, anyName } from './arbitraries.ts'
import { cases } from './cases.ts'

// A property is many tests in one. To shrink a counterexample on a store takes longer than to read it.
vi.setConfig({ testTimeout: 300_000 })
fc.configureGlobal({ endOnFailure: true })

/** Returns a place in its own project, so that all runs can share one graph. */
const place = () => ({ project: `run ${crypto.randomUUID()}`, featureId: 'FEAT-1', taskId: 'TASK-1' })

const chain = (numbers: Iterable<number>): string => {
  const present = [...new Set(numbers)].sort((a, b) => a - b)
  return present
    .slice(1)
    .map((number, i) => `${present[i]}→${number}`)
    .join(' ')
}

const contexts = async (graph: Graph, where: ReturnType<typeof place>, turns: readonly number[]) => {
  const answers: string[] = []
  for (const role of ['player', 'coach'] as const)
    for (const currentTurn of turns) {
      const answer = await clientOf(graph).loadTurnContinuationContext({ ...where, role, currentTurn })
      answers.push(JSON.stringify(answer))
    }
  return answers
}

for (const engine of enginesHere([memory, neo4jLts])) {
  const numRuns = engine === memory ? cases(6) : cases(1)
  describeOn(engine, (store) => {
    const handles = useGraph(store)

    test('any record is read back in the form of its answer, also after a repeat', async () => {
      await fc.assert(
        fc.asyncProperty(anyContent, async (content) => {
          const sent = { ...place(), turnNumber: 1, ...content }
          const { created, superseded, worldCreated, redactions, ...answered } = await clientOf(
            handles.graph,
          ).captureTurnState(sent)
          expect(created).toBe(true)
          const { project, worldSlug } = answered
          const read = await clientOf(handles.graph).getTurn({ project, worldSlug, turnNumber: 1 })
          expect(read).toEqual(answered)
          const again = await clientOf(handles.graph).captureTurnState(sent)
          expect(again).toEqual({
            ...answered,
            created: false,
            superseded: false,
            worldCreated: false,
            redactions,
          })
        }),
        { numRuns },
      )
    })

    test('records that are sent once to three times, in any interleaving, are stored once each', async () => {
      const records = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 9 }), anyContent), {
        selector: ([turnNumber]) => turnNumber,
        minLength: 1,
        maxLength: 4,
      })
      const rounds = records.chain((turns) =>
        fc
          .tuple(
            ...turns.map((turn) => fc.integer({ min: 1, max: 3 }).map((times) => Array(times).fill(turn))),
          )
          .chain((copies) => {
            const all = copies.flat() as typeof turns
            return fc.tuple(
              fc.constant(turns),
              fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
              fc.integer({ min: 1, max: 3 }),
            )
          }),
      )
      await fc.assert(
        fc.asyncProperty(rounds, async ([turns, arrivals, atOnce]) => {
          const where = place()
          const answers = []
          for (let i = 0; i < arrivals.length; i += atOnce) {
            const together = arrivals
              .slice(i, i + atOnce)
              .map(([turnNumber, content]) =>
                clientOf(handles.graph).captureTurnState({ ...where, turnNumber, ...content }),
              )
            answers.push(...(await Promise.all(together)))
          }
          expect(answers.filter(({ created }) => created)).toHaveLength(turns.length)
          const { items } = await clientOf(handles.graph).listTurns({
            project: where.project,
            worldSlug: 'TASK-1',
          })
          expect(items.map(({ turnNumber }) => turnNumber)).toEqual(
            turns.map(([n]) => n).sort((a, b) => a - b),
          )
        }),
        { numRuns },
      )
    })

    test('the chain has exactly the stored turns, also after late and superseding ones', async () => {
      const arrival = fc.record({
        turnNumber: fc.integer({ min: 1, max: 6 }),
        playerSummary: fc.constantFrom('a', 'b', 'c'),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 10 }), async (arrivals) => {
          const where = place()
          const model = new Map<number, string[]>()
          for (const { turnNumber, playerSummary } of arrivals) {
            const sent: TurnToSend = {
              ...where,
              turnNumber,
              playerSummary,
              completedAt: null,
              onConflict: 'supersede',
            }
            const stood = model.get(turnNumber) ?? []
            const { created, superseded } = await clientOf(handles.graph).captureTurnState(sent)
            const isNew = stood.at(-1) !== playerSummary
            expect({ created, superseded }).toEqual({ created: isNew, superseded: isNew && stood.length > 0 })
            if (isNew) model.set(turnNumber, [...stood, playerSummary])
          }
          expect(await chainOf(handles.graph, worldKey(where.project, 'TASK-1'))).toBe(chain(model.keys()))
          const at = { project: where.project, worldSlug: 'TASK-1' }
          for (const [turnNumber, stood] of model) {
            const now = await clientOf(handles.graph).getTurn({ ...at, turnNumber })
            expect(now.playerSummary).toBe(stood.at(-1))
            const { items } = await clientOf(handles.graph).getTurnHistory({ ...at, turnNumber })
            expect(items.map(({ playerSummary }) => playerSummary)).toEqual(stood.slice(0, -1).reverse())
          }
          const { currentTurn } = await clientOf(handles.graph).getWorld(at)
          expect(currentTurn).toBe(Math.max(...model.keys()))
          for (const current of [2, 4, 7]) {
            const below = [...model.keys()].filter((turnNumber) => turnNumber < current)
            const { previousTurn } = await clientOf(handles.graph).loadTurnContinuationContext({
              ...where,
              currentTurn: current,
            })
            expect(previousTurn).toBe(below.length === 0 ? null : Math.max(...below))
          }
        }),
        { numRuns },
      )
    })

    test('the state as of every turn follows from its verdicts, in any order of arrival', async () => {
      const texts = [
        'the shop opens at nine sharp',
        'every guest is greeted warmly',
        'all prices include the tax',
      ]
      const entry = fc.record({
        which: fc.nat(2),
        status: fc.constantFrom(
          'verified' as const,
          'rejected' as const,
          'pending' as const,
          'unknown' as const,
        ),
        source: fc.constantFrom('coach' as const, 'validator' as const, 'player' as const),
        evidence: fc.constantFrom(null, 'Promise status: complete', 'test_it fails'),
      })
      const arrival = fc.record({
        turnNumber: fc.integer({ min: 1, max: 5 }),
        entries: fc.uniqueArray(entry, { selector: ({ which }) => which, maxLength: 3 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 7 }), async (arrivals) => {
          const where = place()
          const model: Judged = new Map()
          for (const { turnNumber, entries } of arrivals) {
            model.set(turnNumber, entries)
            await clientOf(handles.graph).captureTurnState({
              ...where,
              turnNumber,
              playerSummary: '',
              completedAt: null,
              onConflict: 'supersede',
              verifications: entries.map(({ which, ...said }) => ({
                criterionId: `AC-${which + 1}`,
                criterionText: texts[which],
                ...said,
              })),
            })
          }
          for (const role of ['player', 'coach'] as const)
            for (const policy of ['sticky', 'evidence', 'latest'] as const)
              for (const currentTurn of [2, 3, 4, 5, 6]) {
                const { status, criteria } = await clientOf(handles.graph).loadTurnContinuationContext({
                  ...where,
                  policy,
                  currentTurn,
                  role,
                })
                const shown = criteria.map((c) => ({
                  criterionId: c.criterionId,
                  state: c.state,
                  verifiedInTurn: c.verifiedInTurn,
                  contested: c.contested?.turn ?? null,
                  lastTurn: c.lastTurn,
                  history: c.history?.map(
                    (said) => `${said.turn} ${said.status} ${said.source} ${said.evidence}`,
                  ),
                }))
                const expected = status === 'ok' ? standing(model, currentTurn, policy, role) : []
                expect(shown, `${role}, ${policy}, before turn ${currentTurn}`).toEqual(expected)
              }
        }),
        { numRuns },
      )
    })

    test('two scopes of any names never see each other', async () => {
      const scope = fc.record({ project: anyName, featureId: anyName, taskId: anyName })
      await fc.assert(
        fc.asyncProperty(scope, scope, async (a, b) => {
          fc.pre(JSON.stringify(a) !== JSON.stringify(b))
          const run = crypto.randomUUID()
          const scopes = [a, b].map((names) => ({ ...names, project: `${names.project}${run}` }))
          for (const [i, where] of scopes.entries()) {
            await clientOf(handles.graph).captureTurnState({
              ...where,
              turnNumber: 1,
              playerSummary: `CANARY-${i}`,
              verifications: [{ criterionId: 'AC-1', criterionText: `of CANARY-${i}`, status: 'verified' }],
            })
          }
          for (const [i, where] of scopes.entries()) {
            const view = await clientOf(handles.graph).loadTurnContinuationContext({
              ...where,
              currentTurn: 2,
            })
            expect(new Set(JSON.stringify(view).match(/CANARY-\d/g))).toEqual(new Set([`CANARY-${i}`]))
          }
        }),
        { numRuns },
      )
    })

    test('a Player never sees evidence, gates, details or extra, whatever the record', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyContent, { minLength: 1, maxLength: 3 }), async (contents) => {
          const where = place()
          for (const [i, { promises, ...content }] of contents.entries()) {
            await clientOf(handles.graph).captureTurnState({
              ...where,
              ...content,
              turnNumber: i + 1,
              verifications: (content.verifications ?? []).map((v) => ({
                ...v,
                evidence: 'CANARY-evidence',
              })),
              issues: (content.issues ?? []).map((issue) => ({ ...issue, details: 'CANARY-details' })),
              gates: { 'CANARY-gate': 'failed' },
              extra: { 'CANARY-extra': true },
            })
          }
          for (const policy of ['sticky', 'evidence', 'latest'] as const) {
            const view = await clientOf(handles.graph).loadTurnContinuationContext({
              ...where,
              policy,
              currentTurn: 9,
            })
            expect(view.status).toBe('ok')
            expect(JSON.stringify(view)).not.toContain('CANARY')
          }
        }),
        { numRuns },
      )
    })

    test('the same captures give byte-identical contexts, also if the rows are shuffled', async () => {
      const reference = await handles.open(() => shuffled.open())
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), anyContent), { minLength: 1, maxLength: 4 }),
          async (arrivals) => {
            const where = place()
            for (const graph of [handles.graph, reference]) {
              for (const [turnNumber, content] of arrivals) {
                await captureSteadily(graph, { ...where, turnNumber, ...content, onConflict: 'supersede' })
              }
            }
            const here = await contexts(handles.graph, where, [2, 3, 5])
            expect(await contexts(handles.graph, where, [2, 3, 5])).toEqual(here)
            expect(await contexts(reference, where, [2, 3, 5])).toEqual(here)
          },
        ),
        { numRuns },
      )
      await reference.close()
    })
  })
}

type Entry = { which: number; status: string; source: string; evidence: string | null }
type Judged = Map<number, Entry[]>

/** A simple implementation of the rules for a state (criteria.md, "State"). */
function standing(
  model: Judged,
  currentTurn: number,
  policy: 'sticky' | 'evidence' | 'latest',
  role: 'player' | 'coach',
) {
  const said = [...model]
    .filter(([turn]) => turn < currentTurn)
    .sort(([a], [b]) => a - b)
    .flatMap(([turn, entries]) => entries.map((entry) => ({ turn, ...entry })))
  return [0, 1, 2].flatMap((which) => {
    const own = said.filter((entry) => entry.which === which)
    const judged = own.filter(({ source }) => source !== 'player')
    if (judged.length === 0) return []
    let state = 'pending'
    let verifiedInTurn: number | null = null
    let contested: number | null = null
    for (const { turn, status, evidence } of judged) {
      if (policy === 'latest') {
        if (status !== 'unknown') [state, verifiedInTurn] = [status, status === 'verified' ? turn : null]
      } else if (status === 'verified') {
        ;[state, verifiedInTurn, contested] = ['verified', verifiedInTurn ?? turn, null]
      } else if (status === 'rejected') {
        const stays = state === 'verified' && (policy === 'sticky' || evidence !== 'test_it fails')
        if (stays) contested = turn
        else [state, verifiedInTurn, contested] = ['rejected', null, null]
      }
    }
    const history =
      role === 'player'
        ? undefined
        : own.map((entry) => `${entry.turn} ${entry.status} ${entry.source} ${entry.evidence}`)
    const lastTurn = judged.at(-1)?.turn ?? null
    return [{ criterionId: `AC-${which + 1}`, state, verifiedInTurn, contested, lastTurn, history }]
  })
}
