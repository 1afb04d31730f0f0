/**
 * Declares for every operation which roles may call it (contract: evidence.md, "Who may say what"), and checks a call. A token
 * with the operation's own scope may call it, too. Tokens of `play` read as a Player: no operation that it may call answers
 * evidence of the Coach, the internals of a verdict, or a whole record (invariant 9).
 */
import { TurngraphError } from '../core/errors.ts'
import { hideGateName } from '../rules/session-outcome.ts'
import {
  CAPTURE_FIELDS,
  everyField,
  type FieldRules,
  listScopes,
  REPORT_FIELDS,
  type RulesOf,
  refuseFields,
} from './field-rules.ts'
import { onlyReads, type RoleScope, SCOPES, type Scope } from './operation.ts'
import { type OperationInput, type OperationName, type OperationOutput, operations } from './table.ts'

type Access<Input, Answer> = {
  roles: readonly RoleScope[]
  /** True if a token that may call it only by `play` must ask for the role `player`. */
  readsAsPlayer?: true
  /** Rules of the fields of a write that several roles may call. */
  fields?: RulesOf<Input>
  /** Removes what a token that reads only as a Player must not see. */
  hideFromPlayer?: (answer: Answer) => Answer
}

/** Operations without a role: only the operation's own scope may call them. */
const NO_ROLE = { roles: [] } as const
const EVERY_ROLE = { roles: ['play', 'judge', 'observe'] } as const
/** Roles that add what CI, a late validator or a person saw after the turn. */
const OBSERVER = ['judge', 'observe'] as const
const COACH = { roles: ['judge'] } as const

/** A new operation without an entry does not compile. */
export const ACCESS: { readonly [N in OperationName]: Access<OperationInput<N>, OperationOutput<N>> } = {
  // Writes of a turn.
  captureTurnState: { roles: ['play', 'judge'], fields: CAPTURE_FIELDS },
  captureReports: { roles: ['play', 'judge'], fields: REPORT_FIELDS },
  addVerifications: {
    roles: OBSERVER,
    fields: everyField(operations.addVerifications.input, OBSERVER),
  },
  // A worker receives the Coach's context with its attempt, and ends the turn with the verdict.
  claimAttempt: COACH,
  nextAttempt: COACH,
  heartbeatAttempt: COACH,
  commitAttempt: COACH,
  failAttempt: COACH,

  // Reads of a session that are the same for each role, without evidence.
  describeCaller: EVERY_ROLE,
  listProjects: EVERY_ROLE,
  listWorlds: {
    ...EVERY_ROLE,
    hideFromPlayer: (page) => ({ ...page, items: page.items.map(hideGate) }),
  },
  getWorld: {
    ...EVERY_ROLE,
    // The tokens of a turn include those of its Coach.
    hideFromPlayer: ({ turnTokens: _, ...world }) => hideGate(world),
  },
  getSpecification: EVERY_ROLE,
  recoverPromises: { roles: ['play', 'judge'] },

  // Reads of a session with a view for each role.
  loadTurnContinuationContext: { roles: ['play', 'judge'], readsAsPlayer: true },
  getNextStep: { roles: ['play', 'judge'], readsAsPlayer: true },
  explainTurn: { roles: ['play', 'judge'], readsAsPlayer: true },
  listIssues: { roles: ['play', 'judge'], readsAsPlayer: true },
  listCriteria: { roles: ['play', 'judge', 'observe'], readsAsPlayer: true },
  search: { roles: ['play', 'judge'], readsAsPlayer: true },

  // Reads of a session with evidence, whole records or the texts of workers.
  listCriteriaByTurn: COACH,
  getCriterionHistory: COACH,
  loadStall: COACH,
  listTurns: COACH,
  getTurn: COACH,
  getTurnHistory: COACH,
  getTurnRunStatus: COACH,
  listTurnRuns: COACH,
  listAttempts: COACH,
  getTurnStatus: COACH,
  listAttention: COACH,
  getSessionSummary: COACH,
  compareWorlds: COACH,

  // Sessions, runs and specifications belong to the orchestrator.
  createWorld: NO_ROLE,
  setWorld: NO_ROLE,
  deleteWorld: NO_ROLE,
  rollbackWorld: NO_ROLE,
  declareCriteria: NO_ROLE,
  runTurn: NO_ROLE,
  cancelTurnRun: NO_ROLE,

  // Transcripts show the work of every agent, the Coach included.
  listTranscriptTurns: NO_ROLE,
  listTranscriptSteps: NO_ROLE,
  listTranscriptPatterns: NO_ROLE,
  listTranscriptSequences: NO_ROLE,
  listToolStats: NO_ROLE,
  listCost: NO_ROLE,
  listDesires: NO_ROLE,
  refreshDesires: NO_ROLE,
  listPaths: NO_ROLE,
  getTranscriptProgress: NO_ROLE,
  countTranscripts: NO_ROLE,
  importTranscripts: NO_ROLE,

  // Analysts and administrators.
  listAnalyses: NO_ROLE,
  runAnalysis: NO_ROLE,
  replaySessions: NO_ROLE,
  queryGraph: NO_ROLE,
  describeGraph: NO_ROLE,
  listNeighbors: NO_ROLE,
  exportPage: NO_ROLE,
  exportGraphPage: NO_ROLE,
  restoreRecords: NO_ROLE,
  examine: NO_ROLE,
  examineGraph: NO_ROLE,
  forget: NO_ROLE,
}

