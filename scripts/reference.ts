// Writes docs/reference.md, docs/graph.md, docs/mcp-tools.json and the diagram of the layers in
// docs/concepts.md.
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { ERRORS } from '../src/core/errors.ts'
import { EXIT } from '../src/core/exit-codes.ts'
import { groupBy } from '../src/core/group-by.ts'
import { snakeCase, wireSchema } from '../src/core/wire-form.ts'
import { listTools } from '../src/mcp/manifest.ts'
import { listPrompts } from '../src/mcp/prompts.ts'
import { RESOURCE_KINDS } from '../src/mcp/resource-address.ts'
import { captureRequest } from '../src/memory/record/record.ts'
import {
  COACH_DECISION_WORDS,
  CRITERION_STATUS_WORDS,
  MODE_WORDS,
  PLAYER_DECISION_WORDS,
  PROMISE_STATUS_WORDS,
  SEVERITY_WORDS,
} from '../src/memory/record/words.ts'
import { fieldRulesOf, scopesOf } from '../src/operations/access.ts'
import { type FieldRules, isPartRules, isValueRule } from '../src/operations/field-rules.ts'
import { type RoleScope, SCOPES, type Scope } from '../src/operations/operation.ts'
import { findRoute, routes } from '../src/operations/routes.ts'
import { type OperationName, operationNames, operations } from '../src/operations/table.ts'
import { ALL_TOOLS, DEFAULT_TOOLS } from '../src/operations/tools.ts'
import { transcriptUpload, UPLOAD_PATH, UPLOAD_SUMMARY } from '../src/operations/transcript-upload.ts'
import { ENVIRONMENT } from '../src/platform/config.ts'
import {
  nodeSections,
  nodesTable,
  relationshipSections,
  relationshipsTable,
  schemaPicture,
} from './graph-document.ts'
import { layersPicture } from './layers.mjs'
import { MCP_EXAMPLES } from './mcp-examples.ts'
import { writeGenerated } from './write-generated.ts'

const EVERY_SCOPE: ReadonlySet<Scope> = new Set(SCOPES)

type Json = { [key: string]: unknown }

