/** Tries that secrets and what was said in transcripts are stored nowhere. */
import type { TurngraphClient } from '../../client/client.ts'
import { everyItem } from '../../core/pages.ts'
import { type Guarantee, requireThat } from '../guarantee.ts'
import { FEATURE } from '../turns.ts'

const SECRET = `ghp_${'Ab3dE6gH9j'.repeat(4).slice(0, 36)}`
const SAID = 'words-of-a-conversation-that-nobody-may-store'
const SESSION = '0b5c1f7e-6a43-4c1d-9d55-3a1c2f0e8b11'

export const staysPrivate: Guarantee = {
  name: 'Privacy',
  promise:
    'Secrets are masked before anything is stored; of transcripts only structure is, never what was said.',
  async run(trial) {
    const { client } = trial
    const project = trial.nameProject('private')
    const { redactions } = await client.captureTurnState(turnWithSecrets(project))
    requireThat(redactions > 0, 'a capture says how many secrets it masked', { redactions })
    const { bytes } = await client.importTranscript({ project, sessionId: SESSION }, transcript())
    const stored = await exportProject(client, project)
    requireThat(!stored.includes(SECRET), 'no secret of a capture is stored')
    requireThat(!stored.includes(SAID), 'nothing that was said in a transcript is stored')
    requireThat(stored.includes('The key is'), 'what stands beside a secret is stored')
    requireThat(stored.includes('ProofTool'), 'the structure of a transcript is stored')
    return {
      'secrets masked': redactions,
      'bytes of transcript read': bytes,
      'characters stored': stored.length,
    }
  },
}

function turnWithSecrets(project: string) {
  const text = `The key is ${SECRET}`
  return {
    project,
    featureId: FEATURE,
    taskId: 'TASK-private',
    turnNumber: 1,
    playerSummary: text,
    coachDecision: 'feedback' as const,
    coachFeedback: text,
    progressSummary: text,
    blockersFound: [text],
    lessonsFromTurn: [text],
    filesModified: [`src/${SECRET}.ts`],
    verifications: [
      {
        criterionId: 'AC-1',
        criterionText: text,
        status: 'verified' as const,
        evidence: text,
        files: [text],
      },
    ],
    promises: [{ criterionId: 'AC-1', criterionText: text, status: 'complete' as const, evidence: text }],
    issues: [{ severity: 'blocking', description: text, suggestion: text, details: { text } }],
    extra: { text },
  }
}

/** One turn of a conversation, in the shape that Claude Code writes: a prompt, a call, its result, and an error. */
async function* transcript(): AsyncGenerator<Buffer> {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 2) + second * 1_000).toISOString()
  const assistant = (content: object) => ({
    type: 'assistant',
    message: { role: 'assistant', model: 'proof', stop_reason: null, content: [content] },
  })
  const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } })
  const records = [
    user(`Do it. ${SAID}`),
    assistant({ type: 'text', text: SAID }),
    assistant({ type: 'tool_use', id: 'call-1', name: 'ProofTool', input: { command: SAID } }),
    user([{ type: 'tool_result', tool_use_id: 'call-1', content: SAID }]),
    assistant({ type: 'tool_use', id: 'call-2', name: 'ProofTool', input: { path: SAID } }),
    user([{ type: 'tool_result', tool_use_id: 'call-2', content: `Exit code 1\n${SECRET}`, is_error: true }]),
    { type: 'system', subtype: 'stop_hook_summary' },
  ]
  const lines = records.map((record, i) =>
    JSON.stringify({ ...record, uuid: `proof-${i}`, timestamp: at(i) }),
  )
  yield Buffer.from(`${lines.join('\n')}\n`)
}

/** All that the graph holds of a project. */
async function exportProject(client: TurngraphClient, project: string): Promise<string> {
  const lines: string[] = []
  const everyLine = everyItem(async (cursor) => {
    const { lines: items, nextCursor } = await client.exportPage({ project, cursor })
    return { items, nextCursor }
  })
  for await (const line of everyLine) lines.push(line)
  return lines.join('\n')
}
