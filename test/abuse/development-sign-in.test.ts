import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { FormBrowser } from '../support/form-browser.ts';
import { openIdentityService } from '../support/identity-service.ts';
import { useFixture } from '../support/use-fixture.ts';

/** What shows that a request came through a proxy or a tunnel of this machine. */
const PASSED_ON: readonly (readonly [string, Record<string, string>])[] = [
  ['a public host', { host: 'upsilon.example' }],
  ['a host that begins like ours', { host: 'localhost.attacker.example' }],
  ['Forwarded', { forwarded: 'for=203.0.113.9' }],
  ['X-Forwarded-For', { 'x-forwarded-for': '203.0.113.9' }],
  ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
  ['Via', { via: '1.1 nginx' }],
  ['X-Real-IP', { 'x-real-ip': '203.0.113.9' }],
  ['CF-Connecting-IP', { 'cf-connecting-ip': '203.0.113.9' }],
  ['X-Original-Host', { 'x-original-host': 'upsilon.example' }],
];

interface Sent {
  readonly status: number | undefined;
  readonly text: string;
}

/** `fetch` would not send another Host. */
async function send(origin: string, method: string, path: string, headers: Record<string, string>): Promise<Sent> {
  const sent = request(`${origin}${path}`, { method, headers }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (response === undefined) throw new Error('no response');
  return { status: response.statusCode, text: await text(response) };
}

describe('abuse: development sign-in through a proxy on the same machine', () => {
  const service = useFixture(openIdentityService);

  for (const [what, headers] of PASSED_ON) {
    it(`is not available to a request with ${what}, and neither is the outbox`, async () => {
      const { origin } = service();
      expect((await send(origin, 'POST', '/login/development', headers)).status).to.be.oneOf([400, 404]);
      expect((await send(origin, 'GET', '/login/outbox', headers)).status).to.be.oneOf([400, 404]);
      const page = await send(origin, 'GET', '/login', headers);
      expect(page.text).to.not.include('Development sign-in').and.not.include('/login/outbox');
    });
  }

  it('is available to a browser on this machine', async () => {
    for (const host of ['localhost', '127.0.0.1', '[::1]:1']) {
      expect((await send(service().origin, 'GET', '/login/outbox', { host })).status).to.equal(200);
      expect((await send(service().origin, 'GET', '/login', { host })).text).to.include('Development sign-in');
    }
  });

  it('takes only plain names', async () => {
    const browser = new FormBrowser();
    const page = await browser.get(`${service().origin}/login`);
    for (const name of ['', 'x'.repeat(33), 'A', 'a b', 'a:b', '<b>']) {
      expect((await browser.submit(page, '/login/development', { name })).status, name).to.equal(400);
    }
  });

  it('is available through a proxy when the setting allows it, and not available when it is off', async () => {
    await using asked = await openIdentityService({ env: () => ({ DEV_SIGN_IN: 'on' }) });
    const browser = Object.assign(new FormBrowser(), { headers: { 'x-forwarded-proto': 'https' } });
    const page = await browser.submit(await browser.get(`${asked.origin}/login`), '/login/development', {
      name: 'dev',
    });
    expect(new URL(page.url).pathname).to.equal('/account');
    await using off = await openIdentityService({ env: () => ({ DEV_SIGN_IN: 'off' }) });
    expect((await fetch(`${off.origin}/login/outbox`)).status).to.equal(404);
    expect((await fetch(`${off.origin}/login/development`, { method: 'POST' })).status).to.equal(404);
    expect(await (await fetch(`${off.origin}/login`)).text()).to.not.include('Development sign-in');
  });
});
