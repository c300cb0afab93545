import { toUSVString } from 'node:util';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { ROUTES as SERVER_ROUTES } from '../../api/auth/authorization-server/routes.ts';
import type { Surface } from '../../api/http/route.ts';
import { ROUTES } from '../../api/routes.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { createCaseTable } from './support/case-table.ts';
import { hostileText } from './support/value-arbitraries.ts';

/** Requests to each surface. */
const RUNS = runsOf(5, 300, 'FUZZ_RUNS') * 4;

/** Longer than any quota's window: each request comes as if nothing had come before. */
const BETWEEN_REQUESTS_MS = 3_700_000;

/** Fields of the forms and requests of sign-in, so that a hostile value gets past the first check. */
const FIELDS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code',
  'code_verifier',
  'code_challenge',
  'code_challenge_method',
  'grant_type',
  'refresh_token',
  'device_code',
  'user_code',
  'token',
  'resource',
  'prompt',
  'request',
  'email',
  'return_to',
  'next',
  'xsrf',
  'csrf',
  'codename',
];

const PLAUSIBLE = [
  'upsilon-cli',
  'code',
  'S256',
  'openid',
  'authorization_code',
  'refresh_token',
  'http://127.0.0.1/callback',
];

const PAGES = [
  '/login',
  '/login/email',
  '/login/link',
  '/login/github',
  '/auth/callback',
  '/api/auth/session',
  '/account',
  '/account/erase',
  '/account/codename',
  '/logout',
];

const TYPES = [
  'application/x-www-form-urlencoded',
  'application/json',
  'multipart/form-data; boundary=b',
  'text/plain',
];

const ACCEPTS = [
  'text/html',
  'text/markdown',
  'application/json',
  '*/*',
  'image/avif',
  'text/html;q=0, */*;q=0.1',
  ';;;',
];

function templatesOf(surface: Surface): string[] {
  return ROUTES.filter((route) => route.surface === surface).map(({ path }) => path);
}

describe('abuse: pages, sign-in and the authorization server', () => {
  const seed = runSeed();
  const table = createCaseTable(`abuse: pages, sign-in and the authorization server (seed ${seed})`);
  const service = useFixture(openIdentityService);

  after(() => table.print());

  const field = fc.tuple(
    fc.constantFrom(...FIELDS),
    fc.oneof(fc.constantFrom(...PLAUSIBLE), hostileText.map(toUSVString)),
  );
  const fields = fc.array(field, { maxLength: 6 }).map((given) => new URLSearchParams(given).toString());

  function requestTo(templates: readonly string[]) {
    const path = fc
      .tuple(fc.constantFrom(...templates), hostileText)
      .map(([template, text]) => template.replace(/\{\w+\}/g, () => encodeURIComponent(toUSVString(text))));
    return fc.record({
      method: fc.constantFrom('GET', 'GET', 'POST', 'HEAD', 'PUT', 'OPTIONS'),
      path,
      query: fields,
      body: fc.oneof(fields, hostileText),
      type: fc.constantFrom(...TYPES),
      accept: fc.constantFrom(...ACCEPTS),
      cookie: fc.constantFrom('', 'upsilon-as=x; upsilon-as.sig=y', 'upsilon-session=%00', `a=${'b'.repeat(3_000)}`),
      origin: fc.constantFrom('', 'null', 'http://attacker.example', 'same'),
    });
  }

  type Request = ReturnType<typeof requestTo> extends fc.Arbitrary<infer R> ? R : never;

  async function send({ method, path, query, body, type, accept, cookie, origin }: Request): Promise<void> {
    service().ahead += BETWEEN_REQUESTS_MS;
    const address = `${service().origin}${path}${query === '' ? '' : `?${query}`}`;
    const headers: Record<string, string> = { accept, cookie };
    if (origin !== '') headers['origin'] = origin === 'same' ? service().origin : origin;
    const hasBody = method === 'POST' || method === 'PUT';
    if (hasBody) headers['content-type'] = type;
    const answer = await fetch(address, { method, headers, redirect: 'manual', ...(hasBody ? { body } : {}) });
    // A subscription does not end.
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const text = isStream ? '' : await answer.text();
    if (isStream) await answer.body?.cancel();
    const where = `${method} ${path}?${query} answered ${answer.status} ${text.slice(0, 300)}`;
    expect(answer.status, where).to.be.below(500);
    expect(text, where).to.not.include('<script>alert(1)');
    expect(text, where).to.not.match(/node_modules|at file:\/\/|MongoServerError/);
    expect(answer.headers.get('set-cookie') ?? '', where).to.not.match(/(^|, )a=b/);
    expect(answer.headers.get('location') ?? '', where).to.not.match(/^(https?:)?\/\/attacker\.example/);
  }

  const surfaces: Readonly<Record<string, readonly string[]>> = {
    'the website': templatesOf('site'),
    'sign-in': [...templatesOf('login'), ...PAGES],
    'the authorization server': [
      ...templatesOf('auth'),
      ...Object.values(SERVER_ROUTES),
      `${SERVER_ROUTES.interaction}/{uid}`,
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
    ],
  };

  for (const [name, templates] of Object.entries(surfaces)) {
    it(`never fails at ${name}, whatever is sent (seed ${seed})`, async () => {
      expect(templates.length).to.be.above(5);
      await fc.assert(fc.asyncProperty(requestTo(templates), send), { seed, numRuns: RUNS });
      table.note(name, `${RUNS} requests to ${templates.length} paths, none failed`);
    });
  }
});
