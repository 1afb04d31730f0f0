/** Selects what is to be run: the commands that a specification declares, or one command for named criteria. Pure. */
import { TurngraphError } from '../core/errors.ts'
import { normalizeLabel } from '../rules/labels.ts'

/** A command with the criteria that its end proves. */
export type Check = {
  argv: readonly string[]
  criteria: readonly { criterionId: string; criterionText?: string }[]
}

/** A declared criterion, as a specification shows it. */
export type DeclaredCriterion = {
  criterionId?: string | null | undefined
  text: string
  command?: readonly string[] | null | undefined
}

/**
 * Selects the declared commands. Criteria with equal commands share one run.
 *
 * @param criterionIds labels of the criteria that are to be checked; empty: all that declare a command
 * @throws `invalid_request` if a named criterion does not exist or declares no command, or if none does
 */
export function selectDeclared(
  declared: readonly DeclaredCriterion[],
  criterionIds: readonly string[],
): Check[] {
  const labeled = labelDeclared(declared)
  const chosen =
    criterionIds.length === 0 ? labeled : [...new Set(criterionIds.map((id) => findLabel(labeled, id)))]
  const checks = new Map<string, Check>()
  for (const { criterionId, text, command } of chosen) {
    if (command == null || command.length === 0) {
      if (criterionIds.length === 0) continue
      throw invalid(`${criterionId} declares no command.`, 'Give the command behind `--`, or declare it.')
    }
    const key = JSON.stringify(command)
    const criteria = [...(checks.get(key)?.criteria ?? []), { criterionId, criterionText: text }]
    checks.set(key, { argv: command, criteria })
  }
  if (checks.size > 0) return [...checks.values()]
  throw invalid(
    'No criterion of the task declares a command.',
    'Declare one, as in "`npm test` passes", or give one: turngraph verify --criterion AC-001 -- npm test',
  )
}

/** A criterion that a judge or the Player has named. */
export type NamedCriterion = { text: string | null; aliases: readonly { label: string }[] }

/**
 * Selects one command for named criteria, which need not be declared.
 *
 * @param known criteria of the session. If the task declares none, their texts identify the criterion, because a label alone may
 *   become another one.
 * @throws `invalid_request` if no criterion is named
 */
export function selectGiven(
  argv: readonly string[],
  criterionIds: readonly string[],
  declared: readonly DeclaredCriterion[],
  known: readonly NamedCriterion[] = [],
): Check {
  if (criterionIds.length === 0)
    throw invalid('The command proves no criterion.', 'Name the criteria that it proves with --criterion.')
  const labeled = labelDeclared(declared)
  const named = criterionIds.map((id) =>
    declared.length === 0 ? { criterionId: id, ...textOf(id, known) } : findLabel(labeled, id),
  )
  return {
    argv,
    criteria: named.map((one) => ({
      criterionId: one.criterionId,
      ...('text' in one && { criterionText: one.text }),
    })),
  }
}

/** Finds the text of the only criterion with a label. */
function textOf(id: string, known: readonly NamedCriterion[]): { text?: string } {
  const label = normalizeLabel(id)
  const found = known.filter(({ aliases }) => aliases.some((alias) => normalizeLabel(alias.label) === label))
  const [only] = found
  return found.length === 1 && only?.text != null ? { text: only.text } : {}
}

type Labeled = DeclaredCriterion & { criterionId: string }

const labelDeclared = (declared: readonly DeclaredCriterion[]): Labeled[] =>
  declared.map((each, i) => ({ ...each, criterionId: each.criterionId ?? normalizeLabel(`AC-${i + 1}`) }))

function findLabel(labeled: readonly Labeled[], id: string): Labeled {
  const found = labeled.find(({ criterionId }) => normalizeLabel(criterionId) === normalizeLabel(id))
  if (found !== undefined) return found
  const known = labeled.slice(0, 10).map(({ criterionId }) => criterionId)
  throw invalid(`The task declares no criterion ${id}.`, `It declares ${known.join(', ')}.`)
}

const invalid = (message: string, hint: string): TurngraphError =>
  new TurngraphError('invalid_request', message, { hint })
