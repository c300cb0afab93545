import { expect } from 'chai';
import { DAY_MS } from '../../../../config/units.ts';
import { eventually } from '../../../support/eventually.ts';
import { FormBrowser } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';

const HTTPS = 'https://upsilon.example';
const PUBLIC_HTTPS = {
  BASE_URL: `${HTTPS}/api/v1`,
  SITE_URL: HTTPS,
  LOGIN_URL: HTTPS,
  AUTH_URL: HTTPS,
  SMTP_URL: 'smtp://127.0.0.1:9',
  CONTACT: 'mailto:security@upsilon.example',
  SECRETS_KEY: 'A'.repeat(43),
};

describe('sign-in by its settings', () => {
  it('over https has cookies that only this host, and only https, can set', async () => {
    await using service = await openIdentityService({
      env: () => PUBLIC_HTTPS,
    });
    const page = await fetch(`${service.origin}/login`);
    expect(page.headers.getSetCookie()).to.have.length(1);
    expect(page.headers.getSetCookie()[0]).to.match(
      /^__Host-upsilon-browser=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(await page.text())
      .to.not.include('Development sign-in')
      .and.not.include('outbox');
    const query = new URLSearchParams({
      client_id: 'upsilon-cli',
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:1/callback',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const authorize = await fetch(`${service.origin}/oauth/authorize?${query.toString()}`, { redirect: 'manual' });
    expect(authorize.headers.get('location')).to.match(/^https:\/\/upsilon\.example\/oauth\/interaction\//);
    const cookies = authorize.headers.getSetCookie();
    expect(cookies.length).to.be.at.least(2);
    for (const cookie of cookies) {
      expect(cookie).to.match(/^__(Host|Secure)-upsilon-.*; path=\/.*; secure; httponly/i);
      expect(cookie).to.match(/samesite=lax/i);
    }
    const metadata = await fetch(`${service.origin}/.well-known/openid-configuration`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' },
    });
    expect(await metadata.text())
      .to.not.include('evil.example')
      .and.not.include('http://');
    const browser = new FormBrowser();
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await browser.get(`${service.origin}/login`)).text) ?? [];
    const asked = new URLSearchParams({ csrf, email: 'someone@example.com' });
    const answered = await browser.post(`${service.origin}/login/email`, asked, { origin: HTTPS });
    expect(answered.status, 'while the mail server is unreachable').to.equal(200);
    expect((await fetch(`${service.origin}/login/development`, { method: 'POST' })).status).to.equal(404);
    expect((await fetch(`${service.origin}/login/outbox`)).status).to.equal(404);
  });

  it('over https keeps browsers to https on every surface, and says where to report a vulnerability', async () => {
    await using service = await openIdentityService({ env: () => PUBLIC_HTTPS });
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${service.origin}${path}`, { redirect: 'manual', ...init });
      await response.arrayBuffer();
      return response;
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const call = { method: 'POST', headers, body: JSON.stringify(message) };
    const requests: readonly (readonly [path: string, init?: RequestInit])[] = [
      // The second of two equal reads is repeated from memory, with and without its body.
      ...Array.from({ length: 2 }, () => ['/api/v1/leaderboard'] as const),
      ...Array.from({ length: 2 }, () => ['/', { headers: { accept: 'text/html' } }] as const),
      ['/api/v1/snapshots', call],
      ['/api/v1/nothing'],
      ['/login'],
      ['/login', { method: 'PUT' }],
      ['/api/auth/session'],
      ['/oauth/authorize'],
      ['/oauth/token', { method: 'POST' }],
      ['/.well-known/openid-configuration'],
      ['/mcp', call],
      ['/health/live'],
    ];
    for (const [path, init] of requests) {
      const response = await ask(path, init);
      expect(response.headers.get('strict-transport-security'), `${path} ${response.status}`).to.equal(
        'max-age=63072000',
      );
      const tag = response.headers.get('etag');
      if (tag === null || init?.method !== undefined) continue;
      const conditional = new Headers(init?.headers);
      conditional.set('if-none-match', tag);
      const unchanged = await ask(path, { headers: conditional });
      expect(unchanged.headers.get('strict-transport-security'), `${path} unchanged`).to.equal('max-age=63072000');
    }
    const text = await (await fetch(`${service.origin}/.well-known/security.txt`)).text();
    expect(text).to.match(/^Contact: mailto:security@upsilon\.example\nExpires: \S+\nPreferred-Languages: en\n/);
    expect(text).to.match(/\nCanonical: https:\/\/upsilon\.example\/\.well-known\/security\.txt\n$/);
    for (const aheadDays of [0, 3_000]) {
      service.ahead = aheadDays * DAY_MS;
      const later = await (await fetch(`${service.origin}/.well-known/security.txt`)).text();
      const days = (Date.parse(/^Expires: (.*)$/m.exec(later)?.[1] ?? '') - Date.now() - service.ahead) / DAY_MS;
      expect(days).to.be.within(30, 364);
    }
  });

  it('without a mail server shows links in the outbox of this machine', async () => {
    await using service = await openIdentityService();
    const local = await fetch(`${service.origin}/login`);
    expect(local.headers.get('strict-transport-security')).to.equal(null);
    expect((await fetch(`${service.origin}/.well-known/security.txt`)).status).to.equal(404);
    const browser = new FormBrowser();
    const asked = await browser.submit(await browser.get(`${service.origin}/login`), '/login/email', {
      email: 'local@example.com',
    });
    expect(asked.text)
      .to.include('This installation sends no e-mail')
      .and.to.include('href="/login/outbox"')
      .and.to.not.match(/spam|We have sent/);
    let link = '';
    await eventually('the link in the outbox', async () => {
      const outbox = await browser.get(`${service.origin}/login/outbox`);
      link = /href="([^"]*\/login\/link\?token=[^"]+)"/.exec(outbox.text)?.[1] ?? '';
      return link !== '';
    });
    const page = await browser.submit(await browser.get(link), '/login/link');
    expect(new URL(page.url).pathname).to.equal('/account');
  });
});
