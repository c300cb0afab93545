import { MCP_MANIFEST_PATH, McpManifest } from '../../engine/contract/index.ts';
import { type ApiContext, defineRoute } from '../context/api-context.ts';
import { represent } from '../http/representation.ts';
import type { Route } from '../http/route.ts';
import { DOCUMENT_CACHE } from '../http/standard-headers.ts';
import { aiCatalog, MCP_PATH, mcpManifest, mcpServerCard } from './manifest.ts';

const MANIFEST = {
  mediaType: 'application/json',
  make: (siteUrl: string) => McpManifest.parse(mcpManifest(siteUrl)),
};
const CARD = { mediaType: 'application/mcp-server-card+json', make: mcpServerCard };
const CATALOG = { mediaType: 'application/ai-catalog+json', make: aiCatalog };

/**
 * Addresses at which agents look for an MCP server. The first is from the contract, the second and third from SEP-2127; the
 * others are from earlier conventions that clients still use.
 */
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
      problems: [],
      limit: 'public',
      cache: DOCUMENT_CACHE,
      documented: false,
      handle: (_input, { ctx }) => ({
        kind: 'ready',
        status: 200,
        body: represent(JSON.stringify(make(ctx.config.siteUrl)), `${mediaType}; charset=utf-8`, false),
      }),
    }),
);
