import * as ai from 'ai-7'
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai-7/test'
import { describeLine } from './adapter_ai.mjs'

describeLine(7, { ai, Mock: MockLanguageModelV4, stream: convertArrayToReadableStream }, (major) => major === 22)
