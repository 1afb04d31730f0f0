// Bundles the page (src/web) into static files with content hashes in their names, and the module that
// renders reports.
import { createHash } from 'node:crypto'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = path.join(root, 'src', 'web')

/**
 * Packages whose code becomes part of the bundle. All CodeMirror packages have the same license by one
 * author.
 */
const BUNDLED = [
  'preact',
  'preact-render-to-string',
  'eventsource-parser',
  'diff',
  '@codemirror/view',
  '@lezer/highlight',
  'd3-force',
]

/** Writes `index.html`, its files in `assets`, and `report.js` into `web` below the folder of a build. */
export async function bundlePage(draft) {
  const folder = path.join(draft, 'web')
  const { metafile } = await build({
    entryPoints: { page: path.join(SOURCES, 'main.tsx'), style: path.join(SOURCES, 'styles', 'page.css') },
    outdir: path.join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true, // a view that is loaded on demand is a separate file
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    plugins: [{ name: 'examples-of-documents', setup: loadExamples }],
    legalComments: 'none', // the licenses are in separate files
    metafile: true,
    logLevel: 'warning',
  })
  const named = (pattern) => Object.keys(metafile.outputs).find((file) => pattern.test(file))
  const address = (file) => `/assets/${path.basename(file)}`
  const page = named(/page-[^/]*\.js$/)
  // Loads these parts together with the page: loading them after it would add one round trip per level of
  // imports.
  const parts = metafile.outputs[page].imports
    .filter(({ kind }) => kind === 'import-statement')
    .map((part) => `<link rel="modulepreload" href="${address(part.path)}">`)
  const document = readFileSync(path.join(SOURCES, 'index.html'), 'utf8')
    .replace('{{style}}', address(named(/style-[^/]*\.css$/)))
    .replace('{{page}}', address(page))
    .replace('{{parts}}', parts.join('\n    '))
  writeFileSync(path.join(folder, 'index.html'), document)
  await bundleReport(folder)
  for (const name of BUNDLED) {
    const license = path.join(root, 'node_modules', name, 'LICENSE')
    copyFileSync(license, path.join(folder, `LICENSE-${name.replace(/^@/, '').replace('/', '-')}`))
  }
}

/** Bundles the reports with their style sheet into one module for the command line. */
async function bundleReport(folder) {
  await build({
    entryPoints: [path.join(SOURCES, 'report', 'report.tsx')],
    outfile: path.join(folder, 'report.js'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    plugins: [{ name: 'style-sheets-as-text', setup: loadStyleSheets }],
    legalComments: 'none',
    logLevel: 'warning',
  })
}

/**
 * Loads a style sheet that a report imports as its text, and the hash by which the document's policy allows
 * it.
 */
function loadStyleSheets({ onLoad }) {
  onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      minify: true,
      write: false,
      charset: 'utf8',
      logLevel: 'warning',
    })
    const text = outputFiles[0].text
    const sha256 = createHash('sha256').update(text).digest('base64')
    return { contents: JSON.stringify({ text, sha256 }), loader: 'json' }
  })
}

/** A numbered question, and the block of Cypher after it. */
const EXAMPLE = /^\d+\. (.+)\n\n```cypher\n([\s\S]*?)\n```$/gm

/** Loads a document that the page imports as the example queries in it. */
function loadExamples({ onLoad }) {
  onLoad({ filter: /\.md$/ }, ({ path: file }) => {
    const examples = [...readFileSync(file, 'utf8').matchAll(EXAMPLE)]
    const contents = JSON.stringify(examples.map(([, question, query]) => ({ question, query })))
    return { contents, loader: 'json' }
  })
}
