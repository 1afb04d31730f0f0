// `/docs`: the REST API of the service, from its OpenAPI document.
import { Answered } from '../../components/answer.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import type { Service } from '../../service/service.ts'
import { useAnswerOf } from '../../service/use-service.ts'

type Schema = { $ref?: string; properties?: object }
type Call = {
  operationId: string
  summary: string
  parameters?: readonly { name?: string }[]
  requestBody?: { content?: { 'application/json'?: { schema?: Schema } } }
  'x-scopes'?: readonly string[]
}
/** The parts of the document that the view shows. */
type OpenApi = {
  paths: Readonly<Record<string, Readonly<Record<string, Call>>>>
  components: { schemas: Readonly<Record<string, Schema>> }
}

/** Draws the view without a token: the API of a service is no secret. */
export function DocsView({ service }: { service: Service }) {
  const calls = useAnswerOf(service, 'openapi', async (signal) =>
    callsIn((await service.fetchJson('/openapi.json', { signal })) as OpenApi),
  )
  return (
    <Answered of={calls}>
      {(calls) => (
        <>
          <Sentence title="API">
            {calls.length} calls over REST. Their types, bodies, answers and errors are in{' '}
            <a href="/openapi.json" download>
              openapi.json
            </a>{' '}
            (OpenAPI 3.1, for any viewer) and in the file <code>docs/reference.md</code> of the repository. A
            call with a scope needs the header <code>Authorization: Bearer TOKEN</code>.
          </Sentence>
          <Table
            label="Calls"
            records={calls}
            toKey={({ operationId }) => operationId}
            columns={[
              { head: 'Call', isName: true, cell: ({ address }) => <code>{address}</code> },
              { head: 'What it does', cell: ({ summary }) => summary },
              { head: 'Scope', cell: (call) => call['x-scopes']?.join(', ') ?? 'none' },
              { head: 'Fields', cell: ({ fields }) => fields.join(', ') },
            ]}
          />
        </>
      )}
    </Answered>
  )
}

const callsIn = ({ paths, components }: OpenApi) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, call]) => {
      const { $ref = '', properties = {} } = call.requestBody?.content?.['application/json']?.schema ?? {}
      const body = components.schemas[$ref.slice($ref.lastIndexOf('/') + 1)]?.properties ?? properties
      const named = (call.parameters ?? []).flatMap(({ name }) => name ?? [])
      return { ...call, address: `${method.toUpperCase()} ${path}`, fields: [...named, ...Object.keys(body)] }
    }),
  )
