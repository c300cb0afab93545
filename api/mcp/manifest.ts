import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import type { McpManifestBody } from '../../engine/contract/index.ts';
import { MCP_TOOLS } from './tools/index.ts';

/** Path of the endpoint below the website's address. */
export const MCP_PATH = '/mcp';

/** The version that clients see; change it with the schemas of tools. */
export const MCP_SERVER_VERSION = '1.0.0';

/** The stateless revision, which the SDK does not include in `SUPPORTED_PROTOCOL_VERSIONS`. */
const STATELESS_REVISION = '2026-07-28';

/** Every protocol revision that the endpoint supports, newest first. */
export const MCP_PROTOCOL_VERSIONS: readonly string[] = [STATELESS_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS];

export const MCP_TITLE = 'Upsilon leaderboard';

/** At most 100 characters: server cards allow no more. */
export const MCP_DESCRIPTION =
  'Reads the public leaderboard of AI operators, ranked by Yield from signed token counts.';

/** The manifest; the server card and the catalog are derived from it. */
export function mcpManifest(siteUrl: string): McpManifestBody {
  return {
    name: serverName(siteUrl),
    title: MCP_TITLE,
    description: MCP_DESCRIPTION,
    version: MCP_SERVER_VERSION,
    transport: 'streamable-http',
    endpoint: `${siteUrl}${MCP_PATH}`,
    protocol_versions: [...MCP_PROTOCOL_VERSIONS],
    authentication: 'none',
    tools: MCP_TOOLS.map(({ name, title, summary }) => ({ name, title, description: summary })),
    documentation: `${siteUrl}/developers`,
    server_card: `${siteUrl}${MCP_PATH}/server-card`,
    catalog: `${siteUrl}/.well-known/ai-catalog.json`,
  };
}

/** The server card (SEP-2127), which contains no tools. */
export function mcpServerCard(siteUrl: string) {
  const { name, title, description, version, endpoint, protocol_versions } = mcpManifest(siteUrl);
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name,
    title,
    description,
    version,
    websiteUrl: siteUrl,
    remotes: [{ type: 'streamable-http', url: endpoint, supportedProtocolVersions: protocol_versions }],
  };
}

/** The catalog that links the server card. */
export function aiCatalog(siteUrl: string) {
  const { title, description, server_card } = mcpManifest(siteUrl);
  const { hostname } = new URL(siteUrl);
  return {
    specVersion: '1.0',
    host: { displayName: title, identifier: hostname },
    entries: [
      {
        identifier: `urn:air:${hostname}:mcp:leaderboard`,
        displayName: title,
        description,
        type: 'application/mcp-server-card+json',
        url: server_card,
      },
    ],
  };
}

/** The site's host name in reverse, a slash, and the server: `org.example.www/leaderboard`. */
function serverName(siteUrl: string): string {
  const { hostname } = new URL(siteUrl);
  const labels = /^[\d.]+$|^\[/.test(hostname) ? [hostname.replace(/[[\]]/g, '')] : hostname.split('.').toReversed();
  return `${labels.join('.')}/leaderboard`;
}
