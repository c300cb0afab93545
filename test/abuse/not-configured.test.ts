import { Writable } from 'node:stream';
import { expect } from 'chai';
import { createLogger } from '../../ops/runtime/telemetry/index.ts';
import { openTestApi } from '../support/test-api.ts';

describe('requests for features that are not configured', () => {
  it('are answered as documented, without a line in the log, and are no errors of the service', async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const log = createLogger({ name: 'api-test', logLevel: 'info' }, destination);
    await using test = await openTestApi({ settings: { premium: null }, context: () => ({ log }) });
    const { status, json } = await test.post('/api/v1/billing/webhook', null, {});
    expect(status).to.equal(400);
    expect(json).to.include({ code: 'billing_not_configured' });
    for (const path of ['/api', '/api/analytics/tiers', '/developers/premium']) {
      const page = await test.get(path, { accept: 'text/html' });
      expect(page.status, path).to.equal(404);
      expect(page.text, path).to.include('href="/developers"');
    }
    expect(lines).to.deep.equal([]);
  });

  it('are in no description, list or text for agents', async () => {
    await using closed = await openTestApi({ settings: { premium: null } });
    await using open = await openTestApi();
    for (const path of ['/openapi.json', '/llms.txt', '/agent-instructions.txt', '/sitemap-pages.xml']) {
      const named = /x402|developers\/premium|api\/analytics/;
      expect((await closed.get(path)).text, path).not.to.match(named);
      expect((await open.get(path)).text, path).to.match(named);
    }
    for (const path of ['/developers', '/openapi.json', '/llms-full.txt']) {
      expect((await closed.get(path)).text, path).not.to.match(/developers\/premium/);
    }
    expect((await closed.get('/openapi.json')).text).not.to.include('/billing/subscribe');
  });
});
