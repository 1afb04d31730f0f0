// Writes generated files. With `--check`, it writes nothing and fails if a file is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** @param texts by the paths of their files */
export function writeGenerated(texts: Record<string, string>): void {
  for (const [name, text] of Object.entries(texts)) {
    const file = fileURLToPath(new URL(`../${name}`, import.meta.url))
    if (!process.argv.includes('--check')) writeFileSync(file, text)
    else if (readFileSync(file, 'utf8') !== text) {
      console.error(`${name} is out of date: npm run docs`)
      process.exitCode = 1
    }
  }
}
