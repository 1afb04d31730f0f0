// Composes the HTTP service: everything between a request and its answer, in order.
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import { TurngraphError } from '../core/errors.ts'
import { scopesOf } from '../operations/access.ts'
import { EVENTS_PATH, EVENTS_SCOPES } from '../operations/events.ts'
import { onlyReads } from '../operations/operation.ts'
import { PAGE_CODES_PATH, PAGE_SESSIONS_PATH } from '../operations/page-session.ts'
import { hasBody, type Route, routes } from '../operations/routes.ts'
import { operations } from '../operations/table.ts'
import { UPLOAD_PATH } from '../operations/transcript-upload.ts'
import type { Config } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { PROOF_PATH } from '../platform/service-proof.ts'
import { VERSION } from '../platform/version.ts'
import { answerFailure, answerJson, answerText } from './answer.ts'
import type { Tokens } from './api-tokens.ts'
import {
  identify,
  limitRate,
  readCaller,
  refuseForeign,
  refuseForeignGet,
  refuseForeignToMcp,
  requireScope,
} from './authorize.ts'
import { eventsHandler } from './events.ts'
import { refuseBody } from './input.ts'
import { boundBodies, MAX_BODY_BYTES } from './json-body.ts'
import type { McpEndpoint } from './mcp.ts'
import { measureRequests, metricsHandler } from './metrics.ts'
import { openApiDocument } from './openapi.ts'
import { type OperationContext, operationHandler, requireUnscopedToken } from './operation-handler.ts'
import { proofHandler } from './proof.ts'
import { requestLog } from './request-log.ts'
import { createCodeHandler, exchangeCodeHandler } from './sign-in.ts'
import { transcriptUploadHandler } from './transcript-upload.ts'
import { webPage } from './web-page.ts'

type AppParts = OperationContext & { config: Config; tokens: Tokens; log: Log }

/** Creates the express app: all handlers, in the order in which a request passes them. */
export function createApp({ config, tokens, log, ...context }: AppParts): Express {
  const app = express()
  app.disable('x-powered-by').disable('etag').set('query parser', false)
  app.enable('strict routing').enable('case sensitive routing')
  app.use(requestLog(log), measureRequests(context.metrics), helmet(HELMET), refuseForeign(config))

  app.get('/healthz', (_req, res) => answerJson(res, 200, { status: 'ok', version: VERSION }))
  app.get('/readyz', async (_req, res) => {
    await context.schema.ready()
    answerJson(res, 200, { status: 'ready', engine: context.graph.engine })
  })
  let document: string | undefined
  app.get('/openapi.json', (_req, res) => {
    document ??= JSON.stringify(openApiDocument())
    answerText(res, 200, document)
  })
  app.get(PROOF_PATH, proofHandler(tokens))
  const page = config.web ? webPage(config.auth) : null
  if (page !== null) app.use(page.router)

  app.use(BEHIND_TOKENS, identify(config.auth === 'token' ? tokens : null))
  const rate = config.rateLimit > 0 ? limitRate(config.rateLimit) : null
  if (rate !== null) app.use(BEHIND_TOKENS, rate.request)
  app.get('/metrics', requireScope(['read']), refuseOneProject, metricsHandler(context.metrics))
  const readJson = boundBodies()
  const mcpBody = readJson(MAX_BODY_BYTES)
  addMcp(app, config, context, rate === null ? [mcpBody] : [mcpBody, rate.members])
  for (const route of routes) {
    const body = hasBody(route) ? readJson(route.mostBytes ?? MAX_BODY_BYTES) : refuseBody
    addRoute(app, route, body, context)
  }
  app.post(toExpress(UPLOAD_PATH), requireScope(['write']), transcriptUploadHandler(context))
  app.get(EVENTS_PATH, requireScope(EVENTS_SCOPES), refuseBody, eventsHandler(context))
  const { pageSessions } = tokens
  app.post(PAGE_CODES_PATH, requireScope(null), refuseBody, createCodeHandler(pageSessions))
  app.post(PAGE_SESSIONS_PATH, readJson(MAX_CODE_BYTES), exchangeCodeHandler(pageSessions))
  for (const [path, methods] of methodsByPath()) {
    app.all(toExpress(path), (req, res) => refuseMethod(path, methods, req, res))
  }
  app.use((req, res) => {
    if (page !== null && isFromAddressBar(req)) return page.sendDocument(res, 404)
    throw new TurngraphError('not_found', `There is no ${req.method} ${req.path.slice(0, 200)}.`, {
      hint: 'GET /openapi.json lists every route.',
    })
  })
  app.use(answerFailure)
  return app
}

