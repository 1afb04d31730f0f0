// Draws a link to another view. Where that view is not at hand, as in a report, its text alone.
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Search, type ViewAddress, writeAddress } from '../address.ts'

/** Where a view stands, as something to link to; null: nowhere. A report has views of its own, in one document. */
export type WriteLink = (address: ViewAddress, search?: Search) => string | null

export const LinkContext = createContext<WriteLink>(writeAddress)

type Props = {
  to: ViewAddress
  search?: Search
  class?: string
  'aria-label'?: string
  children: ComponentChildren
}

export function ViewLink({ to, search, children, ...attributes }: Props) {
  const href = useContext(LinkContext)(to, search)
  if (href !== null) {
    return (
      <a href={href} {...attributes}>
        {children}
      </a>
    )
  }
  return <span class={attributes.class}>{children}</span>
}
