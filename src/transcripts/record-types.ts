/**
 * Lists the record types and fields of Claude Code 1.0.24 to 2.1.132, as found in real files. Others are also read, and counted
 * so that a new version is noticed (contract: transcripts.md, "Reading").
 */

const words = (list: string): string[] => list.trim().split(/\s+/)

/** Types that are skipped without counting. Skipping them unparsed saves most of the time. */
export const PASSED_OVER: ReadonlySet<string> = new Set(
  words(`
    agent-color agent-name agent-setting ai-title attachment content-replacement custom-title
    file-history-snapshot last-prompt mode permission-mode pr-link progress queue-operation summary
    tag task-summary worktree-state
  `),
)

export const SUBTYPES: ReadonlySet<string> = new Set(
  words(`
    api_error away_summary bridge_status compact_boundary informational local_command memory_saved
    microcompact_boundary model_change scheduled_task_fire stop_hook_summary turn_duration
  `),
)

const EVERYWHERE = words(`
  agentId cwd entrypoint forkedFrom gitBranch isMeta isSidechain parentUuid promptId sessionId slug
  teamName timestamp type userType uuid version
`)

/** The top-level fields of the records that turns need, by type. A Map, because a type may have any name. */
export const FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    user: `
      imagePasteIds isCompactSummary isVisibleInTranscriptOnly mcpMeta message origin permissionMode
      planContent sourceToolAssistantUUID sourceToolUseID thinkingMetadata todos toolDenialKind
      toolUseResult
    `,
    assistant: `
      apiError attributionPlugin attributionSkill error errorDetails isApiErrorMessage message
      requestId
    `,
    system: `
      cause compactMetadata content durationMs error hasOutput hookAdditionalContext hookCount
      hookErrors hookInfos hookLabel level logicalParentUuid maxRetries messageCount
      microcompactMetadata pendingBackgroundAgentCount preventedContinuation retryAttempt retryInMs
      stopReason subtype toolUseID upgradeNudge url writtenPaths
    `,
  }).map(([type, own]) => [type, new Set([...EVERYWHERE, ...words(own)])]),
)
