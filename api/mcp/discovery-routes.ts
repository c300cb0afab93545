import { MCP_MANIFEST_PATH, McpManifest } from '../../engine/contract/index.ts';
import type { Addresses } from '../addresses.ts';
import { represent } from '../http/representation.ts';
import type { Route } from '../http/route.ts';
import { type ApiServices, defineRoute } from '../services.ts';
import { DOCUMENT_CACHE } from '../v1/cache-policies.ts';
import { aiCatalog, MCP_PATH, mcpManifest, mcpServerCard } from './manifest.ts';

const JSON_TYPE = 'application/json';
const CARD_TYPE = 'application/mcp-server-card+json';
const CATALOG_TYPE = 'application/ai-catalog+json';

interface Document {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly mediaType: string;
  readonly make: (addresses: Addresses) => unknown;
}

const manifest = { mediaType: JSON_TYPE, make: ({ siteUrl }: Addresses) => McpManifest.parse(mcpManifest(siteUrl)) };
const card = { mediaType: CARD_TYPE, make: ({ siteUrl }: Addresses) => mcpServerCard(siteUrl) };
const catalog = { mediaType: CATALOG_TYPE, make: ({ siteUrl }: Addresses) => aiCatalog(siteUrl) };

/**
 * Where agents look for an MCP server. The contract names the first; SEP-2127 the second and third; the others are
 * addresses of earlier conventions that are still asked for.
 */
const DOCUMENTS: readonly Document[] = [
  { path: MCP_MANIFEST_PATH, operationId: 'getMcpManifest', summary: 'Where the MCP server is', ...manifest },
  { path: `${MCP_PATH}/server-card`, operationId: 'getMcpServerCard', summary: 'The MCP server card', ...card },
  { path: '/.well-known/ai-catalog.json', operationId: 'getAiCatalog', summary: 'What there is for AI', ...catalog },
  { path: '/.well-known/mcp.json', operationId: 'getMcpManifestFile', summary: 'The manifest again', ...manifest },
  { path: '/.well-known/mcp/server-card.json', operationId: 'getMcpCardFile', summary: 'The card again', ...card },
  { path: '/.well-known/mcp/catalog.json', operationId: 'getMcpCatalogFile', summary: 'The catalog again', ...catalog },
];

/** The documents by which the MCP server is found, all made from one object. */
export const MCP_DISCOVERY_ROUTES: readonly Route<ApiServices>[] = DOCUMENTS.map(
  ({ path, operationId, summary, mediaType, make }) =>
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
      handle: (_input, { services }) => ({
        kind: 'ready',
        status: 200,
        body: represent(JSON.stringify(make(services.addresses)), `${mediaType}; charset=utf-8`, false),
      }),
    }),
);
