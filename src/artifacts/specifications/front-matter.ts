/** Reads the scalars of the YAML front matter of a Markdown file. Pure. */

export type FrontMatter = {
  fields: ReadonlyMap<string, string>
  body: string
  /** Number of lines above `body`. */
  offset: number
}

export function splitFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\uFEFF/, '')
  const found = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)
  const lines = (found?.[1] ?? '').split('\n').map((line) => /^(\w+)[ \t]*:(.*)$/.exec(line.trimEnd()))
  const fields = new Map(
    lines.flatMap((line) =>
      line === null ? [] : [[line[1] ?? '', readScalar((line[2] ?? '').trim())] as const],
    ),
  )
  const front = found?.[0] ?? ''
  return { fields, body: text.slice(front.length), offset: front.split('\n').length - 1 }
}

export const namesOf = ({ fields }: FrontMatter): { taskId: string | null; featureId: string | null } => ({
  taskId: fields.get('id') || fields.get('task_id') || null,
  featureId: fields.get('feature_id') || null,
})

/** Reads a scalar of YAML: quoted, or up to a comment. */
function readScalar(value: string): string {
  const quoted = /^(["'])(.*)\1/.exec(value)
  const plain = quoted?.[2] ?? value.replace(/(?:^|\s)#.*$/, '').trim()
  return plain === 'null' || plain === '~' ? '' : plain
}
