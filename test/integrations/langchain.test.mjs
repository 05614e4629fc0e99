import { describeMade } from './adapter_langchain.mjs'
import { agent } from './script_langchain_agent.mjs'

describeMade('an agent of LangChain', agent)
