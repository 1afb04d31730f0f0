/** Finds, creates and updates the comment of `turngraph pr`. */
import * as z from 'zod'
import { invalidField, TurngraphError } from '../../core/errors.ts'
import { parseJson } from '../../core/parse-json.ts'
import { cutLine } from '../../rules/cut-line.ts'
import { toOneLine } from '../../rules/foreign-text.ts'
import { callGh, type GhAnswer, notSignedIn } from './gh.ts'

/** First line of the comment. Only a comment of the own login that begins with it is updated. */
export const MARKER = '<!-- Written by `turngraph pr`, which updates this comment. -->'

const REPOSITORY = /^(?:[\w.-]+\/)?[\w.-]+\/[\w.-]+$/

const comment = z.object({
  id: z.string(),
  url: z.string(),
  body: z.string(),
  viewerDidAuthor: z.boolean(),
})

const pullRequest = z.object({
  id: z.string(),
  number: z.number(),
  url: z.url(),
  comments: z.array(comment),
})
export type PullRequest = z.output<typeof pullRequest>

/** @throws `not_found` if the branch has no pull request, and the errors of {@link callGh} */
export async function findPullRequest(
  number: number | undefined,
  repo: string | undefined,
): Promise<PullRequest> {
  if (repo !== undefined && !REPOSITORY.test(repo)) {
    throw invalidField('repo', `"${repo}" is not of the form [HOST/]OWNER/REPO`)
  }
  const answer = await callGh([
    'pr',
    'view',
    ...(number === undefined ? [] : [`${number}`]),
    ...(repo === undefined ? [] : ['--repo', repo]),
    '--json',
    'id,number,url,comments',
  ])
  const found = answer.code === 0 ? pullRequest.safeParse(parseJson(answer.stdout)) : null
  if (found?.success) return found.data
  if (found !== null)
    throw new TurngraphError('store_unavailable', 'gh did not list the comments of the pull request.', {
      hint: 'Update gh (https://cli.github.com): an earlier version does not say who wrote a comment.',
    })
  throw new TurngraphError('not_found', `gh found no pull request${quote(answer.stderr)}.`, {
    hint: 'Name it by its number, and its repository with --repo: turngraph pr 12 --repo OWNER/REPO',
  })
}

const CREATE = `mutation($id: ID!, $body: String!) {
  addComment(input: { subjectId: $id, body: $body }) { commentEdge { node { url } } }
}`
const UPDATE = `mutation($id: ID!, $body: String!) {
  updateIssueComment(input: { id: $id, body: $body }) { issueComment { url } }
}`

const created = z.object({
  addComment: z.object({ commentEdge: z.object({ node: z.object({ url: z.string() }) }) }),
})
const updated = z.object({ updateIssueComment: z.object({ issueComment: z.object({ url: z.string() }) }) })

export type PutComment = {
  outcome: 'Created' | 'Updated' | 'Unchanged:'
  url: string
  others: number
}

/** Updates the oldest comment that this command wrote, or creates one. @throws `forbidden`, and the errors of {@link callGh} */
export async function putComment(pullRequest: PullRequest, body: string): Promise<PutComment> {
  const own = pullRequest.comments.filter(
    ({ body, viewerDidAuthor }) => viewerDidAuthor && body.startsWith(MARKER),
  )
  const [first] = own
  if (first === undefined) {
    const { addComment } = await ask(pullRequest, CREATE, { id: pullRequest.id, body }, created)
    return { outcome: 'Created', url: addComment.commentEdge.node.url, others: 0 }
  }
  const others = own.length - 1
  if (first.body.trimEnd() === body.trimEnd()) return { outcome: 'Unchanged:', url: first.url, others }
  const { updateIssueComment } = await ask(pullRequest, UPDATE, { id: first.id, body }, updated)
  return { outcome: 'Updated', url: updateIssueComment.issueComment.url, others }
}

async function ask<S extends z.ZodType>(
  { url, number }: PullRequest,
  query: string,
  variables: Record<string, string>,
  schema: S,
): Promise<z.output<S>> {
  const args = ['api', 'graphql', '--hostname', new URL(url).host, '--input', '-']
  const answer = await callGh(args, JSON.stringify({ query, variables }))
  const reply = parseJson(answer.stdout)
  const read = schema.safeParse(z.object({ data: z.unknown() }).safeParse(reply).data?.data)
  if (answer.code === 0 && read.success) return read.data
  throw toError(answer, reply, number)
}

/** Answer of GitHub to a rejected call: by GraphQL with types of errors, by HTTP with a status. */
const rejection = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string().optional() })).default([]),
  status: z.coerce.string().default(''),
  message: z.string().default(''),
})

const FORBIDDEN: ReadonlySet<string | undefined> = new Set(['FORBIDDEN', 'INSUFFICIENT_SCOPES', '403'])

function toError({ stderr }: GhAnswer, reply: unknown, number: number): TurngraphError {
  const { errors, status, message } = rejection.catch({ errors: [], status: '', message: '' }).parse(reply)
  const reasons = [status, ...errors.map(({ type }) => type)]
  if (reasons.includes('401')) return notSignedIn()
  const said = quote(errors[0]?.message ?? (message === '' ? stderr : message))
  if (reasons.some((reason) => FORBIDDEN.has(reason))) {
    return new TurngraphError(
      'forbidden',
      `The login of gh may not comment on pull request ${number}${said}.`,
      {
        hint: 'A workflow needs `permissions: pull-requests: write`, a fine-grained token `Pull requests: write`.',
      },
    )
  }
  if (reasons.includes('NOT_FOUND')) {
    return new TurngraphError('not_found', `gh found no pull request ${number}${said}.`)
  }
  return new TurngraphError('store_unavailable', `GitHub did not take the comment${said}.`)
}

const MAX_QUOTE_CHARACTERS = 200

function quote(message: string): string {
  const [line = ''] = message.trim().split('\n')
  return line === '' ? '' : ` ("${cutLine(toOneLine(line), MAX_QUOTE_CHARACTERS)}")`
}
