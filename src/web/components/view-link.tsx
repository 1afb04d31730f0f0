// Draws a link to another view, or only its text if the view is not available, for example in a report.
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Search, type ViewAddress, writeAddress } from '../address.ts'
import { nameSession } from '../session-name.ts'

/** Writes the link to a view; null if the view has no address. A report is one document and has its own views. */
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

type World = { project: string; world: string }

export function SessionLink({ project, world }: World) {
  return (
    <ViewLink to={{ view: 'session', project, world }}>
      <bdi>{nameSession(world)}</bdi>
    </ViewLink>
  )
}

/** Draws the link to a turn. Its text is the number of the turn unless it has children. */
export function TurnLink({
  turn,
  children,
  ...world
}: World & { turn: number; children?: ComponentChildren }) {
  return <ViewLink to={{ view: 'turn', ...world, turn }}>{children ?? turn}</ViewLink>
}
