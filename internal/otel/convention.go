package otel

import (
	"regexp"
	"strings"
)

// convention is how a product states what its spans are about. The tables are looked
// through in order, and an attribute may be one of several products.
type convention struct {
	// product is its name in the documentation, from whose pages about tracing the names
	// of attributes are.
	product string
	// scope, unless it is empty, is what the name of the instrumentation's scope has to
	// start with: the product uses names that others use as well.
	scope string
	// kind is the attribute whose value is the kind of a span: one of words, unless values
	// has another meaning, or closed says that values has all of them.
	kind   string
	values map[string]Kind
	closed bool
	// tools matches other values that are calls of tools.
	tools *regexp.Regexp
	// names are spans' whole names that state a kind.
	names map[string]Kind
	// named says that the name of a span is that of its agent or tool, and chains that
	// this holds for chains as well.
	named, chains bool
	// The other fields are attributes, the preferred one first. Those of weak may be names
	// of tools only if the kind says so. Those of handoff are names of agents to which a
	// span hands over.
	agent, tool, weak, handoff, call, server, conversation, input, output, arguments, result []string
}

// words are the kinds by the words that products have for them, in lower case and without
// separators.
var words = wordsOf(map[Kind]string{
	AgentRun: "invokeagent agent agentrun runagent agentcall callagent executeagent agentexecution agentinvocation agentinvoke",
	ToolCall: "executetool tool tools toolv2 toolcall calltool toolexecution toolexecute toolinvocation invoketool runtool toolrun tooluse usetool " +
		"functioncall callfunction executefunction functiontool mcptool mcptoolcall codeexecution handoff",
	Chat: "chat chatmodel chatcompletion chatcompletions textcompletion completion completions acompletion generatecontent generation generate " +
		"generatetext responses llm llmcall llmrequest callllm model modelcall modelrequest modelgeneration inference",
	Retrieval: "retrieval retrieve retriever",
	Chain:     "chain workflow invokeworkflow workflowrun agentworkflow flow task conversation session",
	Other:     "embeddings embedding embed rerank createagent agentstep moderation imagegeneration speech transcription",
})

func wordsOf(kinds map[Kind]string) map[string]Kind {
	all := map[string]Kind{}
	for kind, list := range kinds {
		for word := range strings.FieldsSeq(list) {
			all[word] = kind
		}
	}
	return all
}

// claudeCode is the scope of Claude Code.
const claudeCode = "com.anthropic.claude_code"

