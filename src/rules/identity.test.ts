import { describe, expect, test } from 'vitest'
import { criterionKey, labelOnlyCriterionKey } from '../core/keys.ts'
import {
  type Criterion,
  type Entry,
  type Known,
  listMeanings,
  resolveCriteria,
  type TurnEntries,
} from './identity.ts'
import { splitWords } from './words.ts'

const keyOf = (text: string): string => criterionKey('task', splitWords(text).join(' '))
const bareKey = (label: string): string => labelOnlyCriterionKey('task', 'world', label)

const criterion = (text: string, ...labels: string[]): Criterion => ({
  key: keyOf(text),
  texts: [{ text, source: 'coach' }],
  aliases: labels.map((label) => ({ label, source: 'coach' })),
  mergedInto: null,
  worldKey: null,
})
const bare = (label: string, source = 'coach'): Criterion => ({
  key: bareKey(label),
  texts: [],
  aliases: [{ label, source }],
  mergedInto: null,
  worldKey: 'world',
})
/** Criterion that a source meant by a label. */
type Meaning = { source: string; label: string; criterionKey: string }
type More = Partial<Omit<Known, 'labels'>> & { labels?: Meaning[] }
const known = (criteria: Criterion[], { labels = [], ...more }: More = {}): Known => ({
  taskKey: 'task',
  worldKey: 'world',
  criteria,
  labels: new Map(
    labels.flatMap(({ criterionKey: key, ...named }) =>
      listMeanings({ ...named, text: null }).map((meaning) => [meaning, key] as const),
    ),
  ),
  earlier: [],
  ...more,
})
const entry = (label: string | null, text: string | null = null, source = 'coach'): Entry => ({
  label,
  text,
  source,
})
const resolve = (before: Known, turn: Partial<TurnEntries>) =>
  resolveCriteria(before, { promises: [], judgements: [], mentioned: [], ...turn })
const judge = (before: Known, ...entries: Entry[]) => resolve(before, { judgements: [entries] }).judgements[0]

const answers = 'It answers with 404 for an unknown page'
const logs = 'Every request is written to the log'

describe('an entry with a text', () => {
  test('2: a criterion under the same label comes first, otherwise the same one on every engine', () => {
    const [a, b] = [
      criterion('The page shows a list of users', 'AC-001'),
      criterion('The page shows a list of shops', 'AC-002'),
    ]
    const start = 'The page shows a list'
    for (const criteria of [
      [a, b],
      [b, a],
    ]) {
      expect(judge(known(criteria), entry('AC-2', start))).toEqual([b.key])
      expect(judge(known(criteria), entry('AC-1', start))).toEqual([a.key])
      expect(judge(known(criteria), entry('AC-7', start))).toEqual([[a.key, b.key].sort()[0]])
    }
  })

  test('a text without words is known by its label', () => {
    expect(judge(known([]), entry('AC-1', '**'))).toEqual([bareKey('AC-001')])
  })

  test('only changes of a criterion are noted, each once', () => {
    const before = known([criterion(answers, 'AC-001')])
    expect(resolve(before, { judgements: [[entry('AC-001', answers)]] }).changed).toEqual([])
    const { changed } = resolve(before, { judgements: [[entry('AC-2', `${answers}.`, 'validator')]] })
    expect(changed).toEqual([
      {
        ...criterion(answers, 'AC-001'),
        texts: [
          { text: answers, source: 'coach' },
          { text: `${answers}.`, source: 'validator' },
        ],
        aliases: [
          { label: 'AC-001', source: 'coach' },
          { label: 'AC-2', source: 'validator' },
        ],
      },
    ])
    expect(before.criteria).toEqual([criterion(answers, 'AC-001')])
  })
})

describe('an entry with an id only', () => {
  test('is the criterion whose promise has that id at the start of its text', () => {
    const turn = {
      promises: [
        entry('AC-001', `AC-SEED-01** — ${answers}`, 'player'),
        entry('AC-002', `AC-001: ${logs}`, 'player'),
      ],
      judgements: [[entry('AC-SEED-01'), entry('AC-001')]],
    }
    expect(resolve(known([]), turn).judgements).toEqual([[keyOf(answers), keyOf(logs)]])
  })

  test("is not the promise of that id if the judges' evidence shows another numbering", () => {
    const promises = [
      entry('AC-1', 'The table `retry_map` lists every host', 'player'),
      entry('AC-2', 'The host of the mirror is listed', 'player'),
      entry('AC-3', '`delay_for` returns the delay of a try', 'player'),
    ]
    const judged = (evidence: string) => [{ ...entry('AC-2'), evidence }]
    expect(
      resolve(known([]), { promises, judgements: [judged('no test of delay_for()')] }).judgements,
    ).toEqual([[bareKey('AC-002')]])
    expect(resolve(known([]), { promises, judgements: [judged('no test of it')] }).judgements).toEqual([
      [keyOf('The host of the mirror is listed')],
    ])
    // The next promises under these ids do not complete what was left apart.
    const labels = [
      { source: 'coach', label: 'AC-002', criterionKey: bareKey('AC-002') },
      { source: 'player', label: 'AC-002', criterionKey: keyOf(logs) },
    ]
    const later = resolve(known([criterion(logs), bare('AC-002')], { labels }), {
      promises: [entry('AC-2', logs, 'player')],
    })
    expect([later.promises, later.changed.filter(({ mergedInto }) => mergedInto !== null)]).toEqual([
      [keyOf(logs)],
      [],
    ])
  })

  test("a claim of the Player does not make the judges' list another one", () => {
    const turn = {
      promises: [entry('AC-1', answers, 'player')],
      judgements: [[entry('AC-001'), entry('AC-002', null, 'player')]],
    }
    expect(resolve(known([]), turn).judgements[0]?.[0]).toBe(keyOf(answers))
  })
})

describe("the Player's text completes one known by its label alone", () => {
  const completing = { promises: [entry('AC-001', answers, 'player')], judgements: [[entry('AC-001')]] }
  const labels = [{ source: 'coach', label: 'AC-001', criterionKey: bareKey('AC-001') }]

  test('also if the judges name further ids', () => {
    const turn = { ...completing, judgements: [[entry('AC-001'), entry('AC-002')]] }
    const { judgements, promises } = resolve(known([bare('AC-001')], { labels }), turn)
    expect(judgements[0]).toEqual([bareKey('AC-001'), bareKey('AC-002')])
    expect(promises).toEqual([bareKey('AC-001')])
  })
})

test('the order of the criteria in the graph does not matter', () => {
  const criteria = [
    criterion('The page shows a list of users', 'AC-001'),
    criterion('The page shows a list of shops', 'AC-001'),
    criterion('The page shows a list of guests', 'AC-002'),
    bare('AC-003'),
  ]
  const turn = {
    promises: [entry('AC-3', 'The page shows a list', 'player')],
    judgements: [
      [entry('AC-3'), entry('AC-1', 'The page shows a list'), entry('AC-2', 'The page shows a list')],
    ],
  }
  const answer = resolve(known(criteria), turn)
  const turned = resolve(known(criteria.toReversed()), turn)
  const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1)
  expect({ ...turned, changed: turned.changed.toSorted(byKey) }).toEqual({
    ...answer,
    changed: answer.changed.toSorted(byKey),
  })
})
