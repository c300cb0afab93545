import { expect } from 'chai';
import { CONTENT_SIGNAL } from '../../../../api/http/standard-headers.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('site: a slash at the end', () => {
  const test = useFixture(openTestApi);

  for (const [asked, meant] of [
    ['/developers/', '/developers'],
    ['/developers/?a=1&b=%2F%2Fevil.example', '/developers?a=1&b=%2F%2Fevil.example'],
    ['/developers/errors/rate_limited/', '/developers/errors/rate_limited'],
    ['/methodology/?input=86', '/methodology?input=86'],
    ['/compare/', '/compare'],
    ['/operators/nova-7/', '/operators/nova-7'],
    ['/operators/%2F%2Fevil.example/', '/operators/%2F%2Fevil.example'],
  ] as const) {
    it(`leads from ${asked} to the page`, async () => {
      const { status, headers, text } = await test().get(asked, { accept: 'text/html' });
      expect(status).to.equal(308);
      expect(headers.get('location')).to.equal(meant);
      expect(text).to.equal('');
      expect(headers.get('content-signal')).to.equal(CONTENT_SIGNAL);
      expect(headers.get('ratelimit')).to.match(/^"pages";r=\d+;t=\d+$/);
    });
  }

  for (const path of [
    '//developers/',
    '//evil.example/',
    '//evil.example/developers/',
    '/developers//',
    '/%5Cevil.example/',
    '/\\evil.example/',
    '/nothing-here/',
    '/llms.txt/',
    '/openapi.json/',
    '/api/v1/leaderboard/',
    '/healthz/',
  ]) {
    it(`leads nowhere from ${path}`, async () => {
      const { status, headers } = await test().send(path);
      expect(status).to.equal(404);
      expect(headers.get('location')).to.equal(null);
    });
  }

  it('is not forgiven when something is sent', async () => {
    expect((await test().send('/developers/', { method: 'POST' })).status).to.equal(404);
  });
});
