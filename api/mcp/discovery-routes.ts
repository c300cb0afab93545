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
 * Addresses at which agents look for an MCP server. The first is from the contract, the second and third from SEP-2127; the
 * others are from earlier conventions that clients still use.
 */
const DOCUMENTS: readonly Document[] = [
  { path: MCP_MANIFEST_PATH, operationId: 'getMcpManifest', summary: 'MCP manifest', ...manifest },
  { path: `${MCP_PATH}/server-card`, operationId: 'getMcpServerCard', summary: 'MCP server card', ...card },
  { path: '/.well-known/ai-catalog.json', operationId: 'getAiCatalog', summary: 'AI catalog', ...catalog },
  {
    path: '/.well-known/mcp.json',
    operationId: 'getMcpManifestFile',
    summary: 'MCP manifest at a former address',
    ...manifest,
  },
  {
    path: '/.well-known/mcp/server-card.json',
    operationId: 'getMcpCardFile',
    summary: 'MCP server card at a former address',
    ...card,
  },
  {
    path: '/.well-known/mcp/catalog.json',
    operationId: 'getMcpCatalogFile',
    summary: 'AI catalog at a former address',
    ...catalog,
  },
];

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
