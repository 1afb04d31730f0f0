/**
 * Declares which scopes may set each field of a turn (contract: evidence.md, "Who may say what"). The check of a call, the
 * schemas of MCP tools, the table in docs/reference.md and a test of every field derive from these rules.
 */
import type * as z from 'zod'
import type { turnReports } from '../artifacts/turn-reports.ts'
import { TurngraphError } from '../core/errors.ts'
import { snakeCase } from '../core/wire-form.ts'
import { captureRequest } from '../memory/record/record.ts'
import type { RoleScope, Scope } from './operation.ts'

export type RoleScopes = readonly RoleScope[]

/** Rule of a field whose value decides which scopes may send it. */
export type ValueRule = {
  values: Readonly<Record<string, RoleScopes>>
  /** Scopes of all other values. */
  others: RoleScopes
  absent: string
}

/** Rule of an object or of the entries of a list. */
type PartRules = { each: Readonly<Record<string, FieldRule>> }

export type FieldRule = RoleScopes | ValueRule | PartRules
export type FieldRules = Readonly<Record<string, FieldRule>>

type PartOf<T> = NonNullable<T> extends readonly (infer Entry)[] ? Entry : NonNullable<T>
type RuleOf<T> = RoleScopes | ValueRule | (PartOf<T> extends object ? { each: RulesOf<PartOf<T>> } : never)
export type RulesOf<T> = { readonly [K in keyof T]-?: RuleOf<T[K]> }

/** Gives every field of a request the same rule. */
export function everyField<S extends z.ZodRawShape>(
  { shape }: z.ZodObject<S>,
  scopes: RoleScopes,
): { readonly [K in keyof S]: RoleScopes } {
  return Object.fromEntries(Object.keys(shape).map((field) => [field, scopes])) as {
    [K in keyof S]: RoleScopes
  }
}

/** Fields of the Player. The Coach may send them too, because it may replace the whole record of a turn. */
const PLAYER: RoleScopes = ['play', 'judge']
/** Fields of the Coach, which decide what is proven. */
const COACH: RoleScopes = ['judge']

/** Fields of a turn that a Player may send too. All others, new ones included, are for the Coach. */
const PLAYER_FIELDS: Partial<RulesOf<z.input<typeof captureRequest>>> = {
  project: PLAYER,
  featureId: PLAYER,
  taskId: PLAYER,
  worldSlug: PLAYER,
  turnNumber: PLAYER,
  playerSummary: PLAYER,
  playerDecision: PLAYER,
  playerDecisionRaw: PLAYER,
  player: PLAYER,
  mode: PLAYER,
  recovered: PLAYER,
  blockersFound: PLAYER,
  lessonsFromTurn: PLAYER,
  filesModified: PLAYER,
  progressSummary: PLAYER,
  verifications: {
    each: {
      criterionId: PLAYER,
      criterionText: PLAYER,
      status: PLAYER,
      // The word of a Player is recorded and proves nothing.
      source: { values: { player: PLAYER }, others: COACH, absent: 'coach' },
      evidence: PLAYER,
      files: PLAYER,
      judge: COACH,
      // Makes a proof an observed one.
      observation: COACH,
    },
  },
  promises: PLAYER,
  testsPassed: PLAYER,
  testsFailed: PLAYER,
  coverage: PLAYER,
  startedAt: PLAYER,
  completedAt: PLAYER,
  durationSeconds: PLAYER,
  whatToTryNext: PLAYER,
  commit: PLAYER,
  transcriptSessionIds: PLAYER,
  usage: { each: { player: PLAYER, coach: COACH } },
  extra: PLAYER,
  entityType: PLAYER,
  id: PLAYER,
  key: PLAYER,
  createdAt: PLAYER,
  recordedBy: PLAYER,
}

/** A Player must not replace a record, which may hold a verdict, or leave a session that was judged. */
const PLACE_FIELDS: RulesOf<Pick<z.input<typeof captureRequest>, 'onConflict' | 'createWorld'>> = {
  onConflict: { values: { error: PLAYER }, others: COACH, absent: 'error' },
  createWorld: { values: { false: PLAYER }, others: COACH, absent: 'false' },
}

