// For node --import: directs the AI SDK to the gateway named by AI_GATEWAY_URL instead of Vercel's.
import process from 'node:process'
import { createGateway } from 'ai'

globalThis.AI_SDK_DEFAULT_PROVIDER = createGateway({ baseURL: process.env.AI_GATEWAY_URL })
