// Rejects queries that do more than read, by their words and by the plan of the engine.
import { type Engine, FUNCTIONS, OPERATORS, PROCEDURES } from './allowed.ts'
import { splitTokens, type Token } from './cypher-lexer.ts'
import { invalidQuery, type Plan } from './reader.ts'

/** Words that begin a clause or command that does not read this graph. */
const COMMANDS = new Set(
  `ALTER CREATE CYPHER DEALLOCATE DELETE DENY DETACH DROP ENABLE EXPLAIN FOREACH GRANT INSERT LOAD MERGE PROFILE REALLOCATE
  REMOVE RENAME REVOKE SET SHOW START STOP TERMINATE TRANSACTIONS USE`.split(/\s+/),
)

/** Words after which a parenthesis opens a pattern, an expression or a subquery. */
const BEFORE_PARENTHESES = new Set(
  `ACYCLIC ALL AND ANY AS ASC BY CALL CASE CONTAINS DESC DISTINCT ELSE ENDS FILTER GROUPS IN IS LET LIMIT MATCH NOT OFFSET
  ON OPTIONAL OR ORDER PATH PATHS RETURN SHORTEST SKIP STARTS THEN TRAIL UNION UNWIND WALK WHEN WHERE WITH XOR YIELD`.split(
    /\s+/,
  ),
)

/**
 * Rejects, by its words, a query that is not a single reading statement, before any engine receives it. This is the first of
 * several layers (`docs/decisions/free-cypher.md`). A name that equals such a word must be in backticks.
 *
 * @returns the statement, without a semicolon at its end
 * @throws `invalid_request` with the rejected word and its position
 */
export function refuseByWords(query: string, engine: Engine): string {
  const all = splitTokens(query)
  const end = all.at(-1)?.text === ';' ? (all.at(-1) as Token).at : query.length
  const tokens = all.filter(({ at }) => at < end)
  if (tokens.length === 0) throw invalidQuery('is empty', 'For example: MATCH (w:World) RETURN count(w)')
  tokens.forEach((token, index) => {
    if (token.text === ';' && token.kind === 'mark') {
      throw invalidQuery(`has more than one statement: a ";" at ${token.at}`, 'Send one at a time.')
    }
    refuseCommand(tokens, index)
    refuseProcedure(tokens, index, PROCEDURES[engine])
    refuseFunction(tokens, index, PROCEDURES[engine])
  })
  return query.slice(0, end)
}

function refuseCommand(tokens: readonly Token[], index: number): void {
  const token = tokens[index] as Token
  if (token.kind !== 'word' || !COMMANDS.has(token.text.toUpperCase())) return
  if (isName(tokens, index)) return
  throw invalidQuery(
    `has ${token.text} at ${token.at}, which does not read this graph`,
    `Only reading statements are run. Put a name in backticks: \`${token.text}\`.`,
  )
}

/** True for a property, a label, a type, or a key of a map. */
function isName(tokens: readonly Token[], index: number): boolean {
  const [before, after] = [tokens[index - 1], tokens[index + 1]]
  return (isMark(before) && '.:|&!'.includes(before.text)) || (isMark(after) && after.text === ':')
}

type Procedures = ReadonlySet<string>

function refuseProcedure(tokens: readonly Token[], index: number, procedures: Procedures): void {
  const call = tokens[index] as Token
  if (call.kind !== 'word' || call.text.toUpperCase() !== 'CALL' || isName(tokens, index)) return
  const next = tokens[index + 1]
  if (isMark(next) && '({'.includes(next.text)) return
  let name = next?.text ?? ''
  for (let at = index + 2; isDot(tokens[at]); at += 2) name += `.${tokens[at + 1]?.text ?? ''}`
  if (procedures.has(name)) return
  throw invalidQuery(
    `calls the procedure ${name.slice(0, 200)} at ${call.at}`,
    `The procedures for queries are ${[...procedures].join(', ')}.`,
  )
}

function refuseFunction(tokens: readonly Token[], index: number, procedures: Procedures): void {
  const open = tokens[index]
  if (!isMark(open) || open.text !== '(') return
  let from = index - 1
  if (!isWord(tokens[from])) return
  while (isDot(tokens[from - 1]) && isWord(tokens[from - 2])) from -= 2
  const parts = tokens.slice(from, index).filter(isWord)
  const first = parts[0] as Token
  const name = parts.map(({ text }) => text).join('.')
  if (parts.length === 1 && first.kind === 'word' && BEFORE_PARENTHESES.has(name.toUpperCase())) return
  if (FUNCTIONS.has(name.toLowerCase()) || isCalled(tokens[from - 1], procedures.has(name))) return
  throw invalidQuery(
    `calls the function ${name.slice(0, 200)} at ${first.at}`,
    'Queries may call only functions of Cypher itself that compute or read this graph.',
  )
}

/** True if the check of `CALL` has already covered the name. */
const isCalled = (before: Token | undefined, isProcedure: boolean): boolean =>
  isProcedure && before?.kind === 'word' && before.text.toUpperCase() === 'CALL'

const isDot = (token: Token | undefined): boolean => isMark(token) && token.text === '.'
const isMark = (token: Token | undefined): token is Token => token?.kind === 'mark'
const isWord = (token: Token | undefined): token is Token =>
  token?.kind === 'word' || token?.kind === 'quoted'

/**
 * Rejects a plan that may write, such as one with an unknown operator. @throws `invalid_request` with the operator or procedure
 */
export function refuseByPlan(engine: Engine, { reads, operators, procedures }: Plan): void {
  const foreign = operators.find((operator) => !OPERATORS[engine].has(operator))
  if (foreign !== undefined) throw foreignPlan(`needs the operator ${foreign}`)
  const called = procedures.find((procedure) => !PROCEDURES[engine].has(procedure))
  if (called !== undefined) throw foreignPlan(`calls the procedure ${called}`)
  if (!reads || operators.length === 0) throw foreignPlan('is not one that only reads')
}

const foreignPlan = (problem: string) =>
  invalidQuery(`${problem}, which is not for queries`, 'Only reading statements are run.')
