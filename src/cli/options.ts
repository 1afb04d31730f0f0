import { type Command, Option } from 'commander'
import { JSON_FORM, named, PROJECT } from './command.ts'

export { named }

export const withProject = (command: Command): Command =>
  command.addOption(new Option(...PROJECT.project).argParser(named))

export const withJson = (command: Command): Command => command.option(...JSON_FORM.json)
