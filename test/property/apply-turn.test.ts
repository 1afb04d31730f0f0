import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { taskKey, worldKey } from '../../src/core/keys.ts'
import { normalizeTurn } from '../../src/memory/record/normalize.ts'
import { captureRequest } from '../../src/memory/record/record.ts'
import {
  type AdditionEntry,
  applyTurn,
  emptyRegistry,
  emptyState,
  foldWorld,
  type TurnEntry,
  type WithdrawalEntry,
} from '../../src/rules/apply-turn.ts'
import {
  applyCapture,
  applyDeclaration,
  type Captured,
  emptyTask,
  foldTask,
} from '../../src/rules/fold-task.ts'
import { decodeState, encodeState, type Registry, type WorldState } from '../../src/rules/world-state.ts'
import { useGraph } from '../contract/store.ts'
import { describeOn, memory } from '../support/engines.ts'
import { expectSameAnswers, textOfState, toCaptured } from '../support/folded-world.ts'
import { anyRecord, CRITERIA } from '../support/random-sessions.ts'
import { aTurn, clientOf, FEATURE, PROJECT, TASK, type TurnToSend } from '../support/records.ts'
import { cases } from './cases.ts'

vi.setConfig({ testTimeout: 900_000 })

const TASK_KEY = taskKey(PROJECT, FEATURE, TASK)
const WORLD_KEY = worldKey(PROJECT, 'main')

let captures = 0

const toEntry = (turnNumber: number, sent: Partial<TurnToSend>): TurnEntry => {
  const request = captureRequest.parse(aTurn(turnNumber, sent)) as Parameters<typeof normalizeTurn>[0]
  return {
    kind: 'turn',
    record: normalizeTurn(request, '2026-01-01T00:00:00.000000Z'),
    digest: `record ${++captures}`,
    meanings: null,
  }
}

const anyVerification = fc.record({
  criterionId: fc.constantFrom('AC-1', 'AC-2', 'A4'),
  criterionText: fc.constantFrom(null, ...CRITERIA),
  status: fc.constantFrom('verified' as const, 'rejected' as const, 'unknown' as const),
  evidence: fc.constantFrom('npm test: 3 of 3 pass', null),
  source: fc.constantFrom('command' as const, 'validator' as const),
})

const toAddition = (
  addition: Pick<AdditionEntry, 'turn' | 'startedAt' | 'verifications'>,
): AdditionEntry => ({
  ...{ kind: 'addition', position: 0, meanings: null },
  ...addition,
  digest: JSON.stringify(addition),
})

const anyEntry: fc.Arbitrary<TurnEntry | AdditionEntry | WithdrawalEntry> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 6 }), anyRecord).map(([turn, sent]) => toEntry(turn, sent)),
  },
  {
    weight: 2,
    arbitrary: fc
      .record({
        turn: fc.integer({ min: 1, max: 6 }),
        startedAt: fc.constantFrom('2026-03-01T10:00:00Z', '2026-03-01T10:00:00.5Z', '2026-03-01T10:00:01Z'),
        verifications: fc.array(anyVerification, { minLength: 1, maxLength: 2 }),
      })
      .map((addition) => toAddition(addition)),
  },
  { weight: 1, arbitrary: fc.nat(5).map((above) => ({ kind: 'withdrawal' as const, above })) },
)

type Kept = TurnEntry | AdditionEntry
type World = { registry: Registry; state: WorldState; entries: readonly Kept[] }

const emptyWorld = (): World => ({
  registry: emptyRegistry(TASK_KEY),
  state: emptyState(WORLD_KEY),
  entries: [],
})

/** Applies an entry like a service: to the stored state, or to all entries if that is required. */
function apply(
  { registry, state, entries }: World,
  entry: Kept | WithdrawalEntry,
): World & { isFolded: boolean } {
  const stored = decodeState(registry.taskKey, encodeState(registry.taskKey, state))
  const applied = applyTurn(registry, { ...state, ...stored }, entry)
  if (applied === null || entry.kind === 'withdrawal')
    return { ...foldWorld<Kept>(registry, state, [...entries, entry]), isFolded: true }
  return {
    ...applied,
    entries: [...entries, { ...entry, meanings: applied.changes.meanings }],
    isFolded: false,
  }
}

const textOf = ({ registry, state }: Pick<World, 'registry' | 'state'>) =>
  textOfState(registry.taskKey, state)

