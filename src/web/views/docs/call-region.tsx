// Draws one call of the service: what it takes and answers, an example, and a form that tries it.
import { useState } from 'preact/hooks'
import { Table } from '../../components/table.tsx'
import type { Service } from '../../service/service.ts'
import { buildAddress, describeType, exampleFor, nameIn, type OpenApi, type PlacedCall } from './open-api.ts'
import { TryCall } from './try-call.tsx'

type Props = { call: PlacedCall; document: OpenApi; service: Service; scopes: readonly string[] }

export function CallRegion({ call, document, service, scopes }: Props) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="call" id={call.operationId} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code>
          <b>{call.method}</b> {call.path}
        </code>{' '}
        {call.summary}
      </summary>
      {isOpen && <CallFacts {...{ call, document, service, scopes }} />}
    </details>
  )
}

function CallFacts({ call, document, service, scopes }: Props) {
  const { parameters, method, responses, 'x-scope': scope } = call
  const examples = Object.fromEntries(
    parameters
      .filter(({ required }) => required)
      .map(({ name, schema }) => [name, String(exampleFor(schema, document, name))]),
  )
  const bodySchema = call.requestBody?.content?.['application/json']?.schema ?? null
  const body = bodySchema === null ? null : JSON.stringify(exampleFor(bodySchema, document), null, 2)
  const mayTry = scope === undefined || scopes.includes(scope)
  return (
    <>
      {scope !== undefined && (
        <p>
          Needs a token with the scope <code>{scope}</code>.
        </p>
      )}
      {parameters.length > 0 && (
        <Table
          label={`Parameters of ${call.operationId}`}
          records={parameters}
          toKey={({ name }) => name}
          columns={[
            { head: 'Parameter', isName: true, cell: ({ name }) => <code>{name}</code> },
            { head: 'In', cell: ({ in: place, required }) => `${place}${required ? ', required' : ''}` },
            { head: 'Type', cell: ({ schema }) => describeType(schema) },
            { head: 'Meaning', cell: ({ description }) => description?.replaceAll('`', '') ?? '' },
          ]}
        />
      )}
      <p>
        {bodySchema?.$ref !== undefined && <>Body: {nameIn(bodySchema.$ref)}. </>}
        Answers:{' '}
        {Object.entries(responses)
          .filter(([, { $ref }]) => $ref === undefined)
          .map(
            ([status, { content = {} }]) =>
              `${status} ${Object.values(content).map(({ schema }) => describeType(schema ?? {}))}`,
          )
          .join('; ')}
      </p>
      <h3>Example</h3>
      <pre class="example">{commandFor(method, buildAddress(call, examples), body)}</pre>
      {mayTry ? (
        <TryCall {...{ call, service, examples, body }} />
      ) : (
        <p class="quiet-text">The token that is here has not the scope to try it.</p>
      )}
    </>
  )
}

function commandFor(method: string, address: string, body: string | null): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}-H "Authorization: Bearer $TOKEN"`,
    ...(body === null ? [] : [`-H 'Content-Type: application/json' -d ${quoted(body)}`]),
    quoted(`${location.origin}${address}`),
  ].join(' \\\n  ')
}
