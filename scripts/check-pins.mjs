// Checks that every download of an installation is pinned: packages of the lock file by integrity, base
// images by digest.
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

const [folder = '.'] = process.argv.slice(2)
const read = (name) =>
  existsSync(path.join(folder, name)) ? readFileSync(path.join(folder, name), 'utf8') : ''

/** Packages of other platforms for which the registry gave no integrity (docs/decisions/dependencies.md). */
const WITHOUT_INTEGRITY = new Set(
  ['darwin-arm64', 'darwin-x64', 'linux-arm64-gnu', 'linux-arm64-musl', 'win32-x64-msvc'].map(
    (platform) => `@grafeo-db/js-${platform}@0.6.0`,
  ),
)

const problems = []
const { packages = {} } = JSON.parse(read('package-lock.json') || '{}')
for (const [place, { version, integrity, link }] of Object.entries(packages)) {
  if (place === '' || link === true) continue
  const name = `${place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`
  const isPinned = /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? '')
  if (!isPinned && !WITHOUT_INTEGRITY.has(name))
    problems.push(
      `package-lock.json: ${name} has no sha512 integrity. Run \`npm install --package-lock-only\`.`,
    )
  if (isPinned && WITHOUT_INTEGRITY.has(name))
    problems.push(`scripts/check-pins.mjs: ${name} has an integrity now. Remove it from WITHOUT_INTEGRITY.`)
}

const PULLED = /^\s*(?:FROM(?:\s+--\S+)*|image:)\s+(\S+)/gim
for (const file of ['Dockerfile', 'docker-compose.yml'])
  for (const [, image] of read(file).matchAll(PULLED))
    if (!/@sha256:[0-9a-f]{64}$/.test(image))
      problems.push(
        `${file}: ${image} has no digest. Add the one of \`docker buildx imagetools inspect ${image}\`.`,
      )

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
