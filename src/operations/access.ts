/**
 * Checks who may call an operation (contract: evidence.md, "Who may say what"): a token with its scope, or with one of its
 * roles. Tokens of `play` read as a Player: no operation that it may call answers evidence of the Coach, the internals of a
 * verdict, or a whole record (invariant 9).
 */
import { TurngraphError } from '../core/errors.ts'
import { hideGateName } from '../rules/session-outcome.ts'
import { hideVerdict } from './capture-for-caller.ts'
import {
  CAPTURE_FIELDS,
  everyField,
  type FieldRules,
  isOnlyPlayer,
  listScopes,
  REPORT_FIELDS,
  refuseFields,
} from './field-rules.ts'
import { OBSERVERS, type Operation, onlyReads, SCOPES, type Scope } from './operation.ts'
import { type OperationName, type OperationOutput, operations } from './table.ts'

/** Rules of the fields of a write that several roles may call. */
const FIELDS: Partial<Record<OperationName, FieldRules>> = {
  captureTurnState: CAPTURE_FIELDS,
  captureReports: REPORT_FIELDS,
  addVerifications: everyField(operations.addVerifications.input, OBSERVERS),
}

/** Functions that remove fields from an answer, for a token that reads only as a Player. */
const HIDE_FROM_PLAYER: {
  readonly [N in OperationName]?: (answer: OperationOutput<N>) => OperationOutput<N>
} = {
  listWorlds: (page) => ({ ...page, items: page.items.map(hideGate) }),
  // The tokens of a turn include those of its Coach.
  getWorld: ({ turnTokens: _, ...world }) => hideGate(world),
}

/** The outcome of a blocked session names the gate, which a Player does not see. */
function hideGate<W extends { outcome: string }>(world: W): W {
  return { ...world, outcome: hideGateName(world.outcome) }
}

/** Returns the part of an answer that a token which reads only as a Player may see. */
function answerForPlayer(operation: OperationName, answer: unknown): unknown {
  const hide: ((answer: never) => unknown) | undefined = HIDE_FROM_PLAYER[operation]
  return hide === undefined ? answer : hide(answer as never)
}

/** Returns the part of an answer that these scopes may read. MCP calls it, too: its connection may have more scopes. */
export async function answerFor(
  operation: OperationName,
  scopes: ReadonlySet<Scope>,
  run: () => Promise<unknown>,
): Promise<unknown> {
  try {
    const answer = await run()
    return isOnlyPlayer(scopes) ? answerForPlayer(operation, answer) : answer
  } catch (error) {
    throw hideVerdict(error, scopes)
  }
}

export const fieldRulesOf = (operation: OperationName): FieldRules | null => FIELDS[operation] ?? null

/** Lists the scopes that may call an operation, in the order of {@link SCOPES}. */
export function scopesOf(operation: OperationName): Scope[] {
  const { scope, roles = [] }: Operation = operations[operation]
  const allowed = new Set<Scope>([scope, ...roles])
  // `write` includes the writes of the roles, not their reads.
  if (!onlyReads(scope) && scope !== 'admin') allowed.add('write')
  return SCOPES.filter((each) => allowed.has(each))
}

/** True if a token with these scopes may call the operation with some input. */
export const mayCall = (operation: OperationName, scopes: ReadonlySet<Scope>): boolean =>
  scopesOf(operation).some((scope) => scopes.has(scope))

/** True if a token may call the operation only for the role `player`. */
export const readsOnlyAsPlayer = (operation: OperationName, scopes: ReadonlySet<Scope>): boolean =>
  (operations[operation] as Operation).readsAsPlayer === true &&
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
