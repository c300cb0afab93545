import { expect } from 'chai';
import { gettingStarted } from '../../../../api/site/developers/getting-started.ts';
import { pageMarkdown } from '../../../../api/site/render/page-text.ts';
import { layOutSnapshot } from '../../../../cli/src/signing/sign-snapshot.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';

/** How the page describes each member that the tool sends. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  kid: 'the id of the key',
  jti: 'a random id of the snapshot',
  iat: 'the time',
  as_of: 'the totals at the end of each of the last 90 days',
  stream: '(**stream**)',
  epoch: '(**epoch**)',
  cli: 'the version of the tool',
  counting: '(**counting**)',
  codename: 'your codename',
  platform: '(**platform**)',
};

describe('site: getting started', () => {
  it('describes everything that a submission sends, and how to send less', () => {
    const { title, about, parts } = gettingStarted;
    const page = {
      title,
      description: about,
      parts: parts(TEST_SETTINGS, { version: '1.0.0', sha512: '' }),
    };
    const text = pageMarkdown({ ...page, surface: 'site', canonical: 'site:/', area: 'Developers' }, TEST_SETTINGS);
    const totals = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const draft = {
      codename: 'test-lantern',
      platform: 'codex',
      totals,
      counting: 'exact' as const,
      kid: 'k',
      stream: 's',
      epoch: 0,
      now: 0,
      asOf: 1,
    };
    const { header, body } = layOutSnapshot(draft);
    const { alg, typ, ...described } = header;
    expect([alg, typ]).to.deep.equal(['EdDSA', 'snapshot+jws']);
    const { signature, input, output, cache_read, cache_write, ...named }: Record<string, unknown> = JSON.parse(
      body('s'),
    );
    expect({ input, output, cache_read, cache_write, signature }).to.deep.equal({ ...totals, signature: 's' });
    expect(Object.keys({ ...described, ...named })).to.have.members(Object.keys(DESCRIPTIONS));
    for (const description of Object.values(DESCRIPTIONS)) expect(text).to.include(description);
    expect(text)
      .to.include('`--no-history` leaves them out')
      .and.to.include('`--dry-run --requests` shows every request');
  });
});
