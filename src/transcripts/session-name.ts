/** What a session's id says: `{session}`, or `{session}/{agent}` for the thread of a subagent. */
export function splitSessionId(id: string): { session: string; agentId: string | null } {
  const slash = id.lastIndexOf('/')
  return slash < 0
    ? { session: id, agentId: null }
    : { session: id.slice(0, slash), agentId: id.slice(slash + 1) }
}
