/** `turngraph pr`: writes the report as one comment on a pull request, or updates it. */
import { InvalidArgumentError } from 'commander'
import { TurngraphError } from '../core/errors.ts'
import { action, PROJECT, parseWhole } from './command.ts'
import { printLines, printNote, printText } from './output.ts'
import { REPORT_TARGET, requireTargetIfAny, writeShortForm } from './report/short-forms.ts'

export const addPr = action(
  {
    name: 'pr',
    description: 'write the report as one comment on a pull request, or update that comment',
    arguments: {
      number: ['[number]', 'the pull request (default: that of the current branch)', { parse: parseNumber }],
    },
    options: {
      ...REPORT_TARGET,
      repo: ['--repo <repo>', 'the repository, as [HOST/]OWNER/REPO (default: that of the current folder)'],
      dryRun: ['--dry-run', 'print the comment without calling gh'],
      ...PROJECT,
    },
    help: `It calls \`gh\`, the command line of GitHub, with its login. It updates only a comment that it wrote with the same login.

Example:
  turngraph pr 12 --world TASK-1 --dry-run`,
  },
  async ({ number, repo, dryRun = false, project, ...target }) => {
    requireTargetIfAny(target)
    if (number === undefined && repo !== undefined && !dryRun) {
      throw new TurngraphError(
        'invalid_request',
        'Without the number of a pull request, --repo means nothing.',
        {
          hint: 'The current branch belongs to the repository of the folder: turngraph pr NUMBER --repo OWNER/REPO',
        },
      )
    }
    const { findPullRequest, MARKER, putComment } = await import('./pull-request/comment.ts')
    const body = `${MARKER}\n${await writeShortForm('markdown', project, target)}`
    if (dryRun) return printLines(body.trimEnd())
    const { outcome, url, others } = await putComment(await findPullRequest(number, repo), body)
    printText(`${outcome} ${url}`)
    if (others > 0) {
      printNote(
        `More comments of this command by the same login: ${others}. This command never updates them; delete them.`,
      )
    }
  },
)

function parseNumber(text: string): number {
  const number = parseWhole(text)
  if (number > 0) return number
  throw new InvalidArgumentError('It must be above 0.')
}
