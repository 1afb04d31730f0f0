// Renders the OpenAPI document as one HTML page that needs no script.

import express, { type Router } from 'express'
import { openApiDocument } from './openapi.ts'
import type { Json } from './openapi-schemas.ts'

type Fields = Readonly<Record<string, Json>>

/** The whole page. Its addresses are relative: it works behind a proxy's prefix too. */
export function renderDocsPage(document: Json): string {
  const { info, paths, components } = document as {
    info: Record<string, string>
    paths: Readonly<Record<string, Fields>>
    components: Readonly<Record<'parameters' | 'responses' | 'schemas' | 'securitySchemes', Fields>>
  }
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]): Call => ({ ...(call as Call), method, path })),
  )
  const tags = [...new Set(calls.flatMap((call) => call.tags))]
  const tagged = (tag: string) => calls.filter((call) => call.tags.includes(tag))
  const body = [
    `<h1>${escapeHtml(info.title)} API <small>${escapeHtml(info.version)}</small></h1>`,
    `<p>${escapeHtml(info.description)}</p>`,
    `<p>Each call but the probes needs <code>Authorization: Bearer TOKEN</code>. ${prose(components.securitySchemes.bearer?.description)}`,
    'The same as OpenAPI 3.1: <a href="openapi.json">openapi.json</a>.</p>',
    '<h2>Calls</h2>',
    ...tags.flatMap((tag) => [
      `<h3>${escapeHtml(tag)}</h3>`,
      ...tagged(tag).map((call) => renderCall(call, components.parameters)),
    ]),
    '<h2>Errors</h2>',
    `<p>Every error is an ${link('Error')}.</p>`,
    table(
      Object.entries(components.responses).map(([name, { description }]) => [
        code(name.replace('Error', '')),
        prose(description),
      ]),
    ),
    '<h2>Schemas</h2>',
    ...Object.entries(components.schemas).map(
      ([name, schema]) =>
        `<details id="schema-${escapeHtml(name)}"><summary>${code(name)}</summary>${renderSchema(schema)}</details>`,
    ),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/style.css">
</head>
<body>
${body.join('\n')}
</body>
</html>
`
}

type Parameter = {
  $ref?: string
  name: string
  in: string
  required: boolean
  description?: string
  schema: Json
}
type Content = { content?: Readonly<Record<string, { schema: Json }>> }
type Call = {
  method: string
  path: string
  operationId: string
  summary: string
  description?: string
  tags: readonly string[]
  parameters?: readonly Parameter[]
  requestBody?: Content
  responses: Readonly<Record<string, Content & { $ref?: string; description?: string }>>
}

function renderCall(call: Call, shared: Fields): string {
  const { method, path, operationId, summary, description, requestBody } = call
  const parameters = (call.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined ? parameter : (shared[lastPart(parameter.$ref)] as unknown as Parameter),
  )
  const responses = Object.entries(call.responses)
  const failures = responses.filter(([, { $ref }]) => $ref !== undefined).map(([status]) => status)
  return [
    `<details id="${escapeHtml(operationId)}"><summary><code><b>${escapeHtml(method.toUpperCase())}</b> ${escapeHtml(path)}</code> ${prose(summary)}</summary>`,
    description === undefined ? '' : `<p>${prose(description)}</p>`,
    parameters.length === 0
      ? ''
      : `<h4>Parameters</h4>${table(
          parameters.map(({ name, in: place, required, description: meaning, schema }) => [
            `${code(name)}${required ? ' <em>required</em>' : ''}`,
            escapeHtml(place),
            typeOf(schema),
            prose(meaning),
          ]),
        )}`,
    requestBody === undefined ? '' : `<h4>Body</h4>${contents(requestBody)}`,
    '<h4>Answers</h4>',
    table(
      responses
        .filter(([, { $ref }]) => $ref === undefined)
        .map(([status, answer]) => [code(status), prose(answer.description), contents(answer)]),
    ),
    failures.length === 0 ? '' : `<p>Errors: ${failures.map(code).join(', ')}</p>`,
    '</details>',
  ].join('\n')
}

const contents = ({ content = {} }: Content): string =>
  Object.entries(content)
    .map(([type, { schema }]) => `${code(type)}: ${typeOf(schema)}`)
    .join('<br>')

/** A record as a table of its fields; anything else by its type alone. */
function renderSchema(schema: Json): string {
  const meaning = schema.description === undefined ? '' : `<p>${prose(schema.description)}</p>`
  const fields = Object.entries((schema.properties ?? {}) as Fields)
  if (fields.length === 0) return `${meaning}<p>${typeOf(schema)}</p>`
  const required = (schema.required ?? []) as readonly string[]
  const rows = fields.map(([name, field]) => [
    `${code(name)}${required.includes(name) ? ' <em>required</em>' : ''}`,
    typeOf(field),
    prose(field.description),
  ])
  return `${meaning}${table(rows)}`
}

/** What a value may be, with the limits that the schema sets. */
function typeOf(schema: Json): string {
  const {
    $ref,
    anyOf,
    oneOf,
    enum: values,
    const: only,
    type,
    items,
    properties,
    additionalProperties,
  } = schema
  if (typeof $ref === 'string') return link(lastPart($ref))
  const choices = (anyOf ?? oneOf) as readonly Json[] | undefined
  if (choices !== undefined) return choices.map(typeOf).join(' or ')
  if (only !== undefined) return code(JSON.stringify(only))
  if (Array.isArray(values)) return values.map((value) => code(JSON.stringify(value))).join(' ')
  if (properties !== undefined) return renderSchema({ ...schema, description: undefined })
  if (items !== undefined) return `list${limits(schema)} of ${typeOf(items as Json)}`
  if (typeof additionalProperties === 'object' && additionalProperties !== null)
    return `map of ${typeOf(additionalProperties as Json)}`
  const named = type === undefined ? 'anything' : [type].flat().join(' or ')
  return `${escapeHtml(named)}${limits(schema)}`
}

const LIMITS = [
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'default',
]

function limits(schema: Json): string {
  // Number.MAX_SAFE_INTEGER stands for "no limit of its own".
  const set = LIMITS.filter((key) => schema[key] !== undefined && !isSafeBound(schema[key]))
  if (set.length === 0) return ''
  return ` <small>(${set.map((key) => escapeHtml(`${key} ${JSON.stringify(schema[key])}`)).join(', ')})</small>`
}

const isSafeBound = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER

const table = (rows: readonly (readonly string[])[]): string =>
  `<table>${rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n')}</table>`

const link = (schema: string): string => `<a href="#schema-${escapeHtml(schema)}">${escapeHtml(schema)}</a>`

const lastPart = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`

/** A text of the document, in which code stands between backticks. */
const prose = (text: unknown): string => escapeHtml(text ?? '').replace(/`([^`]+)`/g, '<code>$1</code>')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeHtml = (text: unknown): string =>
  String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

// Serves the page at `/docs`, which shows the OpenAPI document without a script and without a CDN.

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 70rem; padding: 1rem }
summary { cursor: pointer; padding: .25rem 0 }
details[open] { border-left: 3px solid #8888; margin-bottom: 1rem; padding-left: .75rem }
code { font-size: .9em; overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
td { border-top: 1px solid #8884; padding: .25rem .5rem .25rem 0; vertical-align: top }
`

/** Nothing runs, and nothing is loaded but the style sheet of this service. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function docsPages(): Router {
  const router = express.Router({ strict: true })
  let page: string | undefined
  router.get('/docs', (_req, res) => {
    page ??= renderDocsPage(openApiDocument())
    res.setHeader('Content-Security-Policy', POLICY).type('html').send(page)
  })
  router.get('/docs/', (_req, res) => res.redirect('../docs'))
  router.get('/docs/style.css', (_req, res) => void res.type('css').send(STYLE))
  return router
}
