// Moves between the views over the History API, and tells the page where it is.
import { useEffect, useState } from 'preact/hooks'
import { readAddress, type Search } from './address.ts'

/** What `navigate` dispatches: the browser says nothing of a change that a script makes. */
const MOVED = 'turngraph:moved'

export function navigate(href: string, { replace = false }: { replace?: boolean } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  dispatchEvent(new Event(MOVED))
}

/** Changes some of what filters the view; null takes it away. A filter is no step that "back" goes to. */
export function filterBy(change: Search): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(change)) {
    if (value == null || value === '') query.delete(name)
    else query.set(name, String(value))
  }
  const text = query.toString()
  navigate(location.pathname + (text === '' ? '' : `?${text}`), { replace: true })
}

export type Place = { pathname: string; search: string }

const currentPlace = (): Place => ({ pathname: location.pathname, search: location.search })

/** Where the page is, now and after each move. */
export function usePlace(): Place {
  const [place, setPlace] = useState(currentPlace)
  useEffect(() => {
    const move = () => setPlace(currentPlace())
    addEventListener('popstate', move)
    addEventListener(MOVED, move)
    return () => {
      removeEventListener('popstate', move)
      removeEventListener(MOVED, move)
    }
  }, [])
  return place
}

/** What filters the view, from the address. */
export const useSearch = (): URLSearchParams => new URLSearchParams(usePlace().search)

/** For as long as the page is open: the one listener of all links, which no view that leaves may take with it. */
export const followLinks = (): void => document.addEventListener('click', followLink)

/** A plain click on a link to a view stays in the page; a new tab, a download and other pages are the browser's. */
function followLink(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link === null || link.target !== '' || link.hasAttribute('download')) return
  const { origin, pathname, search, hash } = new URL(link.href, location.href)
  if (origin !== location.origin || hash !== '' || readAddress(pathname).view === 'nowhere') return
  event.preventDefault()
  navigate(pathname + search)
  scrollTo(0, 0)
}
