import { request } from 'node:http';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { SIGN_IN_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { useFixture } from '../support/use-fixture.ts';

/** Refused requests to each page. */
const REFUSED = 60;

type SignInPolicy = keyof typeof SIGN_IN_POLICIES;

type Page = readonly [method: 'GET' | 'POST', path: string];

/** Pages that store something, or read a store, for requests within their limit. */
const PAGES: readonly (readonly [SignInPolicy, readonly [Page, ...Page[]]])[] = [
  [
    'signIn',
    [
      ['POST', '/login/email'],
      ['GET', '/auth/callback?state=x'],
      ['GET', '/account/portal'],
      ['POST', '/account/subscribe'],
    ],
  ],
  [
    'signInPages',
    [
      ['GET', '/api/auth/session'],
      ['GET', '/account'],
      ['GET', '/login/consent?interaction=AAAAAAAAAAAAAAAAAAAAA'],
      ['GET', '/oauth/device'],
      ['GET', '/oauth/authorize?client_id=upsilon-cli'],
      ['GET', '/oauth/interaction/AAAAAAAAAAAAAAAAAAAAA?ticket=x'],
    ],
  ],
  ['device', [['POST', '/oauth/device']]],
  [
    'token',
    [
      ['POST', '/oauth/token'],
      ['POST', '/oauth/device_authorization'],
      ['POST', '/oauth/revoke'],
    ],
  ],
  ['registration', [['POST', '/oauth/register']]],
];

describe('abuse: visits over the limit', () => {
  const service = useFixture(openIdentityService);

  async function send([method, path]: Page): Promise<number> {
    const headers = { cookie: `upsilon-session=${'A'.repeat(43)}` };
    const response = await fetch(`${service().origin}${path}`, { method, headers, redirect: 'manual' });
    await response.arrayBuffer();
    return response.status;
  }

  /** The operations that the service has MongoDB do meanwhile: each takes a connection from the pool. */
  async function countOperations(run: () => Promise<void>): Promise<number> {
    const { databaseName } = service().database;
    const clients = mongoose.connections.filter(({ name }) => name === databaseName).map((one) => one.getClient());
    let operations = 0;
    const count = (): void => {
      operations += 1;
    };
    for (const client of clients) client.on('connectionCheckedOut', count);
    await run();
    for (const client of clients) client.off('connectionCheckedOut', count);
    expect(clients.length, 'clients of the service').to.be.at.least(2);
    return operations;
  }

  async function useUp(quota: SignInPolicy, page: Page): Promise<void> {
    const { quota: allowed, windowMs } = SIGN_IN_POLICIES[quota];
    // From the first moment of a window on, so that it does not end meanwhile.
    service().ahead += windowMs - ((Date.now() + service().ahead) % windowMs);
    await Promise.all(Array.from({ length: allowed }, () => send(page)));
  }

  async function refusalType(accept: string): Promise<string | null> {
    const response = await fetch(`${service().origin}/oauth/authorize`, { headers: { accept } });
    expect(response.status).to.equal(429);
    return response.headers.get('content-type');
  }

  it('do not have a long Accept header read', async () => {
    await useUp('signInPages', ['GET', '/login']);
    expect(await refusalType('text/html')).to.match(/^text\/html/);
    expect(await refusalType(`${'a/b;q=0.1,'.repeat(1_400)}text/html`)).to.match(/^application\/json/);
  });

  for (const [quota, pages] of PAGES) {
    it(`cause no query, and no wait for their bodies: ${quota}`, async () => {
      await useUp(quota, pages[0]);
      const refused = pages.flatMap((page) => Array.from({ length: REFUSED }, () => page));
      const operations = await countOperations(async () => {
        const statuses = await Promise.all(refused.map(send));
        expect(new Set(statuses)).to.deep.equal(new Set([429]));
      });
      // The service itself looks after its boards meanwhile.
      expect(operations).to.be.below(refused.length / 2);
      for (const [method, path] of pages.filter((page) => page[0] === 'POST')) {
        expect(await sendHalf(method, `${service().origin}${path}`), path).to.equal(429);
      }
    });
  }
});

/** The status of a request whose body never comes. */
function sendHalf(method: string, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1000000' };
    const sent = request(url, { method, headers }, (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    sent.once('error', reject);
    sent.write('email=');
  });
}
