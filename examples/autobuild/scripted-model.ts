import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import type { BaseMessage } from '@langchain/core/messages'

/** A chat model without a network: its answer depends only on the prompt. */
export class ScriptedModel extends SimpleChatModel {
  readonly #answer: (prompt: string) => unknown

  constructor(answer: (prompt: string) => unknown) {
    super({})
    this.#answer = answer
  }

  override _llmType(): string {
    return 'scripted'
  }

  override async _call(messages: BaseMessage[]): Promise<string> {
    return JSON.stringify(this.#answer(messages.map(({ text }) => text).join('\n')))
  }
}
