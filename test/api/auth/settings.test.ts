import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { FormBrowser } from '../../support/form-browser.ts';
import { openIdentityService } from '../../support/identity-service.ts';

const HTTPS = 'https://upsilon.example';

describe('sign-in by its settings', function () {
  this.timeout(60_000);

  it('over https has cookies that only this host, and only https, can set', async () => {
    await using service = await openIdentityService({
      env: () => ({
        BASE_URL: `${HTTPS}/api/v1`,
        SITE_URL: HTTPS,
        LOGIN_URL: HTTPS,
        AUTH_URL: HTTPS,
        SMTP_URL: 'smtp://127.0.0.1:9',
      }),
    });
    const page = await fetch(`${service.origin}/login`);
    expect(page.headers.getSetCookie()).to.have.length(1);
    expect(page.headers.getSetCookie()[0]).to.match(
      /^__Host-upsilon-browser=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(page.headers.get('strict-transport-security')).to.equal('max-age=63072000');
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
    expect((await fetch(`${service.origin}/login/development`, { method: 'POST' })).status).to.equal(404);
    expect((await fetch(`${service.origin}/login/outbox`)).status).to.equal(404);
  });

  it('without a mail server shows links in the outbox of this machine', async () => {
    await using service = await openIdentityService();
    const browser = new FormBrowser();
    await browser.submit(await browser.get(`${service.origin}/login`), '/login/email', { email: 'local@example.com' });
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
