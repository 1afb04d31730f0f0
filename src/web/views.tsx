// Finds the component of each view. What a first look does not need is loaded when it is opened.
import type { Address } from './address.ts'
import { lazily } from './components/lazily.tsx'
import { Nowhere } from './views/nowhere.tsx'
import { ProjectsView } from './views/sessions/projects-view.tsx'
import { SessionsView } from './views/sessions/sessions-view.tsx'

const SessionView = lazily(async () => (await import('./views/session/session-view.tsx')).SessionView)
const TurnView = lazily(async () => (await import('./views/turn/turn-view.tsx')).TurnView)

export function View({ address }: { address: Address }) {
  // Another project, session or turn is another view: nothing of the one before stays in it.
  const key = JSON.stringify(address)
  switch (address.view) {
    case 'projects':
      return <ProjectsView />
    case 'sessions':
      return <SessionsView key={key} address={address} />
    case 'session':
      return <SessionView key={key} address={address} />
    case 'turn':
      return <TurnView key={key} address={address} />
    default:
      return <Nowhere />
  }
}
