// Maps each address to its view. The views that the start page does not need are loaded on demand.
import type { FunctionComponent } from 'preact'
import type { Address, ViewName } from './address.ts'
import { lazily } from './components/lazily.tsx'
import { Missing } from './components/missing.tsx'
import { HomeView } from './views/home/home-view.tsx'
import { SessionsView } from './views/sessions/sessions-view.tsx'

const VIEWS: { [V in ViewName]?: FunctionComponent<{ address: Extract<Address, { view: V }> }> } = {
  projects: HomeView,
  sessions: SessionsView,
  session: lazily(async () => (await import('./views/session/session-view.tsx')).SessionView),
  turn: lazily(async () => (await import('./views/turn/turn-view.tsx')).TurnView),
  runs: lazily(async () => (await import('./views/runs/runs-view.tsx')).RunsView),
  run: lazily(async () => (await import('./views/runs/run-view.tsx')).RunView),
  patterns: lazily(async () => (await import('./views/patterns/patterns-view.tsx')).PatternsView),
  analyses: lazily(async () => (await import('./views/analyses/analyses-view.tsx')).AnalysesView),
  compare: lazily(async () => (await import('./views/compare/compare-view.tsx')).CompareView),
  query: lazily(async () => (await import('./views/query/query-view.tsx')).QueryView),
}

export function View({ address }: { address: Address }) {
  const Shown = VIEWS[address.view] as FunctionComponent<{ address: Address }> | undefined
  if (Shown === undefined) return <Missing failure={null} />
  // The key resets the state of a view when its project, session or turn changes.
  return <Shown key={JSON.stringify(address)} address={address} />
}
