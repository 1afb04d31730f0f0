/** Checks and removes the keys of a turn record that follow from its other fields. */
import { invalidField, invalidFields } from '../../core/errors.ts'
import { keysOfProject, turnKey, worldKey } from '../../core/keys.ts'
import type { CaptureRequest } from './record.ts'
import { findCoachDecision, toPlayerDecision, toSeverity } from './words.ts'

/**
 * Removes the derived keys from a turn record that was read back from Turngraph or written by seed 000's `to_episode_body`,
 * after checking that each agrees with its source fields. Keeps the given word of a decision or a severity, which is part of
 * the record.
 *
 * @throws `invalid_request` with every key that differs
 */
export function removeDerivedKeys<R extends CaptureRequest & { project: string }>(request: R): R {
  const problems = findDifferences(request)
  if (problems.length > 0)
    throw invalidFields(problems, {
      of: 'the turn record: ',
      hint: 'These keys follow from others; correct them, or leave them out.',
    })
  const { entityType, id, key, createdAt, recordedBy, ...record } = request
  return record as R
}

/** Removes the project if the key of the record contains it. @throws `invalid_request` if the key does not fit */
export function removeProject(given: object): object {
  if (!('project' in given) || typeof given.project !== 'string') return given
  const { project, ...record } = given
  const key = 'key' in record ? record.key : undefined
  if (typeof key !== 'string') {
    throw invalidField('project', "is the connection's; leave it out, or send the record with its key")
  }
  if (!key.startsWith(keysOfProject(given.project).after)) {
    throw invalidField('project', `is "${given.project}", but the key "${key}" is of another one`)
  }
  return record
}

type Problem = { path: string; message: string }

function findDifferences(request: CaptureRequest & { project: string }): Problem[] {
  const { project, worldSlug, turnNumber, issues = [] } = request
  const problems: Problem[] = []
  if (request.key != null) {
    const expected = worldSlug == null ? null : turnKey(worldKey(project, worldSlug), turnNumber)
    if (expected === null)
      problems.push({ path: 'key', message: 'cannot be checked without world_slug; name the world too' })
    else if (request.key !== expected) {
      const message = `is "${request.key}", but project, world_slug and turn_number make it "${expected}"`
      problems.push({ path: 'key', message })
    }
  }
  return [
    ...problems,
    ...differentRaw('player_decision', request.playerDecision, request.playerDecisionRaw, toPlayerDecision),
    ...differentRaw('coach_decision', request.coachDecision, request.coachDecisionRaw, findCoachDecision),
    ...issues.flatMap(({ severity, severityRaw }, i) =>
      differentRaw(`issues[${i}].severity`, severity, severityRaw, toSeverity),
    ),
  ]
}

/** Builds the display id of the seed. It is not unique across tasks, so it is never looked up. */
export const seedId = ({ featureId, turnNumber }: Pick<CaptureRequest, 'featureId' | 'turnNumber'>): string =>
  `TURN-${featureId}-${turnNumber}`

/** Reports a word that differs from its given form. `unknown` fits any form, because an import stores it for unknown words. */
function differentRaw(
  path: string,
  word: string | null | undefined,
  raw: string | null | undefined,
  find: (given: string) => string | undefined,
): Problem[] {
  const meaning = find(word ?? 'unknown')
  if (raw === undefined || meaning === 'unknown') return []
  if (raw !== null && find(raw) === meaning) return []
  const given = raw === null ? 'null' : `"${raw}"`
  return [{ path: `${path}_raw`, message: `is ${given}, which does not mean "${meaning}" as ${path} does` }]
}
