// Bundles the page (src/web) into static files whose names hold the hash of their content.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = path.join(root, 'src', 'web')

/** Into `web` below the folder of a build: `index.html`, and what it loads in `assets`. */
export async function bundlePage(draft) {
  const folder = path.join(draft, 'web')
  const { metafile } = await build({
    entryPoints: { page: path.join(SOURCES, 'main.tsx'), style: path.join(SOURCES, 'styles', 'page.css') },
    outdir: path.join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // what a view loads when it is opened is a file of its own
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none', // the licences stand beside the files
    metafile: true,
    logLevel: 'warning',
  })
  const names = Object.keys(metafile.outputs).map((file) => path.basename(file))
  const named = (pattern) => names.find((name) => pattern.test(name))
  const document = readFileSync(path.join(SOURCES, 'index.html'), 'utf8')
    .replace('{{style}}', `/assets/${named(/^style-.*\.css$/)}`)
    .replace('{{page}}', `/assets/${named(/^page-.*\.js$/)}`)
  writeFileSync(path.join(folder, 'index.html'), document)
  for (const name of ['preact', 'eventsource-parser', 'diff'])
    copyFileSync(path.join(root, 'node_modules', name, 'LICENSE'), path.join(folder, `LICENSE-${name}`))
}
