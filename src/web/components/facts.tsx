// Draws names and what they are, side by side; what is null is left out.
import type { ComponentChildren } from 'preact'

export function Facts({ of }: { of: readonly (readonly [name: string, fact: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, fact]) => fact != null)
        .map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
    </dl>
  )
}
