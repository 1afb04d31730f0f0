import { describe, expect, test } from 'vitest'
import { Neo4jError } from './neo4j-driver.ts'
import { isTransient, toStoreError } from './neo4j-errors.ts'

const STORE = { url: 'bolt://db:7687', user: 'neo4j', password: 'x', database: 'neo4j' }
const errorOf = (code: string, message = 'It failed.') => new Neo4jError(message, code, '50N42', message)

describe('a temporary error of Neo4j', () => {
  test.each([
    'Neo.ClientError.Transaction.Terminated',
    'Neo.ClientError.Cluster.NotALeader',
    'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase',
    'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase',
    'Neo.ClientError.Transaction.InvalidBookmark',
    'Neo.TransientError.Transaction.BookmarkTimeout',
    'Neo.TransientError.Database.DatabaseUnavailable',
    'Neo.DatabaseError.Transaction.TransactionCommitFailed',
    'Neo.DatabaseError.General.UnknownError',
    'ServiceUnavailable',
    'SessionExpired',
    'N/A',
  ])('is retried, and otherwise means that the store is unavailable: %s', (code) => {
    expect(isTransient(errorOf(code))).toBe(true)
    expect(toStoreError(errorOf(code), STORE)).toMatchObject({ code: 'store_unavailable' })
  })
})

test.each([
  ['Unauthorized', 'refused the credentials'],
  ['CredentialsExpired', 'refused the credentials'],
  ['TokenExpired', 'refused the credentials'],
  ['AuthenticationRateLimit', 'is not available'],
  ['AuthorizationExpired', 'is not available'],
  ['Forbidden', 'is not available'],
])('the message names the credentials only after a refused login: %s', (code, says) => {
  const error = toStoreError(errorOf(`Neo.ClientError.Security.${code}`), STORE)
  expect(error).toMatchObject({ code: 'store_unavailable', message: expect.stringContaining(says) })
})

test.each([
  [
    'Failed to connect to server. Please ensure that … Caused by: connect ECONNREFUSED 127.0.0.1:9',
    'connect ECONNREFUSED 127.0.0.1:9',
  ],
  [
    'Failed to connect to server. … Caused by: Server certificate is not trusted. If you trust the database …',
    'Server certificate is not trusted',
  ],
  ['Server responded HTTP. Make sure you are not trying …', 'Server responded HTTP'],
  [
    'Driver is connected to a database that does not support …',
    'Driver is connected to a database that does not support …',
  ],
])(
  'the error of a store that cannot be reached names the cause, the setting and the versions of Neo4j: %s',
  (message, reason) => {
    expect(toStoreError(errorOf('ServiceUnavailable', message), STORE)).toMatchObject({
      message: `Neo4j at bolt://db:7687 cannot be reached: ${reason}.`,
      hint: expect.stringContaining('Check TURNGRAPH_STORE and the server (Neo4j 5.26 or 2026.x)'),
    })
  },
)

test('the system database is named, because it holds no graph', () => {
  const error = errorOf(
    'Neo.ClientError.Statement.SemanticError',
    'The following unsupported clauses were used: MATCH.',
  )
  expect(toStoreError(error, { ...STORE, database: 'system' })).toMatchObject({
    code: 'store_unavailable',
    message: 'Neo4j has no database "system" for a graph.',
    hint: 'Set TURNGRAPH_NEO4J_DATABASE.',
  })
  expect(toStoreError(error, STORE)).toBe(error)
})

test('two nodes of another program with one key are reported with their constraint, not as a defect', () => {
  const message =
    "Unable to create Constraint( name='world_key' ):\nBoth Node(15) and Node(19) have the label `World`"
  expect(
    toStoreError(errorOf('Neo.DatabaseError.Schema.ConstraintCreationFailed', message), STORE),
  ).toMatchObject({
    code: 'store_unavailable',
    message: "Neo4j at bolt://db:7687 refused the schema: Unable to create Constraint( name='world_key' ).",
    hint: expect.stringContaining('a database of its own'),
  })
})

test.each(['Neo.ClientError.Statement.SyntaxError', 'Neo.ClientError.Schema.ConstraintValidationFailed'])(
  'an error that shows a defect is returned unchanged: %s',
  (code) => {
    const error = errorOf(code)
    expect(isTransient(error)).toBe(false)
    expect(toStoreError(error, STORE)).toBe(error)
  },
)
