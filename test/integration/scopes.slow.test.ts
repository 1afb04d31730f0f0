import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { callOn } from '../../src/client/calls.ts'
import { httpClient } from '../../src/client/http.ts'
import { TurngraphError } from '../../src/core/errors.ts'
import { parseWire, snakeCase } from '../../src/core/wire-form.ts'
import { SCOPES, type Scope } from '../../src/operations/operation.ts'
import { findRoute, hasBody } from '../../src/operations/routes.ts'
import { operations } from '../../src/operations/table.ts'
import { ALL_TOOLS } from '../../src/operations/tools.ts'
import { type FieldCase, fitsSchema, listFieldCases } from '../support/field-cases.ts'
import { describePython } from '../support/python.ts'
import { type Started, start, tokensFile } from './http-start.ts'

/** Tries tokens of one scope with every field of every write, through every door (evidence.md, "Who may say what"). */

const tokenOf = (scope: Scope): string => `token-with-the-scope-${scope}`
const WITH_EVERY_SCOPE = SCOPES.map((scope) => ({ name: scope, token: tokenOf(scope), scopes: [scope] }))

const startWithTokens = (): Promise<Started> => start({ TURNGRAPH_TOKENS: tokensFile(WITH_EVERY_SCOPE) })

/** Error of a call; null if it succeeded. */
type Refusal = { code: string; details: unknown } | null

type Details = { problems?: { path: string; scopes?: string[] }[]; scopes?: string[] }

const CASES = listFieldCases()

/** Returns the problem of a case; null if the answer is the expected one. */
function findProblem(
  { operation, field, callers, setters }: FieldCase,
  scope: Scope,
  refusal: Refusal,
): string | null {
  const isAdmin = scope === 'admin'
  const mayCall = isAdmin || callers.includes(scope)
  const maySet = isAdmin || setters.includes(scope)
  const at = `${operation} ${field} by ${scope}`
  const { problems = [], scopes = [] } = (refusal?.details ?? {}) as Details
  const isRefused =
    refusal?.code === 'forbidden' && (scopes.length > 0 || problems.some((each) => each.scopes !== undefined))
  if (mayCall && maySet) return isRefused ? `${at}: is refused` : null
  if (!isRefused) return `${at}: ${JSON.stringify(refusal)} instead of forbidden`
  const named = mayCall ? (problems.find(({ path }) => path === field)?.scopes ?? []) : scopes
  const expected = mayCall ? setters : callers
  return [...named].sort().join() === [...expected].sort().join() ? null : `${at}: names ${named.join()}`
}

/** Tries all cases with all scopes, and returns the problems. */
async function tryAll(
  cases: readonly FieldCase[],
  call: (field: FieldCase, scope: Scope) => Promise<Refusal>,
): Promise<string[]> {
  const problems: string[] = []
  for (const field of cases)
    for (const scope of SCOPES) {
      const problem = findProblem(field, scope, await call(field, scope))
      if (problem !== null) problems.push(problem)
    }
  return problems
}

const errorIn = (body: { error?: { code: string; details: unknown } }): Refusal => body?.error ?? null

describe('every field of every write, with a token of each scope', () => {
  test('has an input that fits the schema of its operation', () => {
    expect(
      CASES.filter((field) => !fitsSchema(field)).map(({ operation, field }) => `${operation} ${field}`),
    ).toEqual([])
    expect(CASES.length).toBeGreaterThan(100)
  })

  test('over REST', async () => {
    const { call } = await startWithTokens()
    const problems = await tryAll(CASES, async ({ operation, wire }, scope) => {
      const route = findRoute(operation)
      const rest: Record<string, unknown> = { ...wire }
      const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = String(rest[name])
        delete rest[name]
        return encodeURIComponent(value)
      })
      const query = new URLSearchParams(
        Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      )
      const answer = hasBody(route)
        ? await call(route.method, path, { body: rest, token: tokenOf(scope) })
        : await call(route.method, `${path}?${query}`, { token: tokenOf(scope) })
      return errorIn(answer.body)
    })
    expect(problems).toEqual([])
  })

  test('over MCP', async () => {
    const { call } = await startWithTokens()
    const withTool = CASES.filter((field) => toolOf(field) !== undefined && !('project' in field.wire))
    expect(withTool.length).toBeGreaterThan(50)
    const problems = await tryAll(withTool, async (field, scope) => {
      const name = toolOf(field)?.name
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: field.wire } }
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
      const { result } = (await call('POST', '/mcp', { body, headers, token: tokenOf(scope) })).body
      return result.isError === true ? errorIn(JSON.parse(result.content[0].text)) : null
    })
    expect(problems).toEqual([])
  })

  test('with the TypeScript client', async () => {
    const { service } = await startWithTokens()
    const problems = await tryAll(CASES, async ({ operation, wire }, scope) => {
      const client = httpClient({ url: service.url, token: tokenOf(scope) })
      try {
        const input = parseWire(operations[operation].input, wire, operation)
        await callOn(client, operation, input as never)
        return null
      } catch (error) {
        if (!(error instanceof TurngraphError)) throw error
        return error
      } finally {
        await client.close()
      }
    })
    expect(problems).toEqual([])
  })
})

const toolOf = ({ operation, wire }: FieldCase) =>
  ALL_TOOLS.find(
    (tool) =>
      tool.operation === operation &&
      Object.keys(wire).every((name) => Object.keys(tool.input.shape).map(snakeCase).includes(name)),
  )

const PROGRAM = `
import json, os, sys
from turngraph import TurngraphClient, TurngraphError

answers = []
clients = {}
for case in json.load(sys.stdin):
    token = case["token"]
    client = clients.setdefault(token, TurngraphClient(os.environ["TURNGRAPH_URL"], token=token, retries=0))
    try:
        getattr(client, case["method"])(**case["fields"])
        answers.append(None)
    except TurngraphError as error:
        answers.append({"code": error.code, "details": error.details})
print(json.dumps(answers))
`

describePython('every field of every write, with the Python client', () => {
  test('is refused to the same scopes', async () => {
    const { service } = await startWithTokens()
    const tried = CASES.flatMap((field) => SCOPES.map((scope) => ({ field, scope })))
    const answers = await runPython(
      service.url,
      tried.map(({ field, scope }) => ({
        token: tokenOf(scope),
        method: snakeCase(field.operation),
        fields: field.wire,
      })),
    )
    const problems = tried.map(({ field, scope }, i) => findProblem(field, scope, answers[i] ?? null))
    expect(problems.filter((problem) => problem !== null)).toEqual([])
    expect(answers.length).toBe(tried.length)
  })
})

async function runPython(url: string, cases: object[]): Promise<Refusal[]> {
  const clients = fileURLToPath(new URL('../../clients/python', import.meta.url))
  const env = { ...process.env, PYTHONPATH: clients, PYTHONDONTWRITEBYTECODE: '1', TURNGRAPH_URL: url }
  const running = spawn('python3', ['-c', PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  running.stdin.end(JSON.stringify(cases))
  let output = ''
  for await (const chunk of running.stdout) output += String(chunk)
  return JSON.parse(output)
}
