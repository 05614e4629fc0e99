import { MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { describeMade } from './adapter_langchain.mjs'
import { Scripted, tools } from './script_langchain.mjs'

/** The loop of an agent as a custom graph. */
function graph(said, given = tools) {
  const model = new Scripted(said)
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(given))
    .addEdge('__start__', 'model').addConditionalEdges('model', toolsCondition).addEdge('tools', 'model')
    .compile()
}

describeMade('a graph of LangGraph', graph, { tools })
