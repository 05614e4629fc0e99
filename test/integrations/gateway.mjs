// For node --import: leads the AI SDK to the gateway that AI_GATEWAY_URL names, in place of Vercel's.
import process from 'node:process'
import { createGateway } from 'ai'

globalThis.AI_SDK_DEFAULT_PROVIDER = createGateway({ baseURL: process.env.AI_GATEWAY_URL })
