// Draws names of records in one line, with commas between them.
import { type ComponentChildren, Fragment } from 'preact'

type Props = {
  of: readonly string[]
  /** Draws a word after the name at a position. */
  after?: (position: number) => ComponentChildren
}

export function Names({ of, after }: Props) {
  return (
    <>
      {of.map((name, i) => (
        <Fragment key={i}>
          {i > 0 && ', '}
          <bdi>{name}</bdi>
          {after?.(i)}
        </Fragment>
      ))}
    </>
  )
}
