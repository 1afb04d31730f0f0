// Draws the frame around every view: the path to the view, the navigation, and a notice if the service does not answer.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { type Address, type ViewName, writeAddress } from '../address.ts'
import { useSearch } from '../navigation.ts'
import { SearchKey } from '../search/search-key.tsx'
import type { Caller } from '../service/operations.ts'
import type { Service } from '../service/service.ts'
import { useReach } from '../service/use-service.ts'

type Props = {
  address: Address
  service: Service
  caller: Caller | null
  signOut: (() => void) | null
  children: ComponentChildren
}

export function Layout({ address, service, caller, signOut, children }: Props) {
  const main = useFocusOnMove(address)
  const project = useProject(address) ?? caller?.project ?? ''
  return (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="page-head">
        <a class="brand" href="/">
          Turngraph
        </a>
        {caller !== null && <Sections address={address} caller={caller} project={project} />}
        {caller?.scopes.includes('read') && <SearchKey project={project} />}
        <ServiceLine service={service} />
        {caller !== null && signOut !== null && (
          <button type="button" class="quiet" onClick={signOut}>
            Sign out
          </button>
        )}
      </header>
      <main id="main" tabIndex={-1} ref={main}>
        {children}
      </main>
    </>
  )
}

/** Draws links to the views of the project in the address; without a project, of the token's own project. */
function Sections({ address, caller, project }: { address: Address; caller: Caller; project: string }) {
  const sections: { name: string; href: string; views: readonly ViewName[] }[] = [
    {
      name: 'Sessions',
      href: writeAddress({ view: 'sessions', project }),
      views: ['sessions', 'session', 'turn', 'compare'],
    },
    { name: 'Runs', href: writeAddress({ view: 'runs', project }), views: ['runs', 'run'] },
    { name: 'Patterns', href: writeAddress({ view: 'patterns', project }), views: ['patterns'] },
    {
      name: 'Analyses',
      href: writeAddress({ view: 'analyses', project, analysis: null }),
      views: ['analyses'],
    },
  ]
  if (caller.scopes.includes('analyst')) {
    sections.push({ name: 'Query', href: writeAddress({ view: 'query' }, { project }), views: ['query'] })
  }
  return (
    <nav aria-label="Views">
      <a class="project" href={writeAddress({ view: 'sessions', project })}>
        <bdi>{project}</bdi>
      </a>
      <ul>
        {sections.map(({ name, href, views }) => (
          <li key={name}>
            <a href={href} {...(views.includes(address.view) && { 'aria-current': 'page' as const })}>
              {name}
            </a>
          </li>
        ))}
        <li>
          <a href={writeAddress({ view: 'docs' }, { project })}>API</a>
        </li>
      </ul>
    </nav>
  )
}

/** Returns the project of the address; null if it has none. In some views, the project is a filter of the address. */
function useProject(address: Address): string | null {
  const search = useSearch()
  return 'project' in address ? address.project : search.get('project')
}

function ServiceLine({ service }: { service: Service }) {
  const { reach } = useReach(service)
  return (
    <output class={`service service-${reach.replaceAll(' ', '-')}`} aria-label="Service">
      {reach}
    </output>
  )
}

/** Moves the focus to a new view, so that a screen reader announces it. A screen reader reads the first view anyway. */
function useFocusOnMove(address: Address) {
  const main = useRef<HTMLElement>(null)
  const shown = useRef<string | null>(null)
  const key = JSON.stringify(address)
  useEffect(() => {
    if (shown.current !== null && shown.current !== key) main.current?.focus({ preventScroll: true })
    shown.current = key
  }, [key])
  return main
}
