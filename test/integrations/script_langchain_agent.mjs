// An agent of LangChain with a scripted model.
import { createAgent, createMiddleware, ToolMessage } from 'langchain'
import { Scripted, tools } from './script_langchain.mjs'

/** Gives a tool's failure to the model, as agents that go on do. */
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
/** An agent that says what a script has. */
export const agent = (said, given = tools, more = {}) => createAgent({ model: new Scripted(said), tools: given, middleware: [goesOn], ...more })