function reference(): string {
  return `${[
    '# Reference\n\nGenerated from the schemas by `npm run docs`. The running service has the same as OpenAPI 3.1 at `/openapi.json`, and as a page at `/docs`.',
    `## Routes\n\n${table(['route', 'scope', 'what it does'], [...routes.map(routeRow), UPLOAD_ROW])}\n\nBeside them: \`GET /healthz\`, \`GET /readyz\`, \`GET /openapi.json\` and \`GET /docs\`, which ask for no token.`,
    `## Who may say what\n\nThe scope of a token decides which fields of a turn it may send. \`write\` includes \`play\`, \`judge\` and \`observe\`. A field that a token may not send is \`forbidden\`; the error names the field and the scopes. A token of \`play\` reads as a Player: routes with a role need \`role=player\`. [One token per role](how-to/roles.md).\n\n${table(['write', 'field', 'scopes'], fieldRows())}`,
    `## The turn record\n\nWhat \`POST /v1/turns\` and \`turngraph capture\` take. A field that is not listed is refused.\n\n${fields(captureRequest)}`,
    ...partSections(captureRequest),
    `### Decisions, modes, severities and statuses\n\nA word is matched without case, surrounding space and closing punctuation; space and \`-\` are \`_\`. Any other word is refused with the nearest one. Only \`turngraph import autobuild\` stores another word for one that it does not know, with a warning: \`unknown\`, the severity \`should_fix\`, the promise status \`uncertain\`.\n\n${table(
      ['field', 'word', 'or'],
      decisionRows(),
    )}`,
    `### A record that was read back\n\nWhat \`GET /v1/worlds/{world_slug}/turns/{turn_number}\` answers is taken as it is, and so is the body that \`TurnStateEntity.to_episode_body\` writes. Keys that follow from others (\`id\`, \`key\`, \`player_decision_raw\`, \`coach_decision_raw\`, \`severity_raw\`) must agree with them. Sent to the world that has it, it is the same turn: \`"created": false\`.`,
    ...queries().map(([title, schema]) => `## ${title}\n\n${fields(schema)}`),
    `## MCP tools\n\nOver stdio (\`turngraph mcp\`) and streamable HTTP (\`POST /mcp\`). Their schemas and examples: [mcp-tools.json](mcp-tools.json). The list of a connection has the ${DEFAULT_TOOLS.length} tools that are marked in the first column. \`turngraph mcp --tools all\` and \`/mcp?tools=all\` list every tool. A connection can also call a tool that it does not list.\n\n${table(
      ['listed', 'tool', 'operation', 'what it does'],
      ALL_TOOLS.map(({ name, operation, description }) => [
        DEFAULT_TOOLS.includes(name) ? 'yes' : '',
        `\`${name}\``,
        routeText(operation),
        description,
      ]),
    )}`,
    `## MCP resources\n\nA read is the JSON that the route answers; a subscriber is told when that may have changed. \`resources/list\` lists the schema and the worlds.\n\n${table(
      ['URI', 'route', 'what it is'],
      RESOURCE_KINDS.map(({ template, operation, description }) => [
        `\`${template}\``,
        routeText(operation),
        description,
      ]),
    )}`,
    `## MCP prompts\n\nEach takes ${promptArguments()}.\n\n${table(
      ['prompt', 'what it is'],
      listPrompts(EVERY_SCOPE).prompts.map(({ name, description = '' }) => [`\`${name}\``, description]),
    )}`,
    `## Errors\n\n${table(
      ['code', 'HTTP', 'exit', 'meaning'],
      Object.entries(ERRORS).map(([code, { status, exit, meaning }]) => [
        `\`${code}\``,
        `${status}`,
        `${exit}`,
        meaning,
      ]),
    )}`,
    `## Exit codes\n\nOf every command. An error's is that of its code.\n\n${table(
      ['exit', 'meaning', 'errors'],
      Object.values(EXIT).map(({ code, meaning }) => [`${code}`, meaning, errorsWith(code)]),
    )}`,
    `## Settings\n\n${table(['variable', 'default', 'meaning'], Object.entries(ENVIRONMENT).map(settingRow))}`,
  ].join('\n\n')}\n`
}

/** All prompts have the same arguments. */
function promptArguments(): string {
  const [prompt] = listPrompts(EVERY_SCOPE).prompts
  return (prompt?.arguments ?? [])
    .map(({ name, description, required }) => `\`${name}\` (${description}${required ? '; required' : ''})`)
    .join(', ')
}

function graphDocument(): string {
  return `${[
    "# The graph's schema\n\nGenerated from the schemas by `npm run docs`: what is not here is not stored. `?` marks a property that a node may lack. `turngraph schema`, `GET /v1/graph/schema` and the MCP resource `turngraph://schema` have the same. [What it means](concepts.md#the-graph).",
    `\`\`\`mermaid\n${schemaPicture()}\n\`\`\``,
    `## Nodes\n\n${nodesTable()}`,
    `## Relationships\n\n${relationshipsTable()}`,
    `## Properties of nodes\n\n${nodeSections()}`,
    `## Properties of relationships\n\n${relationshipSections()}`,
  ].join('\n\n')}\n`
}

const errorsWith = (exit: number): string =>
  Object.entries(ERRORS)
    .filter(([, error]) => error.exit === exit)
    .map(([code]) => `\`${code}\``)
    .join(' ')

function decisionRows(): string[][] {
  const words = (field: string, table: Record<string, readonly string[]>) =>
    Object.entries(table).map(([word, synonyms]) => [
      `\`${field}\``,
      `\`${word}\``,
      synonyms.map((synonym) => `\`${synonym}\``).join(' '),
    ])
  return [
    ...words('player_decision', PLAYER_DECISION_WORDS),
    ...words('coach_decision', COACH_DECISION_WORDS),
    ...words('mode', MODE_WORDS),
    ...words('issues[].severity', SEVERITY_WORDS),
    ...words('promises[].status', PROMISE_STATUS_WORDS),
    ...words('verifications[].status', CRITERION_STATUS_WORDS),
  ]
}

