import { describe, expect, test } from 'vitest'
import { MCP_EXAMPLES } from '../../scripts/mcp-examples.ts'
import { parseWire } from '../core/wire-form.ts'
import { listTools } from '../mcp/manifest.ts'
import { SCOPES, type Scope } from './operation.ts'
import { ALL_TOOLS, CONSUMER_TOOLS, MEMORY_TOOLS } from './tools.ts'

/** Keys in seed 001, "Tool schemas", and which of them are required. */
const CONTRACT: Record<string, { required: string[]; optional: string[] }> = {
  run_turn: { required: ['world_slug'], optional: ['turn_count', 'max_attempts'] },
  get_turn_status: { required: ['world_slug', 'attempt_id'], optional: [] },
  get_turn_run_status: {
    required: ['world_slug', 'turn_run_id'],
    optional: ['include_attempts', 'attempt_limit'],
  },
  list_attempts: { required: ['world_slug'], optional: ['turn_run_id'] },
  cancel_turn_run: { required: ['world_slug', 'turn_run_id'], optional: ['reason'] },
}

const VALUES: Record<string, unknown> = {
  world_slug: 'w',
  turn_run_id: '6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10',
  attempt_id: '6fa4a1f2-6c3c-4e6b-9a55-2b8f3c1f7d10',
  turn_count: 2,
  max_attempts: 3,
  include_attempts: true,
  attempt_limit: 5,
  reason: 'enough',
}

describe('the tools', () => {
  test('consumer and memory tools partition all tools', () => {
    const names = (tools: readonly { name: string }[]) => tools.map(({ name }) => name).sort()
    expect(names(ALL_TOOLS)).toEqual([...names(CONSUMER_TOOLS), ...names(MEMORY_TOOLS)].sort())
    expect(new Set(names(ALL_TOOLS)).size).toBe(ALL_TOOLS.length)
    expect(names(CONSUMER_TOOLS)).toEqual(Object.keys(CONTRACT).sort())
    expect(names(listTools(new Set(SCOPES), 'all'))).toEqual(names(ALL_TOOLS))
  })

  test('eight tools are listed by default, without those that the scopes forbid', () => {
    const names = (scopes: readonly Scope[]) => listTools(new Set(scopes), 'default').map(({ name }) => name)
    expect(names(SCOPES).sort()).toEqual([
      'add_verifications',
      'capture_turn_state',
      'get_continuation_context',
      'get_criteria',
      'get_turn_run_status',
      'next_step',
      'recover_promises',
      'run_turn',
    ])
    expect(names(['play']).sort()).toEqual([
      'capture_turn_state',
      'get_continuation_context',
      'get_criteria',
      'next_step',
      'recover_promises',
    ])
  })

  test('consumer_tool_manifest_schemas_match_handler_contracts', () => {
    for (const [name, { required, optional }] of Object.entries(CONTRACT)) {
      const listed = listTools(new Set(SCOPES), 'all').find((tool) => tool.name === name)
      const tool = CONSUMER_TOOLS.find((candidate) => candidate.name === name)
      if (listed === undefined || tool === undefined) throw new Error(`${name} is not there`)
      expect(Object.keys(listed.inputSchema.properties as object).sort()).toEqual(
        [...required, ...optional].sort(),
      )
      expect((listed.inputSchema.required as string[]).toSorted()).toEqual(required.toSorted())
      expect(listed.inputSchema.additionalProperties).toBe(false)
      const pick = (keys: string[]) => Object.fromEntries(keys.map((key) => [key, VALUES[key]]))
      const parse = (args: object) => parseWire(tool.input, args, name)
      parse(pick(required))
      parse(pick([...required, ...optional]))
      expect(() => parse({ ...pick(required), unknown_key: 1 })).toThrow('unknown_key')
      for (const key of required) expect(() => parse(pick(required.filter((k) => k !== key)))).toThrow(key)
      for (const key of [...required, ...optional]) {
        expect(() => parse({ ...pick(required), [key]: null })).toThrow(key)
      }
    }
  })

  test('every tool has hints about its effect on the graph, and an example', () => {
    for (const { name, annotations, description } of ALL_TOOLS) {
      expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false)
      expect(MCP_EXAMPLES[name]?.length, name).toBeGreaterThan(0)
      expect(description.length).toBeGreaterThan(20)
    }
    const reading = ALL_TOOLS.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name)
    expect(reading.sort()).toEqual([
      'analyze_stall',
      'explain_turn',
      'get_continuation_context',
      'get_criteria',
      'get_specification',
      'get_turn_run_status',
      'get_turn_status',
      'list_analyses',
      'list_attempts',
      'list_issues',
      'list_transcript_steps',
      'list_turns',
      'list_worlds',
      'load_continuation_context',
      'next_step',
      'query_graph',
      'recover_promises',
      'run_analysis',
      'search_memory',
    ])
  })

  test('no tool takes a project: it is that of the connection', () => {
    for (const { inputSchema } of listTools(new Set(SCOPES), 'all'))
      expect(inputSchema.properties).not.toHaveProperty('project')
  })
})
