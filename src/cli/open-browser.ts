/** Opens an address in the browser of a person who has a display. */
import path from 'node:path'
import { replacePrivateFile } from '../platform/data-folder/private-file.ts'

/** True if the user has a display. On other systems than macOS and Windows, these variables name it. */
export const hasDisplay = (): boolean =>
  process.platform === 'darwin' ||
  process.platform === 'win32' ||
  Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)

/** Opens an address with a code through a private file, because other users can see the arguments of a process. */
export async function openBrowser(dataFolder: string, address: string): Promise<void> {
  const file = path.join(dataFolder, 'open.html')
  replacePrivateFile(file, documentThatLeadsTo(address))
  const { default: open } = await import('open')
  await open(file)
}

const documentThatLeadsTo = (address: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Turngraph</title><meta http-equiv="refresh" content="0; url=${escapeQuoted(new URL(address).href)}">\n`

const escapeQuoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