const routeText = (operation: OperationName): string => {
  const { method, path } = findRoute(operation)
  return `\`${method} ${path}\``
}

const routeRow = ({ method, path, operation }: (typeof routes)[number]): string[] => {
  const { summary } = operations[operation]
  return [`\`${method} ${path}\``, scopesOf(operation).join(', '), summary]
}

/** Rows of the writes that several roles may call. */
const fieldRows = (): string[][] =>
  operationNames.flatMap((operation) =>
    groupRows(listScopesOf(fieldRulesOf(operation) ?? {}, jsonSchema(operations[operation].input))).map(
      ([scopes, fields]) => [routeText(operation), fields, scopes],
    ),
  )

/** Lists each field with its scopes; a field whose value decides is several entries. */
function listScopesOf(rules: FieldRules, schema: Json, above = ''): [field: string, scopes: string][] {
  const written = (scopes: readonly RoleScope[]) =>
    [...scopes, 'write'].map((scope) => `\`${scope}\``).join(', ')
  return Object.entries(rules).flatMap(([field, rule]): [string, string][] => {
    const name = `${above}${snakeCase(field)}`
    if (isPartRules(rule)) {
      const part = propertiesOf(schema)[snakeCase(field)] ?? {}
      const entry = findChoice(part, 'items')?.items as Json | undefined
      return listScopesOf(rule.each, entry ?? part, entry === undefined ? `${name}.` : `${name}[].`)
    }
    if (!isValueRule(rule)) return [[`\`${name}\``, written(rule)]]
    return [
      ...Object.entries(rule.values).map(([value, scopes]): [string, string] => [
        `\`${name}\` = \`${value}\`${value === rule.absent ? ' (default)' : ''}`,
        written(scopes),
      ]),
      [`\`${name}\`: any other value`, written(rule.others)],
    ]
  })
}

const groupRows = (entries: [field: string, scopes: string][]): [scopes: string, fields: string][] =>
  [...groupBy(entries, ([, scopes]) => scopes)].map(([scopes, fields]) => [
    scopes,
    fields.map(([field]) => field).join(', '),
  ])

const UPLOAD_ROW = [`\`POST ${UPLOAD_PATH}\``, 'write', UPLOAD_SUMMARY]

function queries(): [string, z.ZodType][] {
  return [
    ['The continuation context', operations.loadTurnContinuationContext.input],
    ['The criteria', operations.listCriteria.input],
    ['Promises', operations.recoverPromises.input],
    ['Stall analysis', operations.loadStall.input],
    ['Why', operations.explainTurn.input],
    ['Creating a world', operations.createWorld.input],
    ['Running turns', operations.runTurn.input],
    ['Cancelling a turn run', operations.cancelTurnRun.input],
    ['Sending a transcript', transcriptUpload],
    ['Turns of transcripts', operations.listTranscriptTurns.input],
    ['Patterns of turns', operations.listTranscriptPatterns.input],
  ]
}

function settingRow([name, schema]: [string, z.ZodType]): string[] {
  // A default that depends on the machine has no value in the schema.
  const fallback = schema instanceof z.ZodDefault ? schema.def.defaultValue : schema.meta()?.default
  return [
    `\`${name}\``,
    fallback === undefined ? 'none' : `\`${String(fallback)}\``,
    schema.description ?? '',
  ]
}

const jsonSchema = (schema: z.ZodType): Json =>
  z.toJSONSchema(wireSchema(schema), { io: 'input', unrepresentable: 'any' }) as Json

const fields = (schema: z.ZodType): string => fieldsOf(jsonSchema(schema))

const FIELD_COLUMNS = ['field', 'type', 'required', '']

