// For node --import: gives the AI SDK a provider whose models answer "hello world", instead of one on the network.
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const finishReason = { unified: 'stop', raw: undefined }

globalThis.AI_SDK_DEFAULT_PROVIDER = {
  specificationVersion: 'v3',
  languageModel: () => new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: 'text', text: 'hello world' }], finishReason, usage, warnings: [] }),
    doStream: async () => ({ stream: convertArrayToReadableStream([
      { type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'hello world' }, { type: 'text-end', id: 't' },
      { type: 'finish', finishReason, usage },
    ]) }),
  }),
}
