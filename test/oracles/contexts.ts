// Computes, directly from the files, the answers of any correct implementation for the artifacts of one
// repository.
import { type Task, type Turn, tasks } from './artifacts.ts'
import {
  beginsWith,
  type Criterion,
  type Entry,
  label,
  naturalOrder,
  normalizedText,
  resolveTexts,
  type Who,
  words,
} from './identity.ts'

export type CriterionExpectation = {
  label: string // shown label, '' if none
  text: string | null // shown text as given, null if known only by a label
  state: 'verified' | 'rejected' | 'pending'
  verifiedInTurn: number | null // the first turn that verified it
  contestedInTurn: number | null // the newest rejection since it was last verified
}
export type TurnExpectation = {
  turn: number
  previousTurn: number | null // greatest turn of the world below this one
  coachDecision: string // '' for the turn after the last
  promises: { source: 'current' | 'recovered' | 'none'; recoveredFromTurn: number | null; count: number }
  criteria: CriterionExpectation[] // sticky, as of the turns before this one
}
export type WorldExpectation = { worldIndex: number; turns: TurnExpectation[] }
export type TaskExpectation = {
  featureId: string
  taskId: string
  folder: string
  worlds: WorldExpectation[]
}

/** An entry of a turn's list, with the criterion to which it was resolved. */
type Named = { turn: number; place: number; who: Who; id: string; status: string; criterion: Criterion }

export function final(criterion: Criterion): Criterion {
  return criterion.mergedInto ? final(criterion.mergedInto) : criterion
}

function sameIds(a: Entry[], b: Entry[]): boolean {
  const ids = (list: Entry[]) => [...new Set(list.map((e) => label(e.id)))].sort().join('\n')
  return ids(a) === ids(b)
}

/** Resolves the criterion of every entry of one world; `known` are the task's criteria and grows. */
export function resolveWorld(turns: Turn[], known: Criterion[]): Named[] {
  const named: Named[] = []
  const labelOnly = new Map<string, Criterion>()
  const newest = (who: Who, id: string) => named.findLast((n) => n.who === who && label(n.id) === label(id))

  // Finds the Player's criterion of an id: in this turn's promises, otherwise in those of the newest earlier
  // turn, but only if both lists of that turn name the same ids.
  const players = (id: string): Criterion | undefined => {
    const promise = newest('player', id)
    const turn = turns.find((t) => t.number === promise?.turn)
    return promise && turn && sameIds(turn.promises, turn.verifications)
      ? final(promise.criterion)
      : undefined
  }

  const byId = (who: Who, id: string): Criterion => {
    const last = newest(who, id)
    const own = last ? final(last.criterion) : labelOnly.get(label(id))
    if (last && own && own.texts.length > 0) return own
    const theirs = who === 'coach' ? players(id) : undefined
    if (theirs && own && theirs !== own) own.mergedInto = theirs // the Player's text completes it
    const found = theirs ?? own ?? { texts: [], labels: [], mergedInto: null }
    if (found.texts.length === 0) labelOnly.set(label(id), found)
    if (!found.labels.includes(label(id))) found.labels.push(label(id))
    return found
  }

  for (const turn of turns)
    for (const who of ['player', 'coach'] as const) {
      const list: (Entry & { status?: string })[] = who === 'player' ? turn.promises : turn.verifications
      const byText = resolveTexts(list, known, who)
      const rows = list.map((entry, place) => ({
        turn: turn.number,
        place,
        who,
        id: entry.id,
        status: entry.status ?? 'promised',
        criterion: byText[place] ?? byId(who, entry.id),
      }))
      named.push(...rows)
    }
  return named
}

function shownLabel(entries: Named[]): string {
  const withId = entries.filter((e) => e.id !== '')
  const id = (withId.findLast((e) => e.who === 'coach') ?? withId.at(-1))?.id ?? ''
  return final(entries[0]!.criterion).texts.length > 0 ? label(id) : id
}