const fieldsOf = (schema: Json): string =>
  table(
    FIELD_COLUMNS,
    rowsOf(schema).map(({ row }) => row),
  )

const propertiesOf = (schema: Json): Record<string, Json> => (schema.properties ?? {}) as Record<string, Json>

function rowsOf(schema: Json, above = ''): { name: string; field: Json; row: string[] }[] {
  const required = new Set((schema.required ?? []) as string[])
  return Object.entries(propertiesOf(schema)).map(([key, field]) => {
    const name = above + key
    const ifGiven = above === '' ? 'yes' : `with \`${above.slice(0, -1)}\``
    return {
      name,
      field,
      row: [`\`${name}\``, typeOf(field), required.has(key) ? ifGiven : '', String(field.description ?? '')],
    }
  })
}

/** Returns a table of the fields of a part of a record, each object followed by its own fields. */
function partFields(schema: Json): string {
  const deepRows = (part: Json, above: string): string[][] =>
    rowsOf(part, above).flatMap(({ name, field, row }) => {
      const object = findChoice(field, 'properties')
      return object === undefined ? [row] : [row, ...deepRows(object, `${name}.`)]
    })
  return table(FIELD_COLUMNS, deepRows(schema, ''))
}

/** Finds the choice of a field that has a keyword: `properties` for an object, `items` for a list. */
const findChoice = (field: Json, keyword: 'properties' | 'items'): Json | undefined =>
  [field, ...((field.anyOf ?? []) as Json[])].find((choice) => choice[keyword] !== undefined)

/** Returns the sections of the objects and lists of a record, with the fields of each. */
function partSections(schema: z.ZodType): string[] {
  const parts = Object.entries(propertiesOf(jsonSchema(schema)))
  const objects = parts.map(([name, field]) => ({
    heading: `\`${name}\``,
    part: findChoice(field, 'properties'),
  }))
  const entries = parts.map(([name, field]) => ({
    heading: `Each of \`${name}\``,
    part: findChoice(field, 'items')?.items as Json | undefined,
  }))
  return [...objects, ...entries].flatMap(({ heading, part }) =>
    part?.properties === undefined ? [] : [`### ${heading}\n\n${partFields(part)}`],
  )
}

function typeOf(schema: Json): string {
  const words = schema.enum as string[] | undefined
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(' ')
  const choices = schema.anyOf as Json[] | undefined
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Json)}`
  if (schema.type === 'object') return schema.properties === undefined ? mapType(schema) : 'object'
  if (schema.format === 'date-time') return 'ISO 8601 instant'
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'any JSON')
  return `${type}${boundsOf(schema)}`
}

function boundsOf({ minimum, maximum }: Json): string {
  if (typeof minimum !== 'number') return ''
  return typeof maximum === 'number' && maximum < 1e12
    ? ` (${minimum} to ${maximum})`
    : ` (${minimum} or more)`
}

const mapType = (schema: Json): string => `map of ${typeOf((schema.additionalProperties ?? {}) as Json)}`

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Returns the tools with their schemas and examples. */
const manifestOfTools = () => ({
  tools: listTools(EVERY_SCOPE, 'all').map((tool) => ({ ...tool, examples: MCP_EXAMPLES[tool.name] ?? [] })),
})

/** Returns the document with a new diagram of the layers between its marks. */
function conceptsWithLayers(): string {
  const text = readFileSync(new URL('../docs/concepts.md', import.meta.url), 'utf8')
  const picture = `<!-- layers -->\n\n\`\`\`mermaid\n${layersPicture()}\n\`\`\`\n\n<!-- /layers -->`
  return text.replace(/<!-- layers -->.*<!-- \/layers -->/s, picture)
}

writeGenerated({
  'docs/reference.md': reference(),
  'docs/graph.md': graphDocument(),
  'docs/concepts.md': conceptsWithLayers(),
  'docs/mcp-tools.json': `${JSON.stringify(manifestOfTools(), null, 2)}\n`,
})
