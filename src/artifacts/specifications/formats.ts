/** The formats of specifications. The path of a file and its content decide which one it has. Pure. */
import { FORMAT_NAMES, type FormatName } from './format-names.ts'
import { readJson } from './json.ts'
import { readKiro } from './kiro.ts'
import { readMarkdown } from './markdown.ts'
import type { ReadOptions, Stated } from './stated.ts'

type Format = {
  /** Decides by the path, with `/` between its parts, and the text. The first format that matches is chosen. */
  matches(path: string, source: string): boolean
  read(source: string, options: ReadOptions): Stated | Promise<Stated>
}

const FORMATS: Readonly<Record<FormatName, Format>> = {
  json: { matches: (path) => path.endsWith('.json'), read: readJson },
  kiro: {
    matches: (path, source) =>
      /(?:^|\/)(?:requirements|bugfix)\.md$/.test(path) &&
      (/(?:^|\/)\.kiro\/specs\//.test(path) || /^#{2,4} \p{L}[\p{L} ]{0,30}?\d+/mu.test(source)),
    read: readKiro,
  },
  markdown: { matches: () => true, read: readMarkdown },
}

export const chooseFormat = (path: string, source: string): FormatName =>
  FORMAT_NAMES.find((name) => FORMATS[name].matches(path.replaceAll('\\', '/'), source)) ?? 'markdown'

/** Reads a text in a format. The path names the task if the text does not. */
export const readSpecification = async (
  format: FormatName,
  source: string,
  options: ReadOptions,
): Promise<Stated> => FORMATS[format].read(source, { ...options, path: options.path.replaceAll('\\', '/') })
