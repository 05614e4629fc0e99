/**
 * The tools of MCP servers in a world.
 *
 * @packageDocumentation
 */
export { type McpClient, type McpTool, type McpToolResult } from './client.js'
export { type McpPlacement, type PlacementOptions, placeMcp } from './placement.js'
export { type McpOptions, fromMcp, mcpTools } from './program.js'
