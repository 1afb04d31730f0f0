/** Compares the derived values of turns and of superseded records with their parts. */
import { supersededKey, taskOfCriterion, taskKey as toTaskKey, turnOfSuperseded } from '../../core/keys.ts'
import type { Label, Stored } from '../../graph/model/nodes.ts'
import { relink, setParts, setProperties } from '../../graph/model-statements.ts'
import { deriveFromStored } from '../../memory/record/stored-verification.ts'
import { listPromisedEvidence } from '../../rules/absence.ts'
import { deriveTurn } from '../../rules/derive-turn.ts'
import { issueSignature } from '../../rules/signature.ts'
import { type Examined, fittingProperties, keyList, type Part, type ToCheck } from './finding.ts'

/** Returns the number of a turn from its key; NaN if the key is not that of a turn. */
export const numberIn = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))

export const RECORD_COLUMNS = { replaces: '[(x)-[:SUPERSEDES]->(s:SupersededTurn) | s.key]' }

export async function checkTurns({ label, nodes }: ToCheck): Promise<void> {
  for (const turn of nodes) {
    checkNumber(label, turn)
    checkRevision(label, turn)
    checkCriteria(turn)
    if (turn.isWhole) checkDerived(label, turn)
  }
}

function checkNumber(label: Label, { key, properties, about }: Examined): void {
  const number = numberIn(turnOfSuperseded(key))
  if (properties.number === number) return
  const repair = () => (Number.isInteger(number) ? setProperties(label, key, { number }) : null)
  about.add('key_wrong', `has the number ${properties.number}`, repair)
}

const revisionIn = (key: string): number => Number(key.slice(key.lastIndexOf('~') + 1))

/** Checks the revision. The next replacement builds its key from it: if the revision is too low, the key already exists. */
function checkRevision(label: Label, { key, properties, row, about }: Examined): void {
  const turn = turnOfSuperseded(key)
  const revision = turn === key ? Number(properties.revision) : revisionIn(key)
  if (properties.revision !== revision)
    about.add('key_wrong', `has the revision ${properties.revision}`, () =>
      setProperties(label, key, { revision }),
    )
  const replaces = keyList.parse(row.replaces)
  const before = revision > 1 ? supersededKey(turn, revision - 1) : null
  about.reportDifference(
    'record_chain',
    { label: 'record that it replaces', actual: replaces, expected: before === null ? [] : [before] },
    () => {
      const [only = '', ...others] = replaces
      const isAbove = turn === key && others.length === 0 && only === supersededKey(turn, revisionIn(only))
      if (isAbove && revisionIn(only) >= revision)
        return setProperties(label, key, { revision: revisionIn(only) + 1 })
      return before === null ? null : relink([label, key], 'SUPERSEDES', ['SupersededTurn', before], 'both')
    },
  )
}

/** Checks that each verification and promise names one criterion, and that no part names a criterion of another task. */
function checkCriteria({ parts, row, about }: Examined): void {
  const tasks = row.tasks as string[] | undefined
  for (const { label, properties, criteria } of parts) {
    const shown = `${label} ${properties.position}`
    const namesOne = label === 'Verification' || label === 'Promise'
    if (namesOne && criteria.length !== 1)
      about.add('part_criterion', `${shown} names ${criteria.length} criteria instead of 1`)
    const foreign = criteria.filter((key) => tasks !== undefined && !tasks.includes(taskIn(key)))
    if (foreign.length > 0)
      about.add('part_criterion', `${shown} names ${foreign}, which the task does not have`)
  }
}

function taskIn(criterion: string): string {
  const of = taskOfCriterion(criterion)
  return of === null ? '' : toTaskKey(of.project, of.featureId, of.taskId)
}

const partsOf = <L extends Label>(parts: readonly Part[], label: L): Stored<L>[] =>
  parts.flatMap((part) => (part.label === label ? [fittingProperties(label, part.properties)] : []))

/** Compares the values that a capture derives from the decision, the files and the parts of a turn. */
function checkDerived(label: Label, { key, properties, parts, about }: Examined): void {
  const turn = properties as Stored<'Turn'>
  const verifications = parts.flatMap(({ label, properties, criteria: [criterion = ''] }) =>
    label === 'Verification' ? [{ ...fittingProperties(label, properties), criterion }] : [],
  )
  const promises = partsOf(parts, 'Promise')
  const issues = partsOf(parts, 'Issue')
  const gates = partsOf(parts, 'Gate')
  const { properties: derived } = deriveTurn(turn, { verifications, promises, issues, gates })
  const repair = () => setProperties(label, key, derived)
  for (const [name, expected] of Object.entries(derived))
    about.reportDifference(
      'turn_outcome',
      { label: name, actual: turn[name as keyof typeof derived], expected },
      repair,
    )
  const promised = listPromisedEvidence(promises)
  const proofs = verifications.map((verification) => {
    const { substantiated, observedOn = null } = deriveFromStored(verification, promised)
    return { position: verification.position, substantiated, observedOn }
  })
  about.reportDifference(
    'record_invalid',
    {
      label: 'substantiated, observedOn',
      actual: verifications.map(({ position, substantiated, observedOn = null }) => ({
        position,
        substantiated,
        observedOn,
      })),
      expected: proofs,
    },
    () => setParts(label, key, 'RECORDED', proofs),
  )
  const signatures = issues.map((issue) => ({
    position: issue.position,
    signature: issueSignature(issue),
  }))
  about.reportDifference(
    'record_invalid',
    {
      label: 'signatures of issues',
      actual: issues.map(({ position, signature = null }) => ({ position, signature })),
      expected: signatures,
    },
    () => setParts(label, key, 'RAISED', signatures),
  )
}
