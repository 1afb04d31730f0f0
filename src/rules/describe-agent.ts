import type { Player } from './turn-agents.ts'

export const describeAgent = ({ agent, model }: Player): string =>
  model === null ? agent : `${agent} (${model})`
