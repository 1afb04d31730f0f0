/** `turngraph token`: creates, lists and removes the tokens of a service, one per role. */
import { TurngraphError } from '../core/errors.ts'
import type { TokensPlace } from '../http/tokens-file.ts'
import { action, group, JSON_FORM } from './command.ts'
import { printJson, printList, printNote, printText } from './output.ts'

const addCreate = action(
  {
    name: 'create',
    description: 'create a token with scopes, and print it once',
    options: {
      name: ['--name <name>', 'name of the token, which records show', { required: true }],
      scopes: [
        '--scope <scope...>',
        'what it may do: read, write, play, judge, observe, analyst, admin',
        { required: true, parse: (text: string, before: string[] = []) => [...before, ...text.split(',')] },
      ],
      project: ['--project <project>', 'the only project that it reaches (default: all)'],
      ...JSON_FORM,
    },
    help: `The file of tokens has only its hash. A running service knows it within a second.

Examples:
  turngraph token create --name player --scope play --project shop
  turngraph token create --name ci --scope observe --project shop`,
  },
  async ({ name, scopes, project, json }) => {
    const { addToken, tokenRequest } = await import('../http/tokens-file.ts')
    const { parseInput } = await import('../core/wire-form.ts')
    const wanted = parseInput(tokenRequest, { name, scopes, project }, 'token')
    const { place, file } = await findPlace()
    const token = addToken(place, wanted)
    if (json) return printJson({ name: wanted.name, scopes: wanted.scopes, project: project ?? null, token })
    printText(token)
    printNote(`${file} has its hash. The token is not shown again.`)
  },
)

const addList = action(
  { name: 'list', description: 'list the tokens of the file, without the tokens', options: JSON_FORM },
  async ({ json }) => {
    const { readEntries } = await import('../http/tokens-file.ts')
    const { place, file } = await findPlace()
    const items = readEntries(place).map(({ name, scopes, project = null }) => ({ name, scopes, project }))
    if (json) return printJson({ file, items })
    await printList(items, `There are no tokens in ${file}.`, {
      name: 'name',
      scopes: ({ scopes }) => scopes.join(', '),
      project: 'project',
    })
  },
)

const addRevoke = action(
  {
    name: 'revoke',
    description: 'remove a token; a running service refuses it within a second',
    arguments: { name: ['<name>', 'of the token'] },
  },
  async ({ name = '' }) => {
    const { removeToken } = await import('../http/tokens-file.ts')
    const { place, file } = await findPlace()
    removeToken(place, name)
    printNote(`${file} no longer has the token "${name}".`)
  },
)

/** Finds the file of tokens like the service. @throws `invalid_request` if the service is on another machine */
async function findPlace(): Promise<{ place: TokensPlace; file: string }> {
  const { tokensPlace } = await import('../http/tokens-file.ts')
  const { configFor } = await import('./connect.ts')
  const config = configFor()
  const place = tokensPlace(config)
  if (config.url === null || !place.isInDataFolder) return { place, file: place.file }
  throw new TurngraphError('invalid_request', `The tokens of ${config.url} are on its own machine.`, {
    hint: 'Run the command there, in the folder of the service, without TURNGRAPH_URL.',
  })
}

export const addToken = group(
  {
    name: 'token',
    description: 'the tokens of the service: one per role',
    help: 'Example:\n  turngraph token list',
  },
  [addCreate, addList, addRevoke],
)
