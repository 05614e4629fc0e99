import process from 'node:process'
import * as ai from 'ai'
import { MockLanguageModelV3, convertArrayToReadableStream } from 'ai/test'
import { describeLine } from './adapter_ai.mjs'

// Its lowest version is tested in a newer version of Node.
describeLine(6, { ai, Mock: MockLanguageModelV3, stream: convertArrayToReadableStream }, (major) => major === 20 || process.env.LOWEST !== undefined)
