// `/docs`: the calls of the service, from its OpenAPI document, each with an example and a form to try it.
import { useEffect, useState } from 'preact/hooks'
import { FailureLine } from '../../components/failure-line.tsx'
import { Sentence } from '../../components/sentence.tsx'
import { Table } from '../../components/table.tsx'
import { filterBy, useSearch } from '../../navigation.ts'
import { Failure } from '../../service/failure.ts'
import type { Service } from '../../service/service.ts'
import { CallRegion } from './call-region.tsx'
import { callsIn, describeType, type OpenApi, type PlacedCall } from './open-api.ts'

export type DocsProps = { service: Service; scopes: readonly string[] }

/** It asks for no token: what the service can do is no secret. */
export function DocsView({ service, scopes }: DocsProps) {
  const { document, failure } = useOpenApi(service)
  const wanted = useSearch().get('search') ?? ''
  if (failure !== null) return <FailureLine failure={failure} />
  if (document === null) return <p class="loading">Loading …</p>
  const all = callsIn(document)
  const calls = all.filter((call) => matches(call, wanted))
  const tags = [...new Set(calls.flatMap((call) => call.tags))]
  return (
    <>
      <Sentence title="API">
        {document.info.title} {document.info.version}: {all.length} calls over REST, and all of them stand in{' '}
        <a href="/openapi.json" download>
          openapi.json
        </a>{' '}
        (OpenAPI 3.1). Each but the probes asks for <code>Authorization: Bearer TOKEN</code>.
      </Sentence>
      <div class="filters">
        <label>
          Search calls{' '}
          <input
            type="search"
            value={wanted}
            onInput={({ currentTarget }) => filterBy({ search: currentTarget.value })}
          />
        </label>
      </div>
      {calls.length === 0 && <p>No call is called so.</p>}
      {tags.map((tag) => (
        <section key={tag} aria-label={tag}>
          <h2>{tag}</h2>
          {calls
            .filter((call) => call.tags.includes(tag))
            .map((call) => (
              <CallRegion key={call.operationId} {...{ call, document, service, scopes }} />
            ))}
        </section>
      ))}
      <Errors document={document} />
      <Schemas document={document} />
    </>
  )
}

const matches = ({ path, summary, operationId }: PlacedCall, wanted: string): boolean =>
  `${path} ${summary} ${operationId}`.toLowerCase().includes(wanted.trim().toLowerCase())

function useOpenApi(service: Service): { document: OpenApi | null; failure: Failure | null } {
  const [known, setKnown] = useState<{ document: OpenApi | null; failure: Failure | null }>({
    document: null,
    failure: null,
  })
  useEffect(() => {
    const leaving = new AbortController()
    service.fetchJson('/openapi.json', { signal: leaving.signal }).then(
      (document) => setKnown({ document: document as OpenApi, failure: null }), // the service's own
      (failure: unknown) => {
        if (leaving.signal.aborted) return
        if (!(failure instanceof Failure)) throw failure
        setKnown({ document: null, failure })
      },
    )
    return () => leaving.abort()
  }, [service])
  return known
}

function Errors({ document }: { document: OpenApi }) {
  return (
    <section aria-label="Errors">
      <h2>Errors</h2>
      <Table
        label="Errors"
        records={Object.entries(document.components.responses)}
        toKey={([name]) => name}
        columns={[
          { head: 'Status', isName: true, cell: ([name]) => name.replace('Error', '') },
          {
            head: 'Codes, and what they mean',
            cell: ([, { description }]) => description.replaceAll('`', ''),
          },
        ]}
      />
    </section>
  )
}

function Schemas({ document }: { document: OpenApi }) {
  return (
    <section aria-label="Schemas">
      <h2>Schemas</h2>
      {Object.entries(document.components.schemas).map(([name, schema]) => (
        <details key={name} id={`schema-${name}`}>
          <summary>
            <code>{name}</code>
          </summary>
          <Table
            label={name}
            records={Object.entries(schema.properties ?? {})}
            toKey={([field]) => field}
            columns={[
              { head: 'Field', isName: true, cell: ([field]) => <code>{field}</code> },
              { head: 'Type', cell: ([, field]) => describeType(field) },
              { head: 'Meaning', cell: ([, field]) => field.description ?? '' },
            ]}
          />
        </details>
      ))}
    </section>
  )
}
