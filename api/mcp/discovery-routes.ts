import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { MCP_MANIFEST_PATH, MCP_PATH, McpManifest, type McpManifestBody } from '../../engine/contract/index.ts';
import { type ApiContext, defineRoute } from '../context/api-context.ts';
import { represent } from '../http/representation.ts';
import type { Route } from '../http/route.ts';
import { DOCUMENT_CACHE } from '../http/standard-headers.ts';
import { MCP_TOOLS } from './tools/index.ts';

/** The version that clients see; change it with the schemas of tools. */
export const MCP_SERVER_VERSION = '1.1.0';

/** The stateless revision, which the SDK does not include in `SUPPORTED_PROTOCOL_VERSIONS`. */
const STATELESS_REVISION = '2026-07-28';

export const MCP_TITLE = 'Upsilon leaderboard';

/** At most 100 characters: server cards allow no more. */
const DESCRIPTION = 'Reads the public leaderboard of AI operators, ranked by Yield from signed token counts.';

/** The manifest; the server card and the catalog are derived from it. */
function mcpManifest(siteUrl: string): McpManifestBody {
  return {
    name: serverName(siteUrl),
    title: MCP_TITLE,
    description: DESCRIPTION,
    version: MCP_SERVER_VERSION,
    transport: 'streamable-http',
    endpoint: `${siteUrl}${MCP_PATH}`,
    protocol_versions: [STATELESS_REVISION, ...SUPPORTED_PROTOCOL_VERSIONS],
    authentication: 'none',
    tools: MCP_TOOLS.map(({ name, title, summary }) => ({ name, title, description: summary })),
    documentation: `${siteUrl}/developers`,
    server_card: `${siteUrl}${MCP_PATH}/server-card`,
    catalog: `${siteUrl}/.well-known/ai-catalog.json`,
  };
}

/** The site's host name in reverse, a slash, and the server: `org.example.www/leaderboard`. */
function serverName(siteUrl: string): string {
  const { hostname } = new URL(siteUrl);
  const labels = /^[\d.]+$|^\[/.test(hostname) ? [hostname.replace(/[[\]]/g, '')] : hostname.split('.').toReversed();
  return `${labels.join('.')}/leaderboard`;
}

const MANIFEST = { mediaType: 'application/json', make: (manifest: McpManifestBody) => McpManifest.parse(manifest) };

/** The server card (SEP-2127), which contains no tools. */
const CARD = {
  mediaType: 'application/mcp-server-card+json',
  make: ({ name, title, description, version, endpoint, protocol_versions }: McpManifestBody, siteUrl: string) => ({
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name,
    title,
    description,
    version,
    websiteUrl: siteUrl,
    remotes: [{ type: 'streamable-http', url: endpoint, supportedProtocolVersions: protocol_versions }],
  }),
};

/** The catalog that links the server card. */
const CATALOG = {
  mediaType: 'application/ai-catalog+json',
  make: ({ title, description, server_card: url }: McpManifestBody, siteUrl: string) => {
    const { hostname: identifier } = new URL(siteUrl);
    const type = CARD.mediaType;
    return {
      specVersion: '1.0',
      host: { displayName: title, identifier },
      entries: [{ identifier: `urn:air:${identifier}:mcp:leaderboard`, displayName: title, description, type, url }],
    };
  },
};

/** Where agents look for an MCP server: the contract's address, two of SEP-2127, then earlier conventions still in use. */
const DOCUMENTS = [
  [MCP_MANIFEST_PATH, 'getMcpManifest', 'MCP manifest', MANIFEST],
  [`${MCP_PATH}/server-card`, 'getMcpServerCard', 'MCP server card', CARD],
  ['/.well-known/ai-catalog.json', 'getAiCatalog', 'AI catalog', CATALOG],
  ['/.well-known/mcp.json', 'getMcpManifestFile', 'MCP manifest at a former address', MANIFEST],
  ['/.well-known/mcp/server-card.json', 'getMcpCardFile', 'MCP server card at a former address', CARD],
  ['/.well-known/mcp/catalog.json', 'getMcpCatalogFile', 'AI catalog at a former address', CATALOG],
] as const;

export const MCP_DISCOVERY_ROUTES: readonly Route<ApiContext>[] = DOCUMENTS.map(
  ([path, operationId, summary, { mediaType, make }]) =>
    defineRoute({
      method: 'get',
      surface: 'site',
      path,
      operationId,
      summary,
      description: 'A document by which agents find the MCP server.',
      tag: 'service',
      auth: 'public',
      successes: [{ status: 200, description: 'The document.', mediaTypes: [mediaType] }],
      limit: 'documents',
      cache: DOCUMENT_CACHE,
      documented: false,
      handle: (_input, { ctx: { config } }) => {
        const document = JSON.stringify(make(mcpManifest(config.siteUrl), config.siteUrl));
        return { kind: 'ready', status: 200, body: represent(document, `${mediaType}; charset=utf-8`, false) };
      },
    }),
);
