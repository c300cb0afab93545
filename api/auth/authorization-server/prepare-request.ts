import type { IncomingMessage } from 'node:http';
import { REQUIRED_SCOPES } from '../scopes.ts';
import { ROUTES } from './routes.ts';

/** Characters of a user code that a link may fill in. */
const USER_CODE = /^[A-Za-z0-9-]{1,16}$/;

const prefilled = new WeakMap<IncomingMessage, string>();

/** The user code from the request's query; empty without one. */
export function prefilledUserCode(request: IncomingMessage): string {
  return prefilled.get(request) ?? '';
}

/**
 * Rewrites a request for the provider: without the path of `auth_url`, with forwarding headers of the public URL in place of
 * those of proxies, and with defaults for optional parameters. `path` is below `auth_url`, `search` the raw query.
 */
export function prepareRequest(
  request: IncomingMessage,
  authUrl: string,
  { path, search, client }: { readonly path: string; readonly search: string; readonly client: string },
): void {
  const { protocol, host, pathname } = new URL(authUrl);
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  request.headers['x-forwarded-host'] = host;
  request.headers['x-forwarded-for'] = client;
  const query = queryFor(request, path, search);
  request.url = `${path}${query}`;
  Object.assign(request, { originalUrl: `${pathname.replace(/\/$/, '')}${request.url}` });
}

function queryFor(request: IncomingMessage, path: string, search: string): string {
  const query = new URLSearchParams(search);
  if (path === ROUTES.authorization) completeAuthorization(query);
  else if (path === ROUTES.code_verification) {
    // With the parameter, the provider would send a page that needs a script. The form is prefilled instead.
    const userCode = query.get('user_code') ?? '';
    if (USER_CODE.test(userCode)) prefilled.set(request, userCode);
    query.delete('user_code');
  } else return search === '' ? '' : `?${search}`;
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Scopes default to those that operations require. Offline access requires a consent prompt (OpenID Connect Core, section 11). */
function completeAuthorization(query: URLSearchParams): void {
  if ((query.get('scope') ?? '').trim() === '') query.set('scope', REQUIRED_SCOPES.join(' '));
  const prompts = (query.get('prompt') ?? '').split(' ').filter((prompt) => prompt !== '');
  if (!prompts.includes('none') && !prompts.includes('consent')) query.set('prompt', [...prompts, 'consent'].join(' '));
}