/** Returns the text to show, from all texts that the task's criterion ever had. */
function shownText(criterion: Criterion): string | null {
  const of = (who: Who) => criterion.texts.filter((t) => t.who === who).map((t) => t.text)
  const judges = of('coach')
  // A Player's text that came after a judge's must not widen it.
  const before = criterion.texts.slice(
    0,
    criterion.texts.findIndex((t) => t.who === 'coach'),
  )
  const longer = before.map((t) => t.text).filter((t) => judges.some((j) => beginsWith(words(t), words(j))))
  const candidates = judges.length > 0 ? [...judges, ...longer] : of('player')
  // The longest text wins; among equally long ones the judge's, and among those the first.
  const length = (text: string) => normalizedText(text).length
  return candidates.sort((a, b) => length(b) - length(a))[0] ?? null
}

function state(entries: Named[]): Pick<CriterionExpectation, 'state' | 'verifiedInTurn' | 'contestedInTurn'> {
  let verifiedInTurn: number | null = null
  let contestedInTurn: number | null = null
  let rejected = false
  for (const entry of entries) {
    if (entry.who === 'player') continue
    if (entry.status === 'verified') {
      verifiedInTurn ??= entry.turn
      contestedInTurn = null
    }
    if (entry.status === 'rejected') {
      if (verifiedInTurn === null) rejected = true
      else contestedInTurn = entry.turn
    }
  }
  if (verifiedInTurn !== null) return { state: 'verified', verifiedInTurn, contestedInTurn }
  return { state: rejected ? 'rejected' : 'pending', verifiedInTurn, contestedInTurn }
}

/** @param entries those of the visible turns, in turn order and list order */
function criteria(entries: Named[]): CriterionExpectation[] {
  const judged = entries.filter((e) => e.who === 'coach')
  const counting = new Set((judged.length > 0 ? judged : entries).map((e) => final(e.criterion)))
  const rows = [...counting].map((criterion) => {
    const own = entries.filter((e) => final(e.criterion) === criterion)
    const text = shownText(criterion)
    return { first: own[0]!, row: { label: shownLabel(own), text, ...state(own) } }
  })
  rows.sort((a, b) => {
    const x = a.row
    const y = b.row
    if (x.text === null && y.text === null)
      return a.first.turn - b.first.turn || a.first.place - b.first.place
    if (x.text === null || y.text === null) return x.text === null ? 1 : -1
    const byText = normalizedText(x.text) < normalizedText(y.text) ? -1 : 1
    return naturalOrder(x.label, y.label) || byText
  })
  return rows.map((r) => r.row)
}

function promisesFor(turns: Turn[], n: number): TurnExpectation['promises'] {
  const holder = turns.filter((t) => t.number <= n).findLast((t) => t.promises.length > 0)
  if (!holder) return { source: 'none', recoveredFromTurn: null, count: 0 }
  const count = holder.promises.length
  if (holder.number === n) return { source: 'current', recoveredFromTurn: null, count }
  return { source: 'recovered', recoveredFromTurn: holder.number, count }
}

function expectTask(task: Task): TaskExpectation {
  const known: Criterion[] = []
  const named = task.worlds.map((turns) => resolveWorld(turns, known)) // the oldest world first
  const worlds = task.worlds.map((turns, w) => {
    const numbers = turns.map((t) => t.number)
    return {
      worldIndex: w + 1,
      turns: [...numbers, Math.max(...numbers) + 1].map((n) => ({
        turn: n,
        previousTurn: numbers.filter((m) => m < n).at(-1) ?? null,
        coachDecision: turns.find((t) => t.number === n)?.coachDecision ?? '',
        promises: promisesFor(turns, n),
        criteria: criteria(named[w]!.filter((e) => e.turn < n)),
      })),
    }
  })
  return { featureId: task.featureId, taskId: task.taskId, folder: task.folder, worlds }
}

export function expectations(root: string): TaskExpectation[] {
  return tasks(root).map(expectTask)
}
