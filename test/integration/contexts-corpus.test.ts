import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { importAutobuild } from '../../src/artifacts/import.ts'
import { useGraph } from '../contract/store.ts'
import { corpusRepositories, describeCorpus } from '../support/corpus.ts'
import { describeOn, memory } from '../support/engines.ts'
import { clientOf } from '../support/records.ts'

/**
 * Of each repository, the SHA-256 of what is told of it where no task declares anything and no session knows of another: as the
 * build of commit 2318d34 tells it, which had neither topics nor other sessions. A change that is meant changes them.
 */
const AS_BEFORE = {
  'fleet-memory': '23e80614d21b3df887d17eaf44bd220c14684b21a21c29129be3e2bf550cfcbf',
  forge: 'fefc5c42c1be5898256fe117fa7f9e36933a5e76f861f27805d34b017f05f8bd',
  'guardkit-harv': 'cab8292b398d589da164ca4faa537a4534f7b3825cb289d4ea7926eda1160bcb',
  'youtube-transcript-mcp': '738df661fb65d777a780351627703d5fbe7fd87cf3594aee2afd1bd43edd6906',
}

const ROLES = ['player', 'coach'] as const
const POLICIES = ['sticky', 'fresh'] as const

type Client = ReturnType<typeof clientOf>

/** Every context of a session with its lists, and what is counted, as of each of its turns. */
async function tellSession(client: Client, worldSlug: string, elsewhere: 'on' | 'off'): Promise<unknown[]> {
  const { currentTurn } = await client.getWorld({ worldSlug })
  const told: unknown[] = []
  for (let turn = 1; turn <= currentTurn + 1; turn++) {
    for (const role of ROLES)
      for (const policy of POLICIES) {
        const asked = { worldSlug, currentTurn: turn, role, policy, elsewhere }
        const { context, criteria, promises, issues, stall } = await client.loadTurnContinuationContext(asked)
        const list = await client.listCriteria({ worldSlug, turn, role, policy })
        told.push([context, criteria, promises, issues, stall, list])
      }
  }
  return told
}

describeCorpus('contexts of real sessions', () => {
  describeOn(memory, (store) => {
    const handles = useGraph(store)

    test('are, byte for byte, what they were before sessions knew of each other: without the others, and alone', {
      timeout: 600_000,
    }, async () => {
      const digests: Record<string, string> = {}
      for (const { name, root } of corpusRepositories()) {
        const client = clientOf(handles.graph, name)
        await importAutobuild(client, [root], { specifications: false })
        const worlds = (await client.listWorlds({ limit: 500 })).items.map(({ worldSlug }) => worldSlug)
        const hash = createHash('sha256')
        for (const worldSlug of worlds.sort()) {
          hash.update(`${worldSlug} ${JSON.stringify(await tellSession(client, worldSlug, 'off'))}\n`)
          const alone = clientOf(handles.graph, `${name} ${worldSlug}`)
          for (const { key, id, ...turn } of (await client.listTurns({ worldSlug, limit: 500 })).items)
            await alone.captureTurnState({ ...turn, project: null })
          expect(await tellSession(alone, worldSlug, 'on'), worldSlug).toEqual(
            await tellSession(alone, worldSlug, 'off'),
          )
        }
        digests[name] = hash.digest('hex')
      }
      expect(digests).toEqual(AS_BEFORE)
    })
  })
})