describe('a record applied to the state of its world', () => {
  test('applying turns one by one or all together gives the same bytes, in any order of arrival', () => {
    let [steps, folds] = [0, 0]
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 12 }), (arriving) => {
        let world = emptyWorld()
        for (const entry of arriving) {
          const { isFolded, ...next } = apply(world, entry)
          world = next
          steps++
          if (isFolded) folds++
          const atOnce = foldWorld<Kept>(world.registry, world.state, world.entries)
          expect(textOf(atOnce)).toBe(textOf(world))
          expect(atOnce.entries).toEqual(world.entries)
        }
      }),
      { numRuns: cases(60) },
    )
    expect(folds).toBeGreaterThan(0)
    expect(folds).toBeLessThan(steps)
  })

  test('entries whose criteria are decided give the same state in any order of arrival', () => {
    fc.assert(
      fc.property(
        fc.array(anyEntry, { maxLength: 10 }),
        fc.array(fc.nat(), { minLength: 10, maxLength: 10 }),
        (arriving, order) => {
          const { registry, state, entries } = arriving.reduce<World>(apply, emptyWorld())
          const turns = entries.filter(({ kind }) => kind === 'turn')
          const shuffled = turns
            .map((entry, i) => ({ entry, at: order[i] ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ entry }) => entry)
          const additions = entries.filter(({ kind }) => kind === 'addition')
          const late = additions.toReversed()
          const again = [...shuffled, ...late, ...late].reduce<World>(apply, { ...emptyWorld(), registry })
          expect(textOf(again)).toBe(textOf({ registry, state }))
        },
      ),
      { numRuns: cases(40) },
    )
  })

  test('a replaced turn and withdrawn turns leave no trace in the state', () => {
    fc.assert(
      fc.property(anyRecord, anyRecord, anyRecord, (first, replaced, late) => {
        const kept = [toEntry(1, first), toEntry(2, late)].reduce<World>(apply, emptyWorld())
        const [one, two] = kept.entries
        if (one === undefined || two === undefined) throw new Error('two turns were applied')
        const given: (Kept | WithdrawalEntry)[] = [
          toEntry(1, replaced),
          one,
          toEntry(3, replaced),
          toEntry(4, late),
          { kind: 'withdrawal', above: 2 },
        ]
        const world = given.reduce<World>(apply, kept)
        const { state } = foldWorld<Kept>(world.registry, world.state, [one, two])
        expect(textOf(world)).toBe(textOf({ ...world, state }))
        expect([world.state.turn, world.state.turnCount]).toEqual([2, 2])
      }),
      { numRuns: cases(30) },
    )
  })

  test('a verification that is added to a turn counts as of that turn, and does not change the turn', () => {
    const text = 'It answers with 404'
    const world = [
      toEntry(1, {
        verifications: [
          { criterionId: 'AC-1', criterionText: text, status: 'rejected', evidence: 'It answers 500' },
        ],
      }),
      toAddition({
        turn: 1,
        startedAt: '2026-03-01T10:00:00Z',
        verifications: [
          {
            criterionId: 'AC-1',
            criterionText: text,
            status: 'verified',
            source: 'command',
            evidence: 'exit 0',
          },
        ],
      }),
    ].reduce<World>(apply, emptyWorld())
    const [progress] = [...world.state.progress.values()]
    expect(world.state).toMatchObject({
      turn: 1,
      turnCount: 1,
      digest: world.entries[0]?.kind === 'turn' ? world.entries[0].digest : null,
    })
    expect(progress).toMatchObject({ state: 'verified', verifiedInTurn: 1, entries: 2, rejections: 1 })
  })

  test('the state of a world of 500 criteria and 30 turns is below 150 KB, and the registry has the texts', () => {
    const numbers = Array.from({ length: 500 }, (_, i) => i + 1)
    let world = emptyWorld()
    for (let turn = 971; turn <= 1_000; turn++) {
      const sent = {
        issues: [1, 2].map((i) => ({
          severity: 'blocking',
          description: `\`sumPrices\` in src/till-${i}.ts fails ${turn} tests`,
        })),
        filesModified: numbers
          .filter((i) => i % 10 === turn % 10)
          .map((i) => `src/module-${i % 100}/file-${i}.ts`),
        promises: numbers.map((i) => ({
          criterionId: `AC-${i}`,
          criterionText: `Criterion ${i} holds for module-${i}`,
          status: 'complete' as const,
          evidence: `The test of file ${i} in module ${i % 100} passes after turn ${turn}`,
          implementationFiles: [`src/module-${i % 100}/file-${i}.ts`],
        })),
        verifications: numbers.map((i) => ({
          criterionId: `AC-${i}`,
          criterionText: `Criterion ${i} holds for module-${i}`,
          status: (i + turn) % 7 === 0 ? ('rejected' as const) : ('verified' as const),
          evidence: 'Seen in the test run',
        })),
      }
      const { registry, state, entries } = world
      const applied = applyTurn(registry, state, toEntry(turn, sent))
      if (applied === null) throw new Error('a newest turn is applied')
      world = { ...applied, entries }
    }
    expect(world.state.progress.size).toBe(500)
    const text = encodeState(TASK_KEY, world.state)
    expect(text.length).toBeLessThan(150_000)
    expect(decodeState(TASK_KEY, text).progress).toEqual(world.state.progress)
    expect(text).not.toContain('holds for module')
    expect(JSON.stringify(world.registry)).toContain('holds for module-500')
  })
})

