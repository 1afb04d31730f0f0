// Draws a text of an agent with its inline code and emphasis as elements. All other markup stays text.

type Part = { kind: 'text' | 'code' | 'strong' | 'em'; text: string }

/** Bounded lengths keep the search linear in texts of agents. An underscore within a word is no emphasis. */
const INLINE =
  /`([^`\n]{1,300})`|\*\*([^*\n]{1,300})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,300})\*(?![\w*])|(?<!\w)_([^_\s][^_\n]{0,300})_(?!\w)/g

export function splitInline(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, star, underscore] = found
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) })
    const kind = code !== undefined ? 'code' : strong !== undefined ? 'strong' : 'em'
    parts.push({ kind, text: code ?? strong ?? star ?? underscore ?? '' })
    end = found.index + whole.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

export function InlineText({ text }: { text: string }) {
  return (
    <>
      {splitInline(text).map(({ kind, text: words }, i) => {
        if (kind === 'text') return words
        const Element = kind
        return <Element key={i}>{kind === 'code' ? words : <InlineText text={words} />}</Element>
      })}
    </>
  )
}
