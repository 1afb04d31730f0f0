// Bundles the page (src/web) into static files whose names hold the hash of their content.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = path.join(root, 'src', 'web')

/** Whose code becomes part of ours; the packages of CodeMirror have one licence, of one author. */
const BUNDLED = ['preact', 'eventsource-parser', 'diff', '@codemirror/view', '@lezer/highlight', 'd3-force']

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
    plugins: [{ name: 'examples-of-documents', setup: loadExamples }],
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
  for (const name of BUNDLED) {
    const license = path.join(root, 'node_modules', name, 'LICENSE')
    copyFileSync(license, path.join(folder, `LICENSE-${name.replace(/^@/, '').replace('/', '-')}`))
  }
}

/** A numbered question, and the block of Cypher that follows it. */
const EXAMPLE = /^\d+\. (.+)\n\n```cypher\n([\s\S]*?)\n```$/gm

/** A document that the page imports is the example queries that stand in it. */
function loadExamples({ onLoad }) {
  onLoad({ filter: /\.md$/ }, ({ path: file }) => {
    const examples = [...readFileSync(file, 'utf8').matchAll(EXAMPLE)]
    const contents = JSON.stringify(examples.map(([, question, query]) => ({ question, query })))
    return { contents, loader: 'json' }
  })
}
