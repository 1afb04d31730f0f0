// Wraps a component so that it is loaded when it is first shown.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure } from '../service/failure.ts'
import { FailureLine } from './failure-line.tsx'

const AGAIN_MS = 5_000

/**
 * Draws nothing while the component is loading. If loading fails, draws the failure. Then tries again every few seconds while the
 * page is visible.
 */
export function lazily<P extends object>(load: () => Promise<FunctionComponent<P>>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null
  return (props) => {
    const [Loaded, show] = useState(() => loaded)
    const [failure, fail] = useState<Failure | null>(null)
    useEffect(() => {
      if (loaded !== null) return
      let timer: ReturnType<typeof setTimeout> | undefined
      let isGone = false
      const tryLater = () => {
        timer = setTimeout(() => (document.visibilityState === 'visible' ? attempt() : tryLater()), AGAIN_MS)
      }
      const attempt = () => {
        load().then(
          (component) => {
            loaded = component
            show(() => component)
          },
          () => {
            fail(notLoaded())
            if (!isGone) tryLater()
          },
        )
      }
      attempt()
      return () => {
        isGone = true
        clearTimeout(timer)
      }
    }, [])
    if (Loaded !== null) return <Loaded {...props} />
    return failure === null ? null : <FailureLine failure={failure} />
  }
}

const notLoaded = (): Failure =>
  new Failure(
    'not_reachable',
    'This part of the page could not be loaded.',
    'The page tries again every few seconds. If this part still does not appear, reload the page.',
  )
