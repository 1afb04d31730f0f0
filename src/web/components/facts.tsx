// Draws names and values side by side; leaves out null.
import type { ComponentChildren } from 'preact'

export function Facts({ of }: { of: readonly (readonly [name: string, fact: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, fact]) => fact != null)
        .map(([name, fact]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <bdi>{fact}</bdi>
            </dd>
          </div>
        ))}
    </dl>
  )
}
