/** Converts the names of judges and Players to and from their stored form, and lists the nodes of agents. Pure. */
import { agentKey } from '../core/keys.ts'

export type Player = { agent: string; model: string | null }
/** Agent that judged a turn or a criterion. */
export type Judge = Player & { promptDigest: string | null }

type Optional<T> = T | null | undefined
type JudgeProperties = {
  judgeAgent?: Optional<string>
  judgeModel?: Optional<string>
  judgePromptDigest?: Optional<string>
}
type PlayerProperties = { playerAgent?: Optional<string>; playerModel?: Optional<string> }

export const judgeToProperties = (judge: Judge | undefined) =>
  judge === undefined
    ? {}
    : {
        judgeAgent: judge.agent,
        ...(judge.model !== null && { judgeModel: judge.model }),
        ...(judge.promptDigest !== null && { judgePromptDigest: judge.promptDigest }),
      }

export const playerToProperties = (player: Player | undefined) =>
  player === undefined
    ? {}
    : { playerAgent: player.agent, ...(player.model !== null && { playerModel: player.model }) }

/** Returns the field `judge` of a record, or no field. */
export const judgeFromProperties = ({
  judgeAgent,
  judgeModel = null,
  judgePromptDigest = null,
}: JudgeProperties): { judge?: Judge } =>
  judgeAgent == null
    ? {}
    : { judge: { agent: judgeAgent, model: judgeModel, promptDigest: judgePromptDigest } }

export const playerFromProperties = ({
  playerAgent,
  playerModel = null,
}: PlayerProperties): { player?: Player } =>
  playerAgent == null ? {} : { player: { agent: playerAgent, model: playerModel } }

/** Maximum number of judges of a turn that are stored as nodes. */
const MAX_JUDGES = 50

/** Node of an agent, with its relationships to a turn as lists that are empty or have one entry. */
export type AgentNode = {
  key: string
  name: string
  model: string | null
  project: string
  judged: number[]
  played: number[]
}

/** Lists the agents by key, the order in which a write locks them. `linked`: keys of the judges that the stored turn has. */
export function listAgentNodes(
  project: string,
  turn: JudgeProperties & PlayerProperties,
  verifications: readonly JudgeProperties[],
  { linked = [] }: { linked?: readonly string[] } = {},
): AgentNode[] {
  const known = new Set(linked)
  const byKey = new Map<string, AgentNode>()
  const at = (name: string, model: Optional<string>): AgentNode => {
    const key = agentKey(project, name, model ?? null)
    const node = byKey.get(key) ?? {
      key,
      ...{ name, model: model ?? null, project },
      judged: [],
      played: [],
    }
    byKey.set(key, node)
    return node
  }
  for (const { judgeAgent, judgeModel } of [turn, ...verifications]) {
    if (judgeAgent == null) continue
    const key = agentKey(project, judgeAgent, judgeModel ?? null)
    if (!known.has(key) && known.size >= MAX_JUDGES) continue
    known.add(key)
    at(judgeAgent, judgeModel).judged = [1]
  }
  if (turn.playerAgent != null) at(turn.playerAgent, turn.playerModel).played = [1]
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}
