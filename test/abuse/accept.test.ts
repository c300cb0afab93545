import { createHook } from 'node:async_hooks';
import { expect } from 'chai';
import { negotiate } from '../../api/http/negotiate.ts';
import { PAGE_FORMS } from '../../api/http/page-forms.ts';
import { RATE_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { chooseCoding, represent, takesGzip } from '../../api/http/representation.ts';
import { openTestApi } from '../support/test-api.ts';

const MANY = 'a/b;q=0.1,';
const LONG = `${'x'.repeat(1_024)},`;

describe('abuse: Accept headers', () => {
  it('are parsed up to 32 members, and ignored beyond a kilobyte', () => {
    expect(negotiate(`${MANY.repeat(31)}text/markdown`, PAGE_FORMS)).to.equal('markdown');
    expect(negotiate(`${MANY.repeat(32)}text/markdown`, PAGE_FORMS), 'the 33rd').to.equal(null);
    expect(negotiate(`${LONG}text/markdown`, PAGE_FORMS), 'as without the header').to.equal('html');

    const body = represent('{"a":1}'.repeat(1_000), 'application/json', true);
    const codings = 'x;q=0.1,';
    expect(chooseCoding(body, `${codings.repeat(31)}gzip`)).to.equal('gzip');
    expect(chooseCoding(body, `${codings.repeat(32)}gzip`)).to.equal('identity');
    expect(chooseCoding(body, `${LONG}gzip`)).to.equal('identity');
    expect([takesGzip(`${codings.repeat(31)}gzip`), takesGzip(`${LONG}gzip`)]).to.deep.equal([true, false]);
  });

  it('do not make a refusal compress a page', async () => {
    const rates = { ...RATE_POLICIES, pages: { ...RATE_POLICIES.pages, quota: 3 } };
    await using test = await openTestApi({ settings: { rates } });
    const accept = { accept: 'text/html', 'accept-encoding': 'identity' };
    // What is compressed once and kept.
    await test.get('/', accept);
    let compressed = 0;
    const hook = createHook({ init: (_, type) => (compressed += type === 'ZLIB' ? 1 : 0) }).enable();
    const statuses: number[] = [];
    for (const path of ['/nowhere', '/operators/nobody-here', '/nowhere', '/', '/nowhere']) {
      const { status, headers } = await test.get(path, accept);
      statuses.push(status);
      expect(headers.get('content-type'), path).to.equal('text/html; charset=utf-8');
    }
    hook.disable();
    expect(statuses).to.deep.equal([404, 404, 429, 429, 429]);
    expect(compressed).to.equal(0);
  });
});
