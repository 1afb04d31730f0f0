/** Declares the nodes of transcripts, and of the tools and patterns in them. */
import { STEP_STATUSES, TRANSCRIPT_TURN_STATUSES, TURN_KIND_DESCRIPTION } from '../../rules/values.ts'
import { changeShape, lock, node, nodeKey, part, projectName, type StoredNode } from './kinds.ts'
import {
  count,
  counts,
  eachOneOf,
  epochMs,
  flag,
  instant,
  json,
  key,
  number,
  oneOf,
  text,
  texts,
  whole,
  wholes,
} from './properties.ts'

export const transcriptNodes = {
  TranscriptFile: node(
    'transcript_file',
    'the read position of a transcript, with the state of the reader there',
    {
      key: nodeKey,
      project: projectName,
      sessionId: text.describe('id of the session that the file is named after'),
      path: text.describe('path of the file').optional(),
      inode: whole.describe('inode of the file').optional(),
      offset: count.describe('number of bytes that were read'),
      isWhole: flag.describe('whether the last line that was read is complete'),
      tail: text.describe(
        'digest of the last bytes that were read: shows whether the file is still the same',
      ),
      state: json.describe('state of the reader at the offset'),
      rulesVersion: whole
        .describe('version of the rules that decided which error texts were stored; absent: older rules')
        .optional(),
      rev: lock,
      ...changeShape,
    },
  ),
  // A session named by a turn before its transcript arrives has only an id; one named by a subagent's file, only a key.
  TranscriptSession: node('transcript_session', 'a session of a transcript, or the thread of a subagent', {
    key: nodeKey,
    id: text.describe('id of the session').optional(),
    project: projectName.optional(),
    isTranscribed: flag.describe('whether its transcript was imported').optional(),
    agent: text
      .describe('coding agent that wrote the transcript, such as claude-code or codex; absent: claude-code')
      .optional(),
    agentId: text.describe('id of the subagent, if it is the thread of one').optional(),
    parentStepId: text.describe('id of the call that started the subagent').optional(),
    cwd: text.describe('folder in which it worked').optional(),
    worktreeKey: key.describe('worktree of a task or a feature in which it worked').optional(),
    version: text.describe('version of the coding agent').optional(),
    startedAt: instant.describe('time of its first record').optional(),
    endedAt: instant.describe('time of its last record').optional(),
  }),
  TranscriptTurn: node(
    'transcript_turn',
    'one human, model, human cycle of a transcript: its structure, never a word',
    {
      key: nodeKey,
      id: text.describe('id of the record that began the turn'),
      project: projectName,
      sessionId: text.describe('id of its session'),
      fileKey: key.describe('key of the file that it was read from'),
      index: count.describe('place of the turn in its session, from 0'),
      kind: text.describe(TURN_KIND_DESCRIPTION),
      status: oneOf(TRANSCRIPT_TURN_STATUSES).describe('whether the turn is complete'),
      startedAt: instant.describe('start of the turn').optional(),
      begunMs: epochMs.describe('start of the turn; -8640000000000000 if it is not known'),
      durationMs: number.describe('length of the turn in milliseconds').optional(),
      durationSource: oneOf(['turn_duration', 'timestamps']).describe('source of durationMs').optional(),
      length: count.describe('number of calls'),
      pattern: text.describe('its tools in order, with repeated ones as {2+}').optional(),
      patternKey: key.describe('key of its pattern').optional(),
      tools: texts.describe('name of the tool of each call, in order'),
      callIds: texts.describe('id of each call in the transcript, in the order of tools'),
      statuses: eachOneOf(STEP_STATUSES).describe(`status of each call: ${STEP_STATUSES.join(', ')}`),
      parallelGroups: counts.describe(
        'for each call: number of its group of parallel calls, from 1; 0: not parallel',
      ),
      durationsMs: wholes.describe('length of each call in milliseconds; -1: not known'),
      agentIds: texts.describe(
        'id of the subagent that each call started; empty: none, or its result does not name it',
      ),
      responses: texts.describe('id of the message or the record with each call; empty: not known'),
      errors: count.describe('number of calls that failed'),
      parallelSteps: count.describe('number of calls that ran in parallel'),
      models: texts
        .describe('names of the models that answered, in the order of their first response')
        .optional(),
      effort: text.describe('reasoning effort of its last response that names one, such as high').optional(),
      inputTokens: count.describe('input tokens of its responses, without cached ones').optional(),
      outputTokens: count.describe('output tokens of its responses').optional(),
      cacheReadTokens: count.describe('input tokens that were read from a cache').optional(),
      cacheCreationTokens: count.describe('input tokens that were written to a cache').optional(),
      modelTokens: counts
        .describe('for each of its models: input, output, cache read and cache creation tokens')
        .optional(),
      rev: lock,
    },
  ),
  FailedCall: part('id', 'a failed call of the turn', {
    id: text.describe('id of the call in the transcript'),
    sequence: count.describe('place of the call in its turn, from 0'),
    tool: text.describe('name of the tool'),
    error: text.describe('end of the error message, at most 500 characters, without secrets'),
    failure: text.describe(
      'tool and error with paths, numbers and durations masked: equal failures are one group',
    ),
    project: projectName,
    sessionId: text.describe('id of its session'),
    begunMs: epochMs.describe('start of its turn; -8640000000000000 if it is not known'),
  }),
  Tool: node(null, 'a tool that was called in a project', {
    key: nodeKey,
    name: text.describe('name of the tool'),
    project: projectName,
  }),
  TurnPattern: node(null, 'an abstract sequence of tools that turns follow', {
    key: nodeKey,
    project: projectName,
    pattern: text.describe('tools in order, with repeated ones as {2+}'),
  }),
  Desire: node('desire', 'a long recurring pattern that deserves a better tool', {
    key: nodeKey,
    project: projectName,
    toolName: text.describe('first tool of the pattern'),
    error: text.describe('the desire in a sentence'),
    category: oneOf(['turn-pattern']).describe('kind of the desire'),
    source: oneOf(['transcript-analysis']).describe('what found it'),
    pattern: text.describe('tools in order, with repeated ones as {2+}'),
    count: count.describe('number of turns that follow the pattern'),
    avgLength: number.describe('average number of calls'),
    sessions: count.describe('number of sessions with such turns'),
    firstSeen: instant.describe('start of the first such turn').optional(),
    lastSeen: instant.describe('start of the last such turn').optional(),
  }),
} as const satisfies Record<string, StoredNode>
