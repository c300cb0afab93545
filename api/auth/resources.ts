import * as z from 'zod';
import { MCP_PATH } from '../../engine/contract/index.ts';
import type { Addresses } from '../http/hosts.ts';
import { REQUIRED_SCOPES } from './scopes.ts';

/** What a token may be for (RFC 8707), with the scopes that it gets. */
export function resourcesOf({ baseUrl, siteUrl }: Pick<Addresses, 'baseUrl' | 'siteUrl'>): ReadonlyMap<string, string> {
  // Clients of MCP name its address where they found an authorization server. It is open: their token has no right to anything.
  const mcp = `${siteUrl}${MCP_PATH}`;
  return new Map([
    [baseUrl, REQUIRED_SCOPES.join(' ')],
    [mcp, ''],
    [`${mcp}/`, ''],
  ]);
}

/** The `resource` of an authorization request. */
export const RESOURCE_PARAM = z.union([z.string(), z.array(z.string())]).optional();

/** Whether a request is for a token of the API: also when it names no resource. */
export function isForApi(asked: z.infer<typeof RESOURCE_PARAM>, baseUrl: string): boolean {
  return asked === undefined || [asked].flat().includes(baseUrl);
}
