// Draws an empty view with the command that fills it.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

export function Empty({ command, children }: { command: string; children: ComponentChildren }) {
  const [isCopied, setCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(command).then(() => setCopied(true))
  return (
    <div class="empty">
      <p>{children}</p>
      <p>
        <code>{command}</code>{' '}
        {'clipboard' in navigator && ( // a page that was loaded over plain HTTP from another machine has none
          <button type="button" class="quiet" onClick={copy}>
            {isCopied ? 'Copied' : 'Copy'}
          </button>
        )}
      </p>
    </div>
  )
}
