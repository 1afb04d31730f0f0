/** `turngraph cost`: the tokens of agents, and their price if a price table is given. */
import { parseJson } from '../core/parse-json.ts'
import type { OperationOutput } from '../operations/table.ts'
import type { PriceTable } from '../rules/prices.ts'
import { ask } from './ask.ts'
import { MAX_REQUEST_BYTES, readAtMost } from './bounded-input.ts'
import { action, SHARED } from './command.ts'
import { printItems } from './output.ts'

type Row = OperationOutput<'listCost'>['items'][number]

export const addCost = action(
  {
    name: 'cost',
    description: 'show the tokens of agents by task, session, model, agent or day',
    options: {
      by: [
        '--by <group>',
        'group of a row (default: task)',
        { choices: ['task', 'session', 'model', 'agent', 'day'] },
      ],
      prices: ['--prices <file>', 'dollars per million tokens, as JSON: shows the price, too'],
      since: ['--since <instant>', 'in turns that began then or later; UTC where it has no zone'],
      limit: ['--top <n>', 'so many; 0 is all (default: 20)'],
      ...SHARED,
    },
    help: `A price table names models, or the start of their names:
  {"model-a": {"input": 3, "output": 15, "cache_read": 0.3, "cache_creation": 3.75}}

Example:
  turngraph cost --by model --since 2026-01-01`,
  },
  async ({ prices: file, project, json, ...input }) => {
    const prices = file === undefined ? null : await readPrices(file)
    const { priceOf } = await import('../rules/prices.ts')
    const price = ({ models }: Row): number | null => (prices === null ? null : priceOf(models, prices))
    await ask(
      'listCost',
      input,
      { project, json },
      printItems(
        'No transcript has tokens. Import one: turngraph import transcripts',
        {
          name: ({ name }: Row) => name ?? '-',
          turns: 'turns',
          input: ({ inputTokens }: Row) => inputTokens,
          output: ({ outputTokens }: Row) => outputTokens,
          cache_read: ({ cacheReadTokens }: Row) => cacheReadTokens,
          cache_creation: ({ cacheCreationTokens }: Row) => cacheCreationTokens,
          ...(prices !== null && { dollars: (row: Row) => showDollars(price(row)) }),
        },
        'INPUT does not include cached tokens. Each response counts once.',
      ),
      {
        part: (wire, { items }) =>
          (wire as { items: object[] }).items.map((item, i) => {
            const row = items[i]
            return prices === null || row === undefined ? item : { ...item, dollars: price(row) }
          }),
      },
    )
  },
)

/** `6.00`, or `<0.01` for a price that would be rounded to zero. */
const showDollars = (price: number | null): string =>
  price === null ? 'no price' : price > 0 && price < 0.005 ? '<0.01' : price.toFixed(2)

/** @throws `not_found` if the file cannot be read, `invalid_request` that names the first wrong price */
async function readPrices(file: string): Promise<PriceTable> {
  const { cannotRead } = await import('./record-file.ts')
  const { priceTable } = await import('../rules/prices.ts')
  const { invalidField } = await import('../core/errors.ts')
  const text = await readAtMost(file, MAX_REQUEST_BYTES).catch((cause: unknown) => cannotRead(file, cause))
  const refuse = (why: string): never => {
    throw invalidField('--prices', `${file}: ${why}`, {
      hint: 'Give JSON such as {"model-a": {"input": 3, "output": 15}}, in dollars per million tokens.',
    })
  }
  const table = parseJson(text.toString('utf8').replace(/^\uFEFF/, ''))
  if (table === undefined) return refuse('is not JSON')
  const parsed = priceTable.safeParse(table)
  if (parsed.success) return parsed.data
  const [{ path = [], message = '' } = {}] = parsed.error.issues
  return refuse(`${path.join('.') || 'the table'}: ${message}`)
}
