// Maps each address to its view. The views that the start page does not need are loaded on demand.
import type { Address } from './address.ts'
import { lazily } from './components/lazily.tsx'
import { Missing } from './components/missing.tsx'
import { HomeView } from './views/home/home-view.tsx'
import { SessionsView } from './views/sessions/sessions-view.tsx'

const SessionView = lazily(async () => (await import('./views/session/session-view.tsx')).SessionView)
const TurnView = lazily(async () => (await import('./views/turn/turn-view.tsx')).TurnView)
const RunsView = lazily(async () => (await import('./views/runs/runs-view.tsx')).RunsView)
const RunView = lazily(async () => (await import('./views/runs/run-view.tsx')).RunView)
const PatternsView = lazily(async () => (await import('./views/patterns/patterns-view.tsx')).PatternsView)
const AnalysesView = lazily(async () => (await import('./views/analyses/analyses-view.tsx')).AnalysesView)
const CompareView = lazily(async () => (await import('./views/compare/compare-view.tsx')).CompareView)
const QueryView = lazily(async () => (await import('./views/query/query-view.tsx')).QueryView)

export function View({ address }: { address: Address }) {
  // The key resets the state of a view when its project, session or turn changes.
  const key = JSON.stringify(address)
  switch (address.view) {
    case 'projects':
      return <HomeView />
    case 'sessions':
      return <SessionsView key={key} address={address} />
    case 'session':
      return <SessionView key={key} address={address} />
    case 'turn':
      return <TurnView key={key} address={address} />
    case 'runs':
      return <RunsView key={key} address={address} />
    case 'run':
      return <RunView key={key} address={address} />
    case 'patterns':
      return <PatternsView key={key} address={address} />
    case 'analyses':
      return <AnalysesView key={key} address={address} />
    case 'compare':
      return <CompareView />
    case 'query':
      return <QueryView />
    default:
      return <Missing failure={null} />
  }
}