export const CAPTURE_FIELDS: RulesOf<z.input<typeof captureRequest>> = {
  ...everyField(captureRequest, COACH),
  ...PLAYER_FIELDS,
  ...PLACE_FIELDS,
}

export const REPORT_FIELDS: RulesOf<z.input<typeof turnReports>> = {
  project: PLAYER,
  featureId: PLAYER,
  taskId: PLAYER,
  worldSlug: PLAYER,
  turnNumber: PLAYER,
  playerReport: PLAYER,
  taskWorkResults: PLAYER,
  coachReport: COACH,
  coachFeedback: COACH,
  turnState: COACH,
  ...PLACE_FIELDS,
}

/** True if a token with these scopes may do what the scopes of a rule may do. `write` includes all of them. */
export const mayWrite = (scopes: ReadonlySet<Scope>, needed: RoleScopes): boolean =>
  scopes.has('write') || needed.some((scope) => scopes.has(scope))

/** True if a token may read a session only as its Player. */
export const isOnlyPlayer = (scopes: ReadonlySet<Scope>): boolean =>
  scopes.has('play') && !scopes.has('read') && !scopes.has('write') && !scopes.has('judge')

type Refusal = { path: string; scopes: RoleScopes }

/** @throws `forbidden` that names each field that these scopes may not set, and the scopes that may */
export function refuseFields(rules: FieldRules, input: object, scopes: ReadonlySet<Scope>): void {
  const refused = listRefusals(rules, input, scopes, '')
  if (refused.length === 0) return
  const problems = refused.slice(0, MAX_REFUSALS).map((refusal) => ({
    path: refusal.path,
    message: `needs a token with the scope ${listScopes([...refusal.scopes, 'write'])}`,
    scopes: [...refusal.scopes, 'write'],
  }))
  const shown = problems.slice(0, MAX_REFUSALS_SHOWN).map(({ path, message }) => `${path} ${message}`)
  const more = refused.length - shown.length
  throw new TurngraphError('forbidden', `${shown.join('; ')}${more > 0 ? ` (and ${more} more)` : ''}.`, {
    hint: 'Leave these fields out, or send them with a token that has the scope.',
    details: { problems },
  })
}

const MAX_REFUSALS = 200
const MAX_REFUSALS_SHOWN = 5

/** Writes scopes as words: `"play", "judge" or "write"`. */
export function listScopes(scopes: readonly Scope[]): string {
  const quoted = scopes.map((scope) => `"${scope}"`)
  return quoted.length < 2 ? quoted.join() : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

function listRefusals(
  rules: FieldRules,
  given: object,
  scopes: ReadonlySet<Scope>,
  above: string,
): Refusal[] {
  return Object.entries(rules).flatMap(([field, rule]) => {
    const value: unknown = (given as Record<string, unknown>)[field]
    const path = above === '' ? snakeCase(field) : `${above}.${snakeCase(field)}`
    if (isPartRules(rule)) return listRefusalsInParts(rule, value, scopes, path)
    const needed = scopesOfValue(rule, value)
    return needed === null || mayWrite(scopes, needed) ? [] : [{ path, scopes: needed }]
  })
}

function listRefusalsInParts(
  { each }: PartRules,
  value: unknown,
  scopes: ReadonlySet<Scope>,
  path: string,
): Refusal[] {
  if (typeof value !== 'object' || value === null) return []
  if (!Array.isArray(value)) return listRefusals(each, value, scopes, path)
  return value.flatMap((entry: object, i) => listRefusals(each, entry, scopes, `${path}[${i}]`))
}

/** Returns the scopes that may send a value; null if it sets nothing. */
function scopesOfValue(rule: RoleScopes | ValueRule, value: unknown): RoleScopes | null {
  if (isValueRule(rule)) return rule.values[String(value ?? rule.absent)] ?? rule.others
  return setsNothing(value) ? null : rule
}

/** True for an absent field and for an empty list or map, which clients send for fields that they do not use. */
const setsNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

export const isPartRules = (rule: FieldRule): rule is PartRules => 'each' in rule
export const isValueRule = (rule: FieldRule): rule is ValueRule => 'values' in rule && 'absent' in rule
