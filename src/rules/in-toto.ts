/** Writes observed proofs as in-toto Statements, https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md. */
import { sha256, taskOfCriterion } from '../core/keys.ts'

/** An observation of a criterion with its place. */
export type ObservedProof = {
  project: string
  featureId: string
  taskId: string
  worldSlug: string
  turnNumber: number
  criterionId: string
  text: string | null
  status: 'verified' | 'rejected'
  observation: {
    command: readonly string[] | null
    exitCode: number | null
    signal: string | null
    startedAt: string
    durationMs: number | null
    outputDigest: string | null
    tree: string | null
    dirty: string | null
    commit: string | null
    tests: readonly { name: string; status: string }[]
    runner: string | null
    report: { format: string; digest: string } | null
  }
}

type Descriptor = { name?: string; digest?: Record<string, string>; annotations?: Record<string, unknown> }

export type Statement = {
  _type: 'https://in-toto.io/Statement/v1'
  subject: Descriptor[]
  predicateType: 'https://in-toto.io/attestation/test-result/v0.1'
  predicate: {
    result: 'PASSED' | 'FAILED'
    configuration: Descriptor[]
    passedTests: string[]
    warnedTests: string[]
    failedTests: string[]
  }
}

type Verdict = {
  turn: number
  status: string
  source: string
  observation?: ObservedProof['observation'] | undefined
}

/** @param history verdicts that count for the criterion, oldest first */
export function findObservedProof(
  { key, criterionId, text }: { key: string; criterionId: string; text: string | null },
  worldSlug: string,
  history: readonly Verdict[],
): ObservedProof | null {
  const task = taskOfCriterion(key)
  if (task === null) return null
  for (const { turn: turnNumber, status, source, observation } of history.toReversed()) {
    if (observation === undefined || source === 'player') continue
    if (status !== 'verified' && status !== 'rejected') continue
    return { ...task, worldSlug, turnNumber, criterionId, text, status, observation }
  }
  return null
}

/** Returns null if the observation names no files: a statement needs a digest. */
export function toStatement(proof: ObservedProof): Statement | null {
  const { observation, status, text, criterionId } = proof
  const subject = listSubjects(observation)
  if (subject.length === 0) return null
  const { command, report, tests, exitCode, signal, startedAt, durationMs, outputDigest, runner } =
    observation
  const namesOf = (wanted: string) =>
    tests.flatMap(({ name, status: found }) => (found === wanted ? [name] : []))
  const { project, featureId, taskId, worldSlug, turnNumber } = proof
  // A criterion that a command proves is the test itself.
  const own = tests.length === 0 ? [criterionId] : []
  const hasPassed = status === 'verified'
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: hasPassed ? 'PASSED' : 'FAILED',
      configuration: [
        {
          name: criterionId,
          digest: { sha256: sha256(text ?? '') },
          annotations: { project, featureId, taskId, worldSlug, turnNumber, text },
        },
        {
          name: report === null ? 'command' : `${report.format} report`,
          digest: { sha256: report === null ? sha256(JSON.stringify(command)) : toHex(report.digest) },
          annotations: withoutNulls({
            command,
            exitCode,
            signal,
            startedAt,
            durationMs,
            outputDigest,
            runner,
          }),
        },
      ],
      passedTests: hasPassed ? [...own, ...namesOf('passed')] : namesOf('passed'),
      warnedTests: [],
      failedTests: hasPassed ? namesOf('failed') : [...own, ...namesOf('failed')],
    },
  }
}

/** A whole id of SHA-1 or SHA-256. */
const WHOLE_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** Returns the commit and its tree; for uncommitted changes SHA-256 of the tree, a space and the digest of the changes. */
function listSubjects({ tree, dirty, commit }: ObservedProof['observation']): Descriptor[] {
  if (dirty !== null)
    return tree === null
      ? []
      : [{ name: `${tree} with changes`, digest: { turngraphTree: sha256(`${tree} ${toHex(dirty)}`) } }]
  const subject = (algorithm: string, id: string | null): Descriptor[] =>
    id !== null && WHOLE_ID.test(id) ? [{ digest: { [algorithm]: id } }] : []
  return [...subject('gitCommit', commit), ...subject('gitTree', tree)]
}

const toHex = (digest: string): string => digest.replace(/^sha256:/, '')

const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