// conventions are the known products.
var conventions = []convention{
	{
		product: "OpenTelemetry's conventions for generative AI", kind: "gen_ai.operation.name",
		agent: []string{"gen_ai.agent.name"}, tool: []string{"gen_ai.tool.name"}, call: []string{"gen_ai.tool.call.id"},
		handoff:      []string{"gen_ai.handoff.to_agent", "gen_ai.handoff.to_agent.name"},
		conversation: []string{"gen_ai.conversation.id", "gen_ai.thread.id"},
		input:        []string{"gen_ai.input.messages", "gen_ai.prompt"}, output: []string{"gen_ai.output.messages", "gen_ai.completion"},
		arguments: []string{"gen_ai.tool.call.arguments", "gen_ai.tool.input"}, result: []string{"gen_ai.tool.call.result", "gen_ai.tool.output"},
	},
	{
		product: "OpenTelemetry's conventions for MCP", kind: "mcp.method.name", values: map[string]Kind{"tools/call": ToolCall}, closed: true,
		server: []string{"mcp.server.name", "server.address"},
	},
	{
		product: "OpenInference (Arize Phoenix)", kind: "openinference.span.kind",
		agent: []string{"agent.name", "graph.node.id"}, weak: []string{"tool.name"}, call: []string{"tool_call.id"}, conversation: []string{"session.id"},
		input: []string{"input.value"}, output: []string{"output.value"},
		arguments: []string{"input.value", "tool.parameters"}, result: []string{"output.value"},
	},
	{
		product: "OpenLLMetry (Traceloop)", kind: "traceloop.span.kind",
		agent: []string{"traceloop.entity.name"}, weak: []string{"traceloop.entity.name"},
		conversation: []string{"traceloop.association.properties.session_id", "traceloop.association.properties.thread_id", "traceloop.association.properties.conversation_id"},
		input:        []string{"traceloop.entity.input"}, output: []string{"traceloop.entity.output"},
		arguments: []string{"traceloop.entity.input"}, result: []string{"traceloop.entity.output"},
	},
	{product: "OpenLLMetry (Traceloop)", kind: "llm.request.type"},
	{
		product: "Vercel AI SDK", kind: "ai.operationId",
		values: map[string]Kind{
			"ai.generateText": AgentRun, "ai.streamText": AgentRun, "ai.generateObject": AgentRun, "ai.streamObject": AgentRun, "ai.toolCall": ToolCall,
			"ai.generateText.doGenerate": Chat, "ai.streamText.doStream": Chat, "ai.generateObject.doGenerate": Chat, "ai.streamObject.doStream": Chat,
		},
		agent: []string{"ai.telemetry.functionId"}, tool: []string{"ai.toolCall.name"}, call: []string{"ai.toolCall.id"},
		conversation: []string{"ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.threadId"},
		input:        []string{"ai.prompt", "ai.prompt.messages"}, output: []string{"ai.response.text", "ai.response.object"},
		arguments: []string{"ai.toolCall.args"}, result: []string{"ai.toolCall.result"},
	},
	{
		product: "Langfuse", kind: "langfuse.observation.type", values: map[string]Kind{"span": Chain}, named: true, conversation: []string{"langfuse.session.id"},
		input: []string{"langfuse.observation.input"}, output: []string{"langfuse.observation.output"},
		arguments: []string{"langfuse.observation.input"}, result: []string{"langfuse.observation.output"},
	},
	{
		product: "LangSmith", kind: "langsmith.span.kind", named: true, chains: true, agent: []string{"langsmith.metadata.lc_agent_name"},
		conversation: []string{"langsmith.metadata.thread_id", "langsmith.metadata.session_id"},
		arguments:    []string{"gen_ai.prompt"}, result: []string{"gen_ai.completion"},
	},
	{
		product: "AgentOps", kind: "agentops.span.kind", values: map[string]Kind{"operation": Chain}, named: true, agent: []string{"agent.name", "operation.name"}, weak: []string{"tool.name", "operation.name"},
		input: []string{"agentops.entity.input", "agentops.agent.input"}, output: []string{"agentops.entity.output", "agentops.agent.output"},
		arguments: []string{"agentops.entity.input", "agentops.tool.input", "tool.parameters"},
		result:    []string{"agentops.entity.output", "agentops.tool.output", "tool.result"},
	},
	{
		product: "Spring AI", kind: "spring.ai.kind", values: map[string]Kind{"chat_client": Chain, "mcp_server_tool_call": Other},
		tool: []string{"spring.ai.tool.definition.name"}, call: []string{"spring.ai.tool.call.id"}, conversation: []string{"spring.ai.chat.client.conversation.id"},
		arguments: []string{"spring.ai.tool.call.arguments"}, result: []string{"spring.ai.tool.call.result"},
	},
	{
		product: "Google ADK", scope: "gcp.vertex.agent", names: map[string]Kind{"call_llm": Chat},
		conversation: []string{"gcp.vertex.agent.session_id"},
		arguments:    []string{"gcp.vertex.agent.tool_call_args"}, result: []string{"gcp.vertex.agent.tool_response"},
	},
	{
		product: "Claude Code", scope: claudeCode, kind: "span.type",
		values: map[string]Kind{"interaction": AgentRun, "tool": ToolCall, "tool.execution": Outcome, "llm_request": Chat}, closed: true,
		weak: []string{"tool_name"}, conversation: []string{"session.id"}, call: []string{"tool_use_id"}, server: []string{"anthropic.mcp.server.name"},
		input: []string{"user_prompt"}, arguments: []string{"tool_input"},
	},
	{
		product: "Pydantic AI (Logfire)", scope: "pydantic-ai", agent: []string{"agent_name"},
		input: []string{"pydantic_ai.all_messages", "all_messages_events"}, output: []string{"final_result", "pydantic_ai.all_messages", "all_messages_events"},
		arguments: []string{"tool_arguments"}, result: []string{"tool_response"},
	},
	{
		product: "OpenAI's Agents SDK in Logfire", scope: "logfire",
		names: map[string]Kind{"Agent run: {name!r}": AgentRun, "Function: {name}": ToolCall, "Handoff: {from_agent} → {to_agent}": ToolCall},
		agent: []string{"name"}, weak: []string{"name"}, handoff: []string{"to_agent"}, arguments: []string{"input"}, result: []string{"output"},
	},
	{
		product: "Mastra", kind: "mastra.span.type", named: true, agent: []string{"mastra.agent.name", "mastra.span.entityName", "mastra.span.entityId"},
		tool: []string{"mastra.tool.name"}, conversation: []string{"mastra.metadata.threadId"},
		input: []string{"mastra.agent_run.input"}, output: []string{"mastra.agent_run.output"},
		arguments: []string{"mastra.tool_call.input", "mastra.mcp_tool_call.input"}, result: []string{"mastra.tool_call.output", "mastra.mcp_tool_call.output"},
	},
	{product: "AG2", kind: "ag2.span.type", values: map[string]Kind{"conversation": Chain, "multi_conversation": Chain}},
	{
		product: "MLflow", kind: "mlflow.spanType", named: true, conversation: []string{"mlflow.trace.session"},
		input: []string{"mlflow.spanInputs"}, output: []string{"mlflow.spanOutputs"}, arguments: []string{"mlflow.spanInputs"}, result: []string{"mlflow.spanOutputs"},
	},
	{
		product: "Braintrust", kind: "braintrust.span_attributes", named: true,
		input: []string{"braintrust.input_json"}, output: []string{"braintrust.output_json"},
		arguments: []string{"braintrust.input_json"}, result: []string{"braintrust.output_json"},
	},
	{product: "Braintrust", kind: "braintrust.span_attributes.type", named: true},
	{
		product: "Laminar", kind: "lmnr.span.type", values: map[string]Kind{"DEFAULT": Chain}, named: true, conversation: []string{"lmnr.association.properties.session_id"},
		input: []string{"lmnr.span.input"}, output: []string{"lmnr.span.output"}, arguments: []string{"lmnr.span.input"}, result: []string{"lmnr.span.output"},
	},
	{
		product: "Genkit", kind: "genkit:metadata:subtype", agent: []string{"genkit:name"}, weak: []string{"genkit:name"}, conversation: []string{"genkit:sessionId"},
		input: []string{"genkit:input"}, output: []string{"genkit:output"}, arguments: []string{"genkit:input"}, result: []string{"genkit:output"},
	},
	{
		product: "LiveKit Agents", scope: "livekit", names: map[string]Kind{"agent_session": AgentRun, "llm_request": Chat, "function_tool": ToolCall},
		agent: []string{"lk.agent_name"}, tool: []string{"lk.function_tool.name"}, call: []string{"lk.function_tool.id"},
		arguments: []string{"lk.function_tool.arguments", "lk.pii.function_tool.arguments"}, result: []string{"lk.function_tool.output", "lk.pii.function_tool.output"},
	},
	{
		product: "Haystack", kind: "haystack.component.type", values: map[string]Kind{"Agent": AgentRun}, agent: []string{"haystack.component.name"},
		names: map[string]Kind{"haystack.agent.run": AgentRun, "haystack.agent.step.tool": ToolCall, "haystack.agent.step.llm": Chat},
		tool:  []string{"haystack.tool.name"}, input: []string{"haystack.agent.input"}, output: []string{"haystack.agent.output"},
		arguments: []string{"haystack.agent.step.tool.input"}, result: []string{"haystack.agent.step.tool.output"},
	},
	{
		product: "n8n", kind: "n8n.node.type", closed: true, agent: []string{"n8n.node.name"}, weak: []string{"n8n.node.name"},
		values: map[string]Kind{"@n8n/n8n-nodes-langchain.agent": AgentRun, "@n8n/n8n-nodes-langchain.agentTool": AgentRun},
		tools:  regexp.MustCompile(`^@n8n/n8n-nodes-langchain\.tool[A-Z]|\.\w+Tool$`),
	},
	{product: "Alibaba LoongSuite, Dify, Future AGI", kind: "gen_ai.span.kind", named: true},
	{product: "Alibaba LoongSuite, Dify, Future AGI", kind: "gen_ai.span_kind_name", named: true},
	{product: "HoneyHive", kind: "honeyhive_event_type", named: true},
	{product: "Fiddler", kind: "fiddler.span.type", named: true, input: []string{"gen_ai.llm.input.user"}, output: []string{"gen_ai.llm.output"}},
}
