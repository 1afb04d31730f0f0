/** Lists the checks for each kind of node that go beyond the model: the form of keys, and rules of the domain. */
import {
  featureKey,
  partsOfKey,
  patternKey,
  projectKey,
  projectOfKey,
  recordKey,
  sessionKey,
  specificationKey,
  taskKey,
  toolKey,
  transcriptKey,
  worldKey,
} from '../../core/keys.ts'
import type { Label, Stored } from '../../graph/model/nodes.ts'
import { type Step, toStep } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import { CALL_LISTS } from '../../rules/call-lists.ts'
import type { ToCheck } from './finding.ts'
import { ATTEMPT_COLUMNS, checkAttempts, checkRuns, RUN_COLUMNS, sequenceKeys } from './runs.ts'
import { checkSpecifications, checkTask, SPECIFICATION_COLUMNS, TASK_COLUMNS } from './tasks.ts'
import {
  checkPatterns,
  checkSessions,
  checkTranscriptTurns,
  PATTERN_COLUMNS,
  SESSION_COLUMNS,
  TURN_COLUMNS,
} from './transcripts.ts'
import { checkTurns, RECORD_COLUMNS } from './turns.ts'
import { checkWorld, WORLD_COLUMNS } from './worlds.ts'

export type Rule<L extends Label = Label> = {
  /** Number of nodes that are examined, and repaired under their lock, at once. */
  atOnce?: number
  /** Kinds that are examined together with this kind. */
  with?: readonly Label[]
  /** Additional columns of a row, each an expression about the node `x`. */
  columns?: Readonly<Record<string, string>>
  /** Properties that the rules require. Other properties that do not fit the model count as absent. */
  needs?: readonly (keyof Stored<L> & string)[]
  /** Computes the key from the properties of a node; null if they do not determine it. A restore uses it, too. */
  expectedKey?(properties: Stored<L>): string | null
  /** Computes the other keys that a node stores, by the name of their property. */
  derivedKeys?(properties: Stored<L>): Readonly<Record<string, string | null>>
  /** Computes the key of the only owner of a node. */
  expectedOwner?(properties: Stored<L>): string
  check?(given: ToCheck): Promise<void>
  /** Builds a lock for other nodes, used instead of a lock on the examined nodes. */
  lock?(keys: string[], token: string): Step
}

const lockTask = statement('doctor/lock-task')

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('/'))

export const rules: { [L in Label]?: Rule<L> } = {
  SchemaMigration: { with: ['SchemaMigrationLock'] },
  Project: { needs: ['name'], expectedKey: ({ name }) => projectKey(name) },
  Feature: {
    needs: ['id', 'key'],
    expectedKey: ({ key, id }) => featureKey(projectOfKey(key), id),
    expectedOwner: ({ key }) => parentOf(key),
  },
  Task: {
    atOnce: 1,
    with: ['Criterion'],
    columns: TASK_COLUMNS,
    needs: ['id', 'key'],
    expectedKey: ({ key, id }) => taskKey(projectOfKey(key), partsOfKey(key)[1] ?? '', id),
    expectedOwner: ({ key }) => parentOf(key),
    check: checkTask,
    lock: ([key], token) => toStep(lockTask, { taskKey: key, token }),
  },
  Specification: {
    columns: SPECIFICATION_COLUMNS,
    needs: ['key', 'version'],
    expectedKey: ({ key, version }) => specificationKey(parentOf(key), version),
    expectedOwner: ({ key }) => parentOf(key),
    check: checkSpecifications,
  },
  World: {
    atOnce: 1,
    with: ['Turn'],
    columns: WORLD_COLUMNS,
    needs: ['slug', 'project', 'featureId', 'taskId', 'taskKey', 'currentTurn', 'ledgerRev', 'rev'],
    expectedKey: ({ project, slug }) => worldKey(project, slug),
    expectedOwner: ({ project, featureId, taskId }) => taskKey(project, featureId, taskId),
    check: checkWorld,
  },
  Turn: {
    columns: { tasks: '[(x)<-[:HAS_TURN]-(w:World) | w.taskKey]', ...RECORD_COLUMNS },
    needs: ['number'],
    check: checkTurns,
  },
  SupersededTurn: { columns: RECORD_COLUMNS, needs: ['number'], check: checkTurns },
  TurnRun: {
    columns: RUN_COLUMNS,
    needs: ['project', 'worldSlug', 'turnRunId'],
    expectedKey: ({ project, turnRunId }) => recordKey(project, turnRunId),
    expectedOwner: ({ project, worldSlug }) => worldKey(project, worldSlug),
    check: checkRuns,
  },
  Attempt: {
    columns: ATTEMPT_COLUMNS,
    needs: ['project', 'worldSlug', 'attemptId'],
    expectedKey: ({ project, attemptId }) => recordKey(project, attemptId),
    derivedKeys: sequenceKeys,
    expectedOwner: ({ project, worldSlug }) => worldKey(project, worldSlug),
    check: checkAttempts,
  },
  TranscriptFile: {
    // The key has a hash of the full path, which is not stored: an import masks and shortens both properties.
    needs: ['key', 'project', 'sessionId'],
    expectedKey: ({ key, project, sessionId, path }) =>
      sessionId.length < 200
        ? `${sessionKey(project, sessionId)}${path === undefined ? '' : key.slice(key.lastIndexOf('@'))}`
        : null,
  },
  TranscriptSession: {
    columns: SESSION_COLUMNS,
    expectedKey: ({ project, id }) => {
      if (project === undefined || id === undefined) return null
      // A turn may name a session by an id that an import shortens.
      return id.length > 256 ? sessionKey(project, id) : transcriptKey(project, id)
    },
    check: checkSessions,
  },
  TranscriptTurn: {
    atOnce: 200,
    columns: TURN_COLUMNS,
    needs: ['id', 'project', 'sessionId', 'begunMs', 'length', 'errors', 'parallelSteps', ...CALL_LISTS],
    expectedKey: ({ project, id }) => transcriptKey(project, id),
    check: checkTranscriptTurns,
  },
  Tool: {
    needs: ['project', 'name'],
    expectedKey: ({ project, name }) => toolKey(project, name),
  },
  TurnPattern: {
    columns: PATTERN_COLUMNS,
    needs: ['project', 'pattern'],
    expectedKey: ({ project, pattern }) => patternKey(project, pattern),
    check: checkPatterns,
  },
  Desire: {
    needs: ['project', 'pattern'],
    expectedKey: ({ project, pattern }) => patternKey(project, pattern),
  },
}

export const findRule = (label: Label): Rule => rules[label] ?? {}