/** A capture in a session of a task, or a version of its specification. */
type SessionStep =
  | { worldSlug: string; turn: number; record: Partial<TurnToSend> }
  | { declared: readonly string[] }

const anyStep: fc.Arbitrary<SessionStep> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      worldSlug: fc.constantFrom('one', 'one', 'two'),
      turn: fc.integer({ min: 1, max: 6 }),
      record: anyRecord,
    }),
  },
  { weight: 2, arbitrary: fc.subarray(CRITERIA, { minLength: 1 }).map((declared) => ({ declared })) },
)

/** A session with more turns than a state keeps outcomes of, and with versions that reword and omit criteria. */
const LONG_SESSION: SessionStep[] = [
  { declared: CRITERIA.filter((_, i) => i !== 1) },
  ...turnsFrom(1, 5),
  { declared: CRITERIA.slice(1, 2) },
  { declared: CRITERIA.slice(3) },
  ...turnsFrom(6, 10),
]

function turnsFrom(first: number, last: number): SessionStep[] {
  return Array.from({ length: last - first + 1 }, (_, i) => ({
    worldSlug: 'one',
    turn: first + i,
    record: {
      playerSummary: 'Rounded it',
      coachDecision: 'feedback',
      coachFeedback: 'Round it',
      lessonsFromTurn: [],
      filesModified: ['src/till.ts'],
      gates: {},
      issues: [],
      acceptanceCriteriaStatus: {},
      // The turns in between touch the file of a proof.
      verifications: (i % 2 === 0 ? CRITERIA : []).map((criterionText, place) => ({
        criterionId: `AC-${place + 1}`,
        criterionText,
        status: 'verified' as const,
        evidence: '',
        source: 'coach' as const,
      })),
      promises: [
        {
          criterionId: 'AC-1',
          criterionText: CRITERIA[0] ?? null,
          status: 'complete',
          implementationFiles: ['src/till.ts'],
        },
      ],
    },
  }))
}

describeOn(memory, (store) => {
  const handles = useGraph(store)

  test('registry and state equal the graph after every capture, replacement and declaration', async () => {
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 9 }), async (steps) => {
        const place = { project: `${PROJECT} ${++runs}`, featureId: FEATURE, taskId: TASK }
        const client = clientOf(handles.graph, place.project)
        let task = emptyTask<Captured>(taskKey(place.project, FEATURE, TASK))
        const arrived: Captured[] = []
        const versions: Parameters<typeof applyDeclaration>[1][] = []
        for (const step of steps) {
          if ('declared' in step) {
            const { created, criteria, declaredAt } = await client.declareCriteria({
              ...place,
              criteria: step.declared.map((text) => ({ text })),
            })
            if (!created) continue
            const listings = criteria.map(({ criterionId, text, kind }) => ({
              label: criterionId,
              text,
              kind,
            }))
            versions.push({ declaredAt, listings })
            task = applyDeclaration(task, { declaredAt, listings })
            const { version, retired } = await client.getSpecification(place)
            expect(task.registry.specification?.version).toBe(version)
            expect(task.registry.specification?.retiredIn).toEqual(
              new Map(retired.map(({ key, retiredInVersion }) => [key, retiredInVersion])),
            )
          } else {
            const { worldSlug, turn, record } = step
            const { created, superseded, ...answered } = await client.captureTurnState({
              ...aTurn(turn, { ...place, worldSlug, onConflict: 'supersede', createWorld: true }),
              ...record,
            })
            if (!created) continue
            const isOfTurn = (each: Captured) =>
              each.worldKey === worldKey(place.project, worldSlug) && each.record.turnNumber === turn
            const revision = arrived.filter(isOfTurn).length + 1
            arrived.push(toCaptured(answered, revision))
            task = applyCapture(task, toCaptured(answered, revision))
          }
          for (const worldSlug of ['one', 'two'])
            if (task.worlds.has(worldKey(place.project, worldSlug)))
              await expectSameAnswers(handles.graph, task, { ...place, worldSlug })
        }
        const folded = foldTask(task.registry.taskKey, arrived.toReversed(), versions)
        expect(folded.registry).toEqual(task.registry)
        for (const [key, { state }] of folded.worlds)
          expect(textOf({ ...folded, state })).toBe(
            textOf({ ...task, state: task.worlds.get(key)?.state ?? state }),
          )
      }),
      { numRuns: cases(20), examples: [[LONG_SESSION]] },
    )
  })
})
