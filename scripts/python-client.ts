// Writes clients/python/turngraph/_generated.py, from the OpenAPI document.
import { ERRORS } from '../src/core/errors.ts'
import { snakeCase } from '../src/core/wire-form.ts'
import { openApiDocument } from '../src/http/openapi.ts'
import { hasBody, type Route, routes } from '../src/operations/routes.ts'
import { operations } from '../src/operations/table.ts'
import { PythonTypes, type Schema } from './python-types.ts'
import { writeGenerated } from './write-generated.ts'

type Parameter = { name: string; in?: string; required?: boolean; schema: Schema; $ref?: string }
type Call = {
  parameters: Parameter[]
  requestBody?: { content: { 'application/json': { schema: Schema } } }
  responses: Record<string, { content: { 'application/json': { schema: Schema } } }>
}

/**
 * Operations in a spool, which stores camelCase: renaming must know which keys are field names and which are
 * user data.
 */
const SPOOLED = ['captureTurnState', 'captureReports', 'commitAttempt'] as const

function generated(): string {
  const document = openApiDocument()
  const { schemas } = document.components as { schemas: Record<string, Schema> }
  const paths = document.paths as Record<string, Record<string, Call>>
  const types = new PythonTypes(schemas)
  const requests = new Map<string, Schema>()
  const methods: string[] = []
  for (const route of routes) {
    const call = paths[route.path]?.[route.method.toLowerCase()]
    if (call === undefined) throw new Error(`${route.operation} is not in the OpenAPI document`)
    const request = requestOf(call, schemas)
    requests.set(route.operation, request)
    const name = `${pascalCase(route.operation)}Request`
    types.addObject(name, request, 'input')
    const answer = types.typeOf(call.responses[200]?.content['application/json'].schema ?? {}, name, 'output')
    methods.push(methodText(route, name, answer))
  }
  const shapes = SPOOLED.map(
    (operation) => `    ${quoted(operation)}: ${shapeText(requests.get(operation) ?? {}, schemas)},`,
  )
  return `${[
    HEAD,
    errorText(),
    ...types.texts(),
    `class Route(NamedTuple):\n    method: str\n    path: str\n    has_body: bool\n    takes_project: bool\n    required: tuple[str, ...]`,
    `ROUTES: dict[str, Route] = {\n${routes.map((route) => routeText(route, requests.get(route.operation) ?? {})).join('\n')}\n}`,
    `SHAPES: dict[str, Any] = {\n${shapes.join('\n')}\n}`,
    `class Calls:\n    """A method for each operation; each raises TurngraphError."""\n\n    def _call(self, operation: str, fields: Mapping[str, Any]) -> Any:\n        raise NotImplementedError\n\n${methods.join('\n\n')}`,
  ].join('\n\n\n')}\n`
}

const HEAD = `"""The records and the calls of Turngraph. Generated from its OpenAPI document by \`npm run docs\`: do not edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired, TypeAlias, Unpack`

function errorText(): string {
  const entries = Object.entries(ERRORS).map(([code, { status }]) => `    ${quoted(code)}: ${status},`)
  return [
    `ErrorCode: TypeAlias = "Literal[${Object.keys(ERRORS)
      .map((code) => `'${code}'`)
      .join(', ')}]"`,
    `STATUSES: dict[str, int] = {\n${entries.join('\n')}\n}`,
  ].join('\n\n')
}

/** Returns the schema of all fields of a call: those in the path, the query and the body. */
function requestOf(call: Call, schemas: Record<string, Schema>): Schema {
  const body = resolved(call.requestBody?.content['application/json'].schema ?? {}, schemas)
  const named = call.parameters.filter(({ $ref }) => $ref === undefined)
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(named.map(({ name, schema }) => [name, schema])),
      ...body.properties,
    },
    required: [...named.filter(({ required }) => required).map(({ name }) => name), ...(body.required ?? [])],
  }
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (schemas[name] ?? {})
}

function methodText({ operation }: Route, request: string, answer: string): string {
  return [
    `    def ${snakeCase(operation)}(self, **fields: Unpack[${request}]) -> ${answer}:`,
    `        """${operations[operation].summary}."""`,
    `        answer: ${answer} = self._call(${quoted(operation)}, fields)`,
    `        return answer`,
  ].join('\n')
}

function routeText(route: Route, { properties = {}, required = [] }: Schema): string {
  const fields = [
    quoted(route.method),
    quoted(route.path),
    pythonBoolean(hasBody(route)),
    pythonBoolean('project' in properties),
    `(${required.map((name) => `${quoted(name)},`).join(' ')})`,
  ]
  return `    ${quoted(route.operation)}: Route(${fields.join(', ')}),`
}

/**
 * Writes a shape: a dict maps field names, a list holds entries of one shape, None is data that stays
 * unchanged.
 */
function shapeText(schema: Schema, schemas: Record<string, Schema>): string {
  const given = resolved(schema, schemas)
  if (schema.$ref !== undefined && given.properties === undefined) return 'None' // free JSON, which contains itself
  const choices = given.anyOf ?? given.oneOf
  if (choices !== undefined) {
    const shapes = new Set(
      choices.map((choice) => shapeText(choice, schemas)).filter((text) => text !== 'None'),
    )
    if (shapes.size > 1) throw new Error('a spooled record may have two shapes')
    return [...shapes][0] ?? 'None'
  }
  if (given.items !== undefined) {
    const entry = shapeText(given.items, schemas)
    return entry === 'None' ? 'None' : `[${entry}]`
  }
  if (given.properties === undefined) return 'None'
  const entries = Object.entries(given.properties)
  return `{${entries.map(([name, field]) => `${quoted(name)}: ${shapeText(field, schemas)}`).join(', ')}}`
}

const quoted = (text: string): string => JSON.stringify(text)
const pythonBoolean = (value: boolean): string => (value ? 'True' : 'False')
const pascalCase = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

writeGenerated({ 'clients/python/turngraph/_generated.py': generated() })
