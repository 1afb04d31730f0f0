// Wraps a component so that it is loaded when it is first shown.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../service/failure.ts'
import { FailureLine } from './failure-line.tsx'

/** Draws nothing while the component is loading, and the failure if loading fails. */
export function lazily<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null
  return (props) => {
    const [Loaded, show] = useState(() => loaded)
    const [failure, fail] = useState<Failure | null>(null)
    useEffect(() => {
      if (loaded !== null) return
      load().then(
        (component) => {
          loaded = component
          show(() => component)
        },
        () => fail(notLoaded()),
      )
    }, [])
    if (failure !== null) return <FailureLine failure={failure} />
    return Loaded === null ? null : <Loaded {...props} />
  }
}

const notLoaded = (): Failure =>
  new Failure('not_reachable', 'This part of the page could not be loaded.', 'Load the page again.')
