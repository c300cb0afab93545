import * as z from 'zod';
import { described } from './described.ts';

/** Contract, part 1: the tools of the MCP server. */
export const MCP_TOOL_NAMES = [
  'get_leaderboard',
  'get_operator',
  'discover_peers',
  'get_best_operator',
  'compare_operators',
  'describe_power_user',
  'optimize_efficiency',
] as const;

export type McpToolName = (typeof MCP_TOOL_NAMES)[number];

/** Path of the manifest on the website: contract, part 4.6. */
export const MCP_MANIFEST_PATH = '/.well-known/mcp';

/** Path of the MCP endpoint below the website's address. */
export const MCP_PATH = '/mcp';

/** The manifest of the MCP server: its endpoint, protocol versions and tools. */
export const McpManifest = z
  .object({
    name: described(z.string(), 'Reverse host name, a slash, and the name of the server.'),
    title: z.string(),
    description: z.string(),
    version: z.string(),
    transport: z.literal('streamable-http'),
    endpoint: described(z.url(), 'The Streamable HTTP endpoint.'),
    protocol_versions: described(z.array(z.string()).min(1), 'Newest first.'),
    authentication: described(z.literal('none'), 'The tools read only public data.'),
    tools: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
    documentation: z.url(),
    server_card: z.url(),
    catalog: z.url(),
  })
  .meta({ description: 'The MCP server of this service.' });

export type McpManifestBody = z.infer<typeof McpManifest>;