/** The outcome of a blocked session names the gate, which a Player does not see. */
function hideGate<W extends { outcome: string }>(world: W): W {
  return { ...world, outcome: hideGateName(world.outcome) }
}

/** Returns the part of an answer that a token which reads only as a Player may see. */
export function answerForPlayer(operation: OperationName, answer: unknown): unknown {
  const { hideFromPlayer }: { hideFromPlayer?: (answer: never) => unknown } = ACCESS[operation]
  return hideFromPlayer === undefined ? answer : hideFromPlayer(answer as never)
}

/** Returns the rules of the fields of a write; null if all of its fields have the scopes of the operation. */
export const fieldRulesOf = (operation: OperationName): FieldRules | null => {
  const { fields }: { fields?: FieldRules } = ACCESS[operation]
  return fields ?? null
}

/** Lists the scopes that may call an operation, in the order of {@link SCOPES}. */
export function scopesOf(operation: OperationName): Scope[] {
  const { scope } = operations[operation]
  const allowed = new Set<Scope>([scope, ...ACCESS[operation].roles])
  // `write` includes the writes of the roles, not their reads.
  if (!onlyReads(scope) && scope !== 'admin') allowed.add('write')
  return SCOPES.filter((each) => allowed.has(each))
}

/** True if a token with these scopes may call the operation with some input. */
export const mayCall = (operation: OperationName, scopes: ReadonlySet<Scope>): boolean =>
  scopesOf(operation).some((scope) => scopes.has(scope))

/** True if a token may call the operation only for the role `player`. */
export const readsOnlyAsPlayer = (operation: OperationName, scopes: ReadonlySet<Scope>): boolean =>
  ACCESS[operation].readsAsPlayer === true &&
  scopesOf(operation).every((scope) => scope === 'play' || !scopes.has(scope))

/** @throws `forbidden` if a token with these scopes may not make the call; names the field and the scopes that may send it */
export function refuseCall(operation: OperationName, input: object, scopes: ReadonlySet<Scope>): void {
  refuseWithoutScope(scopesOf(operation), scopes)
  const rules = fieldRulesOf(operation)
  if (rules !== null) refuseFields(rules, input, scopes)
  if (readsOnlyAsPlayer(operation, scopes) && !('role' in input && input.role === 'player'))
    throw refuseRole(operation)
}

/** @throws `forbidden` unless the token has one of the allowed scopes */
export function refuseWithoutScope(allowed: readonly Scope[], scopes: ReadonlySet<Scope>): void {
  if (allowed.some((scope) => scopes.has(scope))) return
  throw new TurngraphError('forbidden', `The token lacks the scope ${listScopes(allowed)}.`, {
    hint: 'The file of TURNGRAPH_TOKENS lists the scopes of a token.',
    details: { scope: allowed[0], scopes: allowed },
  })
}

function refuseRole(operation: OperationName): TurngraphError {
  const scopes = scopesOf(operation).filter((scope) => scope !== 'play')
  const message = `needs a token with the scope ${listScopes(scopes)}, unless it is "player"`
  return new TurngraphError('forbidden', `role ${message}.`, {
    hint: 'Send the role "player".',
    details: { problems: [{ path: 'role', message, scopes }] },
  })
}
