/** Renders what was proven as the document `proof.md`. */
import type { Proven } from './prove.ts'

type ProofOf = {
  /** The version of Turngraph. */
  version: string
  /** The engine and its version, as it says so itself. */
  store: string
  /** The runtime and the system. */
  runtime: string
  at: Date
}

/** A document for readers who decide whether to trust a store: what was promised, tried and seen. */
export function renderProof(proven: readonly Proven[], { version, store, runtime, at }: ProofOf): string {
  const fallen = proven.filter(({ holds }) => !holds)
  const verdict =
    fallen.length === 0
      ? `All ${proven.length} guarantees hold.`
      : `**${fallen.length} of ${proven.length} guarantees are broken: ${fallen.map(({ name }) => name).join(', ')}.**`
  const rows = proven.map(
    ({ name, holds, seconds, figures }) =>
      `| ${name} | ${holds ? 'holds' : '**broken**'} | ${renderFigures(figures)} | ${seconds.toFixed(1)} s |`,
  )
  const sections = proven.map(({ name, promise, broken }) =>
    [
      `## ${name}`,
      promise,
      ...(broken === null ? [] : [`**Broken:** ${broken.what}.`, asJson(broken.seen)]),
    ].join('\n\n'),
  )
  return `${[
    '# Proof',
    verdict,
    [
      '| | |',
      '| --- | --- |',
      `| Turngraph | ${version} |`,
      `| store | ${store} |`,
      `| runtime | ${runtime} |`,
      `| tried | ${at.toISOString()} |`,
    ].join('\n'),
    ['| guarantee | | seen | took |', '| --- | --- | --- | --- |', ...rows].join('\n'),
    ...sections,
  ].join('\n\n')}\n`
}

const renderFigures = (figures: Proven['figures']): string =>
  Object.entries(figures)
    .map(([what, count]) => `${what}: ${count.toLocaleString('en-US')}`)
    .join('; ')

const MOST_CHARACTERS = 4_000

function asJson(seen: unknown): string {
  const text = JSON.stringify(seen, null, 2) ?? 'Nothing further is known.'
  return ['```json', text.slice(0, MOST_CHARACTERS), '```'].join('\n')
}
