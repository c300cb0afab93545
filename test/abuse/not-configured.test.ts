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
    for (const [answered, status, code] of [
      [await test.post('/api/v1/billing/webhook', null, {}), 400, 'billing_not_configured'],
      [await test.get('/api'), 404, 'payments_closed'],
    ] as const) {
      expect(answered.status).to.equal(status);
      expect(answered.json).to.include({ code });
    }
    expect(lines).to.deep.equal([]);
  });
});
