import {
  featureKey,
  partsOfKey,
  patternKey,
  projectKey,
  sessionKey,
  taskKey,
  toolKey,
  toolUseKey,
  transcriptFileKey,
  transcriptKey,
  worldKey,
} from '../../core/keys.ts'
import type { Label, Stored } from '../../graph/model/nodes.ts'
import { type Graph, type Step, stepOf } from '../../graph/port.ts'
import { statement } from '../../graph/statements.ts'
import type { Examined, Findings, Properties } from './finding.ts'
import { checkDesires, checkPatterns, checkTool, checkUses, USES_LOCKED } from './sums.ts'
import { checkTask } from './tasks.ts'
import { checkSessions, checkTranscriptTurns } from './transcripts.ts'
import { checkWorld } from './worlds.ts'

/** What the doctor knows of kinds of nodes beyond the model: how their keys are made, and the rules of the domain. */

export type Rule<L extends Label = Label> = {
  /** So many are examined, and repaired under their lock, at once. */
  atOnce?: number
  /** Kinds that are examined with this one. */
  with?: readonly Label[]
  /** Further columns of a row: each an expression about the node `x`. */
  columns?: Readonly<Record<string, string>>
  /** The key that follows from the rest of a node; null where nothing says it. */
  keyOf?(project: string, properties: Stored<L>, row: Properties): string | null
  /** @returns how many further records it looked at */
  check?(graph: Graph, project: string, nodes: readonly Examined[], findings: Findings): Promise<number>
  /** What to lock instead of the nodes themselves. */
  lock?(keys: string[], token: string): Step
}

const lockTask = statement('doctor/lock-task')

export const rules: { [L in Label]?: Rule<L> } = {
  SchemaMigration: { with: ['SchemaMigrationLock'] },
  Project: { keyOf: (_, { name }) => projectKey(name) },
  Feature: { keyOf: (project, { id }) => featureKey(project, id) },
  Task: {
    atOnce: 1,
    with: ['Criterion'],
    columns: { features: '[(x)<-[:HAS_TASK]-(f:Feature) | f.key]' },
    keyOf: (project, { key, id }, { features }) =>
      (features as string[])
        .map((feature) => taskKey(project, partsOfKey(feature)[1] ?? '', id))
        .find((expected) => expected !== key) ?? null,
    check: checkTask,
    lock: ([key], token) => stepOf(lockTask, { taskKey: key, token }),
  },
  World: {
    atOnce: 1,
    with: ['Turn', 'SupersededTurn', 'TurnRun', 'Attempt'],
    columns: { tasks: '[(x)<-[:HAS_WORLD]-(task:Task) | task.key]' },
    keyOf: (_, { project, slug }) => worldKey(project, slug),
    check: checkWorld,
  },
  TranscriptFile: {
    // Both are stored as an import shortens them, and the key is made of what it was given.
    keyOf: (project, { sessionId, path }) =>
      sessionId.length < 200 ? transcriptFileKey({ project, sessionId, path: path ?? null }) : null,
  },
  TranscriptSession: {
    columns: {
      hasFile: 'EXISTS { MATCH (x)<-[:HOLDS]-(:TranscriptFile) }',
      isNamed: 'EXISTS { MATCH (x)<-[:TRANSCRIBED_IN]-() }',
      hasAgents: 'EXISTS { MATCH (x)<-[:AGENT_OF]-() }',
      hasTurns: 'EXISTS { MATCH (x)-[:HAS_TURN]->() }',
    },
    keyOf: (project, { id }) => {
      if (id === undefined) return null
      // A turn may name a session by an id that an import would have shortened.
      return id.length > 256 ? sessionKey(project, id) : transcriptKey(project, id)
    },
    check: checkSessions,
  },
  TranscriptTurn: {
    atOnce: 200,
    columns: {
      holders: '[(x)<-[:HAS_TURN]-(s:TranscriptSession) | s.id]',
      follows: '[(x)-[:FOLLOWS]->(p:TurnPattern) | p.key]',
      called: '[(x)-[c:CALLED]->(k:Tool) | [k.name, c.calls, c.errors]]',
    },
    keyOf: (project, { id }) => transcriptKey(project, id),
    check: checkTranscriptTurns,
  },
  Tool: {
    atOnce: 1,
    keyOf: (project, { name }) => toolKey(project, name),
    check: checkTool,
    lock: ([key = ''], token) =>
      stepOf(USES_LOCKED, { project: partsOfKey(key)[0], tool: partsOfKey(key)[1], token }),
  },
  TurnPattern: {
    columns: { tools: '[(x)-[:STARTS_WITH]->(k:Tool) | k.name]' },
    keyOf: (project, { pattern }) => patternKey(project, pattern),
    check: checkPatterns,
  },
  ToolUse: { keyOf: (_, use) => toolUseKey(use), check: checkUses },
  Desire: {
    columns: { patterns: '[(x)-[:SURFACED_FROM]->(p:TurnPattern) | [p.key, p.turns, p.calls]]' },
    keyOf: (project, { pattern }) => patternKey(project, pattern),
    check: checkDesires,
  },
}

export const ruleOf = (label: Label): Rule => rules[label] ?? {}
