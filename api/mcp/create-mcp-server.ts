import { type CallToolResult, McpServer } from '@modelcontextprotocol/server';
import type { CallGate } from './call-gate.ts';
import { MCP_SERVER_VERSION, MCP_TITLE } from './manifest.ts';
import type { McpTool, ToolBoard } from './tool.ts';
import { ToolError } from './tool-error.ts';
import { MCP_TOOLS } from './tools/index.ts';

const INSTRUCTIONS =
  'A public leaderboard of AI operators, ranked by Yield = cache_read x output / input^2, which is Leverage (cache_read / input) ' +
  'times Velocity (output / input). Windows: all_time, 7d, 30d, 90d. All tools only read. Start with get_leaderboard or get_operator; ' +
  'codenames are matched without case, and an unknown one is answered with those most like it. The tools are free. Whole boards, tier populations and distributions are ' +
  'sold outside of MCP, request by request: GET /api of the website answers 402 with the price (x402).';

const UNAVAILABLE =
  'The board could not be read just now. This is a fault of the service, not of the call: make the same call again in a few seconds.';

const BUSY =
  'Too many calls are being answered just now, and this one was not run. Make the same call again in a few seconds.';

/** Seconds a client may keep the list of tools, which changes only with a release. */
const LIST_TTL_MS = 300_000;

export interface McpServerOptions {
  readonly board: ToolBoard;
  /** Shared by all requests. */
  readonly gate: CallGate;
  /** Told of every error that is no ToolError. */
  readonly onFault: (tool: string, error: unknown) => void;
}

/** Makes the server that answers one request. It holds nothing between requests. */
export function createMcpServer(options: McpServerOptions): McpServer {
  const server = new McpServer(
    { name: 'upsilon', title: MCP_TITLE, version: MCP_SERVER_VERSION },
    {
      instructions: INSTRUCTIONS,
      capabilities: { tools: { listChanged: false } },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' } },
    },
  );
  for (const tool of MCP_TOOLS) {
    const { title, description, input, output } = tool;
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    server.registerTool(
      tool.name,
      { title, description, inputSchema: input, outputSchema: output, annotations },
      async (given) => callTool(tool, given, options),
    );
  }
  // The SDK looks tools up in a plain object, which would have __proto__ and toString as well.
  const registered: unknown = Reflect.get(server, '_registeredTools');
  if (typeof registered === 'object') Object.setPrototypeOf(registered, null);
  return server;
}

/** Runs a tool on input its schema parsed; what it answers is parsed as well, so that nothing leaves undescribed. */
async function callTool(
  tool: McpTool,
  input: Record<string, unknown>,
  { board, gate, onFault }: McpServerOptions,
): Promise<CallToolResult> {
  try {
    const answer = await gate.run(async () => tool.run(input, board));
    if (answer === null) return failed(BUSY);
    const { structured, text } = answer;
    return { content: [{ type: 'text', text }], structuredContent: tool.output.parse(structured) };
  } catch (error) {
    if (error instanceof ToolError) return failed(error.message);
    onFault(tool.name, error);
    return failed(UNAVAILABLE);
  }
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
