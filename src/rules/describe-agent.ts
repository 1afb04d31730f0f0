import type { Player } from './turn-agents.ts'

/** Describes an agent in one line: its name, with the model in parentheses. */
export const describeAgent = ({ agent, model }: Player): string =>
  model === null ? agent : `${agent} (${model})`
