// Derives the OpenAPI document from the tables of operations and routes.
import * as z from 'zod'
import { ERRORS } from '../core/errors.ts'
import { takesProject } from '../core/fields.ts'
import { errorBody } from '../core/wire-form.ts'
import { scopesOf } from '../operations/access.ts'
import {
  EVENTS_PATH,
  EVENTS_SCOPES,
  EVENTS_SUMMARY,
  eventSchemas,
  eventsRequest,
} from '../operations/events.ts'
import type { Operation, Scope } from '../operations/operation.ts'
import { hasBody, type Route, routes } from '../operations/routes.ts'
import { operations } from '../operations/table.ts'
import {
  transcriptUpload,
  transcriptUploaded,
  UPLOAD_PATH,
  UPLOAD_SUMMARY,
} from '../operations/transcript-upload.ts'
import { VERSION } from '../platform/version.ts'
import { type Json, SchemaComponents } from './openapi-schemas.ts'

/** Builds the OpenAPI 3.1 document from the routes, the operations and their schemas. */
export function openApiDocument(): Json {
  const components = new SchemaComponents()
  const error = { 'application/json': { schema: components.refTo(errorBody, 'output') } }
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationObject(route, components),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Turngraph',
      version: VERSION,
      summary: 'The memory of autobuild sessions',
      description:
        'Every turn, verification and promise as a graph, and the continuation context for the next turn.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ bearer: [] }],
    paths: {
      ...paths,
      [UPLOAD_PATH]: { post: uploadObject(components) },
      [EVENTS_PATH]: { get: eventsObject(components) },
      ...PROBES,
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'The first token lies in the file `token` of the data folder (TURNGRAPH_DATA).',
        },
      },
      parameters: HEADER_PARAMETERS,
      responses: Object.fromEntries(
        STATUSES.map((status) => [
          `Error${status}`,
          { description: listMeanings(status), headers: listHeaders(status), content: error },
        ]),
      ),
      schemas: components.schemas,
    },
  }
}

const STATUSES = [...new Set(Object.values(ERRORS).map(({ status }) => status))].sort((a, b) => a - b)

const listMeanings = (status: number): string =>
  Object.entries(ERRORS)
    .filter(([, error]) => error.status === status)
    .map(([code, { meaning }]) => `\`${code}\`: ${meaning}`)
    .join(' ')

const REQUEST_ID = {
  'X-Request-Id': { schema: { type: 'string' }, description: 'names the request in the log' },
}
const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' }, description: 'seconds to wait' } }

const listHeaders = (status: number): Json =>
  status === 503 || status === 429 ? { ...REQUEST_ID, ...RETRY_AFTER } : REQUEST_ID

function operationObject(route: Route, components: SchemaComponents): Json {
  const { input } = operations[route.operation]
  const body = hasBody(route)
  return callObject(components, {
    ...operations[route.operation],
    ...route,
    scopes: scopesOf(route.operation),
    inQuery: !body,
    body: body
      ? { 'application/json': { schema: components.refToBody(input, (name) => isInPath(route.path, name)) } }
      : null,
    bodyNeeded: components
      .listFields(input)
      .some(({ name, required }) => required && !isInPath(route.path, name)),
  })
}

/** Describes the upload, the only call whose body is not JSON. */
const uploadObject = (components: SchemaComponents): Json =>
  callObject(components, {
    operation: 'importTranscript',
    path: UPLOAD_PATH,
    summary: UPLOAD_SUMMARY,
    scopes: ['write'],
    input: transcriptUpload,
    output: transcriptUploaded,
    inQuery: true,
    bodyNeeded: false, // without a body, the answer has the current length of the transcript
    body: { 'application/jsonl': { schema: { type: 'string', format: 'binary' } } },
  })

/** Describes the stream of events, the only call whose answer does not end. */
const eventsObject = (components: SchemaComponents): Json =>
  callObject(components, {
    operation: 'events',
    path: EVENTS_PATH,
    summary: EVENTS_SUMMARY,
    scopes: EVENTS_SCOPES,
    input: eventsRequest,
    output: z.union(Object.values(eventSchemas)),
    stream: 'text/event-stream',
    inQuery: true,
    bodyNeeded: false,
    body: null,
  })

/** Schema of an event in the stream: its content is JSON text in `data`. */
const eventWith = (contentSchema: Json): Json => ({
  type: 'object',
  properties: {
    id: { type: 'string', description: 'a cursor: `Last-Event-ID` or `cursor` of the next call' },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema },
  },
  required: ['data'],
})

type Described = Pick<Operation, 'summary' | 'input' | 'output'> &
  Pick<Route, 'path' | 'created'> & {
    operation: string
    /** Scopes that may call it; each is sufficient. */
    scopes: readonly Scope[]
    /** Content type, if the answer is a stream of `output`. */
    stream?: string
    inQuery: boolean
    body: Json | null
    bodyNeeded: boolean
  }

function callObject(components: SchemaComponents, call: Described): Json {
  const { operation, path, summary, scopes, input, output, stream, created, inQuery, body, bodyNeeded } = call
  const answer = components.refTo(output, 'output')
  const content = {
    [stream ?? 'application/json']: { schema: stream === undefined ? answer : eventWith(answer) },
  }
  const success = (description: string) => ({ description, headers: REQUEST_ID, content })
  return {
    operationId: operation,
    summary,
    description: `Needs a token with the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    'x-scopes': scopes,
    tags: [path.split('/')[2]],
    parameters: [
      ...components
        .listFields(input)
        .filter(({ name }) => inQuery || isInPath(path, name))
        .map(({ name, required, schema: { description, ...schema } }) => ({
          name,
          in: isInPath(path, name) ? 'path' : 'query',
          required,
          ...(description === undefined ? {} : { description }),
          schema,
        })),
      ...(takesProject(input) ? [{ $ref: '#/components/parameters/TurngraphProject' }] : []),
      { $ref: '#/components/parameters/XRequestId' },
      ...(body === null || inQuery ? [] : [{ $ref: '#/components/parameters/IdempotencyKey' }]),
    ],
    ...(body === null ? {} : { requestBody: { required: bodyNeeded, content: body } }),
    responses: {
      200: success(created === undefined ? 'The answer' : 'It stood there already, or took the place'),
      ...(created === undefined ? {} : { [created]: success('Created') }),
      ...Object.fromEntries(
        STATUSES.filter((status) => status !== 405).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
    },
  }
}

const isInPath = (path: string, name: string): boolean => path.includes(`{${name}}`)

const header = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

const HEADER_PARAMETERS = {
  TurngraphProject: header('Turngraph-Project', 'the project of a request that names none', {
    type: 'string',
    minLength: 1,
    maxLength: 256,
  }),
  IdempotencyKey: header('Idempotency-Key', 'a repeat with the same key answers the same', {
    type: 'string',
    minLength: 1,
    maxLength: 256,
  }),
  XRequestId: header(
    'X-Request-Id',
    'a name for the request, 1 to 128 of A-Z a-z 0-9 . _ -; for any other, or none, one is made',
    { type: 'string' },
  ),
}

const probe = (operationId: string, summary: string, fails: boolean): Json => ({
  get: {
    operationId,
    summary,
    tags: ['health'],
    security: [],
    responses: {
      200: {
        description: 'Yes',
        content: { 'application/json': { schema: { type: 'object', required: ['status'] } } },
      },
      ...(fails ? { 503: { $ref: '#/components/responses/Error503' } } : {}),
    },
  },
})

const PROBES = {
  '/healthz': probe('healthz', 'Does the process live?', false),
  '/readyz': probe('readyz', 'Does the store answer, and is its schema current?', true),
}