/** True if a person opened the address in a browser: a program prefers JSON, or has no preference. */
const isFromAddressBar = (req: Request): boolean =>
  req.method === 'GET' &&
  !BEHIND_TOKENS.some((start) => req.path.startsWith(start)) &&
  req.accepts(['json', 'html']) === 'html'

/** Rejects tokens of one project, because the figures cover all projects. */
const refuseOneProject: RequestHandler = (_req, res, next) => {
  requireUnscopedToken(readCaller(res))
  next()
}

/** Maximum size of a body with a code. */
const MAX_CODE_BYTES = 1_024

const BEHIND_TOKENS = ['/v1', '/mcp', '/metrics']

/** Headers of the page. Plain HTTP on a loopback address is normal, so a browser must not request assets over TLS. */
const HELMET = { contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } }

function addRoute(app: Express, route: Route, body: RequestHandler, context: OperationContext): void {
  const method = ({ GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const)[
    route.method
  ]
  const address = toExpress(route.path)
  if (writesByGet(route)) {
    // A HEAD request, or a link or an image on a foreign page, must not write.
    app.head(address, (req, res) => refuseMethod(route.path, ['GET'], req, res))
    app.get(address, refuseForeignGet)
  }
  app[method](address, requireScope(scopesOf(route.operation)), body, operationHandler(route, context))
}

function addMcp(
  app: Express,
  config: Config,
  context: OperationContext,
  body: readonly RequestHandler[],
): void {
  app.use('/mcp', refuseForeignToMcp(config))
  let endpoint: McpEndpoint | undefined
  const answer: RequestHandler = async (req, res) => {
    // Loads the SDK of MCP at the first request: it takes a quarter of the start time, and many services never need it.
    const { McpEndpoint } = await import('./mcp.ts')
    endpoint ??= new McpEndpoint(context)
    await endpoint.answer(req, res)
  }
  const refuse: RequestHandler = (_req, res) =>
    void res.status(405).setHeader('Allow', 'GET, POST, DELETE').end()
  app.head('/mcp', refuse) // otherwise Express passes it to the handler of GET
  // Each call of an operation checks the scopes of the token.
  app.post('/mcp', requireScope(null), ...body, answer)
  app.get('/mcp', requireScope(null), refuseBody, answer)
  app.delete('/mcp', requireScope(null), refuseBody, answer)
  app.all('/mcp', refuse)
}

/** True for a GET that writes, because it takes an attempt for its caller. */
const writesByGet = ({ method, operation }: Route): boolean =>
  method === 'GET' && !onlyReads(operations[operation].scope)

const toExpress = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')

function methodsByPath(): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const path of [UPLOAD_PATH, PAGE_CODES_PATH, PAGE_SESSIONS_PATH]) methods.set(path, ['POST'])
  for (const path of ['/healthz', '/readyz', PROOF_PATH, '/openapi.json', '/metrics', EVENTS_PATH])
    methods.set(path, ['GET'])
  for (const { path, method } of routes) methods.set(path, [...(methods.get(path) ?? []), method])
  return methods
}

function refuseMethod(path: string, allowed: readonly string[], req: Request, res: Response): never {
  const takesHead =
    allowed.includes('GET') && !routes.some((route) => route.path === path && writesByGet(route))
  res.setHeader('Allow', [...allowed, ...(takesHead ? ['HEAD'] : [])].join(', '))
  throw new TurngraphError('method_not_allowed', `${path} has no ${req.method}.`, {
    hint: `Use ${allowed.join(' or ')}. GET /openapi.json lists every route.`,
  })
}
