import { expect } from 'chai';
import { canonicalAddress } from '../../../../engine/accounts/identities/canonical-address.ts';

describe('the canonical form of an address', () => {
  for (const [text, canonical] of [
    [' First.Person@Example.COM ', 'first.person@example.com'],
    ['someone@bücher.example', 'someone@xn--bcher-kva.example'],
    ['e\u0301@example.com', '\u00e9@example.com'],
    [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
  ] as const) {
    it(`of ${JSON.stringify(text.slice(0, 30))} is one`, () => expect(canonicalAddress(text)).to.equal(canonical));
  }

  it('has at most 254 octets', () => {
    const longest = `${'l'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(61)}`;
    expect(longest).to.have.length(254);
    expect(canonicalAddress(longest)).to.equal(longest);
    expect(canonicalAddress(`${longest}d`)).to.equal(null);
  });

  for (const text of [
    '',
    '@example.com',
    'nobody',
    'nobody@localhost',
    `${'l'.repeat(65)}@example.com`,
    'a b@example.com',
    'a\u200bb@example.com',
    '"quoted"@example.com',
    'someone@[127.0.0.1]',
    'someone@-bad.example',
    'someone@bad-.example',
  ]) {
    it(`of ${JSON.stringify(text.slice(0, 30))} is none`, () => expect(canonicalAddress(text)).to.equal(null));
  }
});
