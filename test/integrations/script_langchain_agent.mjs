// An agent of LangChain with a scripted model.
import { createAgent, createMiddleware, ToolMessage } from 'langchain'
import { Scripted, tools } from './script_langchain.mjs'

/** Passes a tool's failure to the model, as agents that continue do. */
const goesOn = createMiddleware({
  name: 'goesOn',
  wrapToolCall: async (request, handler) => {
    try {
      return await handler(request)
    } catch (error) {
      return new ToolMessage({ content: `failed: ${error.message}`, tool_call_id: request.toolCall.id, status: 'error' })
    }
  },
})
/** An agent that follows a script. */
export const agent = (said, given = tools, more = {}) => createAgent({ model: new Scripted(said), tools: given, middleware: [goesOn], ...more })
