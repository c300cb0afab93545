import { type CallToolResult, McpServer, type StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { BulkheadRejectedError, type IPolicy } from 'cockatiel';
import type * as z from 'zod';
import { WINDOWS } from '../../engine/contract/index.ts';
import { MCP_SERVER_VERSION, MCP_TITLE } from './discovery-routes.ts';
import { MCP_TOOLS } from './tools/index.ts';
import { type ToolBoard, ToolError } from './tools/tool.ts';

const INSTRUCTIONS =
  'A public leaderboard of AI operators, ranked by Yield = cache_read x output / input^2, which is Leverage (cache_read / input) ' +
  `times Velocity (output / input). Windows: ${WINDOWS.join(', ')}. All tools are read-only. Start with get_leaderboard or get_operator; ` +
  'codenames are not case-sensitive, and the error for an unknown one names the most similar ones. The tools are free.';

const SOLD_APART =
  ' Whole boards, tier populations and distributions are sold outside of MCP, by the request: GET /api of the website ' +
  'returns 402 with the price (x402).';

const UNAVAILABLE =
  'The board is temporarily unavailable. The error is in the service, not in the call: make the same call again in a few seconds.';

const BUSY = 'Too many calls are running, and this one was not run. Make the same call again in a few seconds.';

/** Milliseconds for which a client may cache the list of tools, which changes only with a release. */
const LIST_TTL_MS = 300_000;

/** The tools with schemas whose JSON Schema is made once: the SDK asks for it in each request, and it takes milliseconds. */
const TOOLS = MCP_TOOLS.map((tool) => ({
  ...tool,
  inputSchema: convertedOnce(tool.input),
  outputSchema: convertedOnce(tool.output),
}));

/**
 * Makes the server of one request. It keeps no state between requests, which share the gate. `onFault` is called for each
 * error that is not a ToolError. The instructions name the premium routes where `sellsReports`.
 */
export function createMcpServer(
  board: ToolBoard,
  gate: IPolicy,
  onFault: (tool: string, error: unknown) => void,
  sellsReports = false,
): McpServer {
  const server = new McpServer(
    { name: 'upsilon', title: MCP_TITLE, version: MCP_SERVER_VERSION },
    {
      instructions: sellsReports ? INSTRUCTIONS + SOLD_APART : INSTRUCTIONS,
      capabilities: { tools: { listChanged: false } },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' } },
    },
  );
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  for (const tool of TOOLS) {
    const { name, title, description, inputSchema, outputSchema, output } = tool;
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema, annotations },
      async (given): Promise<CallToolResult> => {
        try {
          const { structured, text } = await gate.execute(() => tool.run(given, board));
          return { content: [{ type: 'text', text }], structuredContent: output.parse(structured) };
        } catch (error) {
          if (error instanceof ToolError) return failed(error.message);
          if (error instanceof BulkheadRejectedError) return failed(BUSY);
          onFault(name, error);
          return failed(UNAVAILABLE);
        }
      },
    );
  }
  return server;
}

function convertedOnce<S extends z.ZodObject>(schema: S): StandardSchemaWithJSON<z.input<S>, z.output<S>> {
  const standard = schema['~standard'];
  const once = (convert: (typeof standard.jsonSchema)['input']) => {
    const made = new Map<string, ReturnType<typeof convert>>();
    return (options: Parameters<typeof convert>[0]) => {
      const known = made.get(options.target) ?? convert(options);
      made.set(options.target, known);
      return known;
    };
  };
  const { input, output } = standard.jsonSchema;
  return { '~standard': { ...standard, jsonSchema: { input: once(input), output: once(output) } } };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
