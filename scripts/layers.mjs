/**
 * The layers of `src`, from top to bottom (docs/concepts.md, "Layers"). A file may import files of its own layer and of the
 * layers in lower lines. `npm run check` enforces this, also for folders that are not listed.
 */
export const levels = [
  ['langchain'],
  ['autobuild', 'cli'],
  // Runs commands of a specification, so the service must not import it.
  ['http', 'verify'],
  ['mcp', 'web'],
  ['client'],
  ['operations'],
  ['analysis', 'artifacts', 'maintenance', 'search'],
  ['events', 'transcripts'],
  ['runs'],
  ['memory'],
  ['graph'],
  ['platform'],
  ['rules'],
  ['core'],
]

/** The folders of `src/memory`, from top to bottom. */
export const memoryFolders = [
  'capture',
  'context',
  'worlds',
  'elsewhere',
  'issues',
  'criteria',
  'specification',
  'scope',
  'record',
]

export const folder = (...names) => `^src/(${names.join('|')})/`

/** Draws the layers as a mermaid diagram. */
export function layersPicture() {
  const lines = levels.map((names, i) => `  l${i}["${names.join(' · ')}"]`)
  return ['graph TD', ...lines, `  ${levels.map((_, i) => `l${i}`).join(' --> ')}`].join('\n')
}
