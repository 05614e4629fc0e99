import { StateGraph, MessagesAnnotation, START, END } from '@langchain/langgraph'

const mockLlm = (_state) => ({ messages: [{ role: 'ai', content: 'hello world' }] })

const graph = new StateGraph(MessagesAnnotation)
  .addNode('mock_llm', mockLlm)
  .addEdge(START, 'mock_llm')
  .addEdge('mock_llm', END)
  .compile()

await graph.invoke({ messages: [{ role: 'user', content: 'hi!' }] })
