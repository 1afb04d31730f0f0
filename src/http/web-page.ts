// Serves the page: one document at all of its addresses, and the files that the document loads.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import express, { type Response, type Router } from 'express'
import { TurngraphError } from '../core/errors.ts'
import type { Config } from '../platform/config.ts'

/** Folder of the built page (scripts/bundle-page.mjs). */
const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url))

/** Contract: web.md, "Entering". */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/** Addresses of the page. The group captures nothing: Express would decode a captured part, and reject one it cannot decode. */
const ADDRESSES = /^\/(?:query|compare|docs\/?|p\/.+)?$/

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

type Page = { document: string; assets: ReadonlyMap<string, Asset> }
type Asset = { type: string; plain: Buffer; zipped: Buffer }

export type WebPage = {
  /** Serves the page at its addresses, and its files. */
  router: Router
  /** Sends the document, which explains an unknown address in a browser. */
  sendDocument(res: Response, status: number): void
}

/** @param auth if tokens are on, the page asks the person for a token before it calls the service */
export function webPage(auth: Config['auth'], folder = BUILT): WebPage {
  const router = express.Router({ strict: true, caseSensitive: true })
  let loaded: Page | undefined // loaded by the first request: most services in tests and commands never serve the page
  const page = () => {
    loaded ??= loadPage(folder)
    return loaded
  }
  const sendDocument = (res: Response, status: number): void => {
    const { document } = page()
    res.setHeader('Content-Security-Policy', POLICY)
    res.setHeader('Cache-Control', 'no-cache')
    res.status(status).type('html').send(document.replace('{{auth}}', auth))
  }
  router.get(ADDRESSES, (_req, res) => sendDocument(res, 200))
  router.get('/assets/:name', (req, res) => {
    const asset = page().assets.get(req.params.name)
    if (asset === undefined) throw new TurngraphError('not_found', 'The page has no such file.', RELOAD)
    // The name of an asset contains the hash of its content.
    res.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
    res.setHeader('Vary', 'Accept-Encoding')
    res.setHeader('Content-Type', asset.type)
    if (req.acceptsEncodings('gzip') === false) return void res.send(asset.plain)
    res.setHeader('Content-Encoding', 'gzip')
    res.send(asset.zipped)
  })
  return { router, sendDocument }
}

/** Loads the page, about 20 small files, into memory. */
function loadPage(folder: string): Page {
  const document = path.join(folder, 'index.html')
  if (!existsSync(document)) throw notBuilt()
  const names = readdirSync(path.join(folder, 'assets'))
  const assets = names.flatMap((name): [string, Asset][] => {
    const type = TYPES[path.extname(name)]
    if (type === undefined) return []
    const plain = readFileSync(path.join(folder, 'assets', name))
    return [[name, { type, plain, zipped: gzipSync(plain, { level: 9 }) }]]
  })
  return { document: readFileSync(document, 'utf8'), assets: new Map(assets) }
}

const RELOAD = { hint: 'Load the page again: the service may have been updated.' }

const notBuilt = (): TurngraphError =>
  new TurngraphError('not_found', 'The page is not built.', { hint: 'Run `npm run build`.' })
