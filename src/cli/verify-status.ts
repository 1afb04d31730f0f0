/** `turngraph verify --status`: prints on which tree each criterion was observed. It runs nothing. */
import type { Differences } from '../artifacts/git-tree.ts'
import { plural } from '../core/plural.ts'
import type { OperationOutput } from '../operations/table.ts'
import { toOneLine } from '../rules/foreign-text.ts'
import { normalizeLabel } from '../rules/labels.ts'
import { printJson, printNote, printText } from './output.ts'
import type { Given } from './verify-options.ts'
import { findTask, usage } from './verify-task.ts'

const MAX_FILES = 100
const MAX_PRINTED_FILES = 5

type View = OperationOutput<'listCriteria'>
type Criterion = View['criteria'][number]
type Status = {
  criterion: Criterion
  seen: 'this_tree' | 'earlier_tree' | 'never'
  /** Null if the repository does not have the earlier tree. */
  files: readonly string[] | null
}

export async function printStatus(given: Given): Promise<void> {
  const { featureId, taskId, worldSlug, project, json = false } = given
  const { readTree, listDifferences } = await import('../artifacts/git-tree.ts')
  const { withClient } = await import('./connect.ts')
  const folder = process.cwd()
  const here = await readTree(folder)
  if (here === null) throw usage('--status compares trees, and this folder is in no git repository.')
  const { tree, dirty } = here
  const view = await withClient({ project, readsOnly: true }, async (client) => {
    const task = await findTask(client, { featureId, taskId, worldSlug })
    return client.listCriteria({ ...task, ...(worldSlug !== undefined && { worldSlug }), tree, dirty })
  })
  const known = new Map<string, Promise<Differences | null>>()
  const compare = (from: { tree: string; dirty: string | null }): Promise<Differences | null> => {
    const key = `${from.tree} ${from.dirty}`
    const found = known.get(key) ?? listDifferences(folder, from)
    known.set(key, found)
    return found
  }
  const statuses: Status[] = []
  for (const criterion of chooseCriteria(view, given.criterionIds))
    statuses.push(await compareCriterion(criterion, compare))
  if (json) return printJson({ ...toHead(view), ...here, criteria: statuses.map(toWire) })
  for (const status of statuses) printText(toOneLine(describeStatus(status)))
  const holds = ({ criterion, seen }: Status) => seen === 'this_tree' && !criterion.refuted
  const count = statuses.filter(holds).length
  const changes = dirty === null ? '' : ' with uncommitted changes'
  printNote(
    `${count} of ${plural(statuses.length, 'criterion', 'criteria')} observed on this tree, ${tree.slice(0, 12)}${changes}.`,
  )
}

/** @throws `invalid_request` for a criterion that the task does not have */
function chooseCriteria({ criteria }: View, criterionIds: readonly string[] | undefined): Criterion[] {
  if (criterionIds === undefined) return criteria
  return criterionIds.map((id) => {
    const label = normalizeLabel(id)
    const found = criteria.find(({ criterionId }) => normalizeLabel(criterionId ?? '') === label)
    if (found === undefined) throw usage(`The task has no criterion ${toOneLine(id)}.`)
    return found
  })
}

/** Files that are equal to those observed are the same tree, whether they are committed by now or not. */
async function compareCriterion(
  criterion: Criterion,
  compare: (from: { tree: string; dirty: string | null }) => Promise<Differences | null>,
): Promise<Status> {
  const { seen = 'never', observedOn } = criterion
  if (seen !== 'earlier_tree' || observedOn == null) return { criterion, seen, files: [] }
  if (observedOn.tree === null) return { criterion, seen, files: null }
  const differences = await compare({ tree: observedOn.tree, dirty: observedOn.dirty })
  if (differences === null) return { criterion, seen, files: null }
  if (differences.isSame) return { criterion, seen: 'this_tree', files: [] }
  return { criterion, seen, files: differences.files }
}

function describeStatus({ criterion, seen, files }: Status): string {
  const { criterionId, state, observedOn, contested, refuted } = criterion
  const words = {
    this_tree: '✓ observed on this tree',
    earlier_tree:
      observedOn?.tree == null
        ? '○ observed on an unknown tree'
        : `○ observed on an earlier tree, ${describeFiles(files, observedOn.dirty !== null)}`,
    never: state === 'rejected' ? '✗ never observed, rejected' : '· never observed',
  }[seen]
  const mark = refuted ? '✗' : words.slice(0, 1)
  const rejected = contested === null ? '' : `, and rejected later in turn ${contested.turn}`
  return `${mark} ${criterionId}: ${words.slice(2)}${rejected}`
}

function describeFiles(files: readonly string[] | null, hadChanges: boolean): string {
  if (files === null) return 'which this repository does not have'
  if (files.length === 0) return 'with changes that are gone'
  const more = files.length > MAX_PRINTED_FILES ? ` and ${files.length - MAX_PRINTED_FILES} more` : ''
  // The contents of changes that were not committed are unknown, so some of these files may be equal.
  const differ = hadChanges ? 'may differ' : files.length === 1 ? 'differs' : 'differ'
  return `${plural(files.length, 'file')} ${differ}: ${files.slice(0, MAX_PRINTED_FILES).join(', ')}${more}`
}

const toHead = ({ worldSlug, asOfTurn }: View) => ({ world_slug: worldSlug, as_of_turn: asOfTurn })

const toWire = ({ criterion, seen, files }: Status) => ({
  criterion_id: criterion.criterionId,
  text: criterion.text,
  state: criterion.state,
  contested_in_turn: criterion.contested?.turn ?? null,
  seen,
  observed_on: criterion.observedOn ?? null,
  differing_files: files?.slice(0, MAX_FILES) ?? null,
  differing_files_count: files?.length ?? null,
})
