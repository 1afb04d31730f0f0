/** Lists the names in rollouts of Codex up to version 0.15x. Others are also read, and counted. */
import { topLevelType } from '../line-records.ts'

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** Types of lines that no turn needs. They may hold a whole conversation. */
export const SKIPPED_TYPES = words(
  'compacted inter_agent_communication inter_agent_communication_metadata ghost_snapshot token_usage_record world_state',
)

export const isSkipped = (bytes: Buffer, start: number, end: number): boolean =>
  bytes[end - 1] === 0x7d &&
  SKIPPED_TYPES.has(topLevelType(bytes, start, end) ?? '') &&
  bytes.subarray(start, end).indexOf('{"timestamp"', 1) < 0

export const KNOWN_ITEMS = words(`
  additional_tools agent_message compaction compaction_summary context_compaction custom_tool_call
  custom_tool_call_output function_call function_call_output ghost_snapshot image_generation_call
  local_shell_call local_shell_call_output message other reasoning tool_search_call tool_search_output
  web_search_call
`)

export const KNOWN_EVENTS = words(`
  agent_message agent_reasoning agent_reasoning_raw_content collab_agent_interaction_end
  collab_agent_spawn_end collab_close_end collab_resume_end collab_waiting_end context_compacted
  dynamic_tool_call_request dynamic_tool_call_response entered_review_mode error exited_review_mode
  guardian_assessment image_generation_end item_completed patch_apply_end plan_update sub_agent_activity
  thread_goal_updated thread_name_updated thread_rolled_back thread_settings_applied undo_completed
  view_image_tool_call warning web_search_end
`)
