import * as z from 'zod';

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
    name: z.string().meta({ description: 'Reverse host name, a slash, and the name of the server.' }),
    title: z.string(),
    description: z.string(),
    version: z.string(),
    transport: z.literal('streamable-http'),
    endpoint: z.url().meta({ description: 'The Streamable HTTP endpoint.' }),
    protocol_versions: z.array(z.string()).min(1).meta({ description: 'Newest first.' }),
    authentication: z.literal('none').meta({ description: 'The tools read only public data.' }),
    tools: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
    documentation: z.url(),
    server_card: z.url(),
    catalog: z.url(),
  })
  .meta({ description: 'The MCP server of this service.' });

export type McpManifestBody = z.infer<typeof McpManifest>;
