/** Resolves the records of a task again, in the order of their captures: its criteria are then as they were. Pure. */
import { type Criterion, type LabelMeaning, resolveDeclared } from '../../rules/identity.ts'
import type { RecordOfTurn } from '../../rules/known-then.ts'
import { needsEarlier, resolveTurn } from '../../rules/turn-entries.ts'
import type { TurnRecord } from '../record/record.ts'

/** A record that was captured, and the session that it belongs to. */
export type Captured = RecordOfTurn & { worldKey: string; record: TurnRecord }

/** A version of what the task declares. */
export type DeclaredVersion = { declaredAt: string; declared: readonly { label: string; text: string }[] }

/** The labels and promises of a record, each with its criterion. */
type Resolved = { labels: LabelMeaning[]; promises: { label: string; criterionKey: string }[] }

/**
 * The criteria of a task after these records and versions: under the names that they gave them, and merged where they merged
 * them.
 *
 * @param captures of all sessions of the task
 */
export function replayCriteria(
  taskKey: string,
  captures: readonly Captured[],
  versions: readonly DeclaredVersion[],
): Criterion[] {
  const criteria = new Map<string, Criterion>()
  let declared: { label: string; criterionKey: string }[] = []
  const add = (changed: readonly Criterion[]): void => {
    for (const criterion of changed) criteria.set(criterion.key, criterion)
  }
  const declare = (version: DeclaredVersion): void => {
    const known = { taskKey, criteria: [...criteria.values()], declared }
    const { keys, changed } = resolveDeclared(known, version.declared)
    add(changed)
    declared = version.declared.map(({ label }, i) => ({ label, criterionKey: keys[i] ?? '' }))
  }
  /** The current record of each turn, by session. */
  const standing = new Map<string, Map<number, Resolved>>()
  const capture = ({ worldKey, number: turn, record }: Captured): void => {
    const turns = standing.get(worldKey) ?? new Map<number, Resolved>()
    const earlier = [...turns].flatMap(([number, resolved]) => (number < turn ? [{ number, resolved }] : []))
    const promised = earlier
      .toSorted((a, b) => a.number - b.number)
      .findLast(({ resolved }) => resolved.promises.length > 0)
    const { changed, labels, promises } = resolveTurn(record, {
      ...{ taskKey, worldKey, declared },
      criteria: [...criteria.values()],
      labels: earlier.flatMap(({ resolved }) => resolved.labels),
      earlier: needsEarlier(record) && promised !== undefined ? promised.resolved.promises : [],
    })
    add(changed)
    turns.set(turn, {
      labels: labels.map((label) => ({ ...label, turn })),
      promises: record.promises.map(({ criterionId: label }, i) => ({
        label,
        criterionKey: promises[i] ?? '',
      })),
    })
    standing.set(worldKey, turns)
  }
  const steps = [
    ...captures.map((each) => ({ at: Date.parse(each.createdAt), each, run: () => capture(each) })),
    ...versions.map((version) => ({
      at: Date.parse(version.declaredAt),
      each: null,
      run: () => declare(version),
    })),
  ]
  // Within one millisecond: first records, then their replacements, then versions.
  const rank = ({ each }: (typeof steps)[0]): number => each?.revision ?? Number.POSITIVE_INFINITY
  steps.sort((a, b) => a.at - b.at || Math.sign(rank(a) - rank(b)) || 0)
  for (const { run } of steps) run()
  return [...criteria.values()]
}
