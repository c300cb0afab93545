import { expect } from 'chai';
import { safeReturn } from '../../../../api/auth/sign-in/safe-return.ts';

const LOGIN = 'https://login.upsilon.example/login';
const ORIGINS = ['https://upsilon.example', 'http://localhost:3000'];
const lead = (wanted: string | null): string | null => safeReturn(wanted, LOGIN, ORIGINS);

describe('the address that a sign-in returns to', () => {
  for (const [wanted, expected] of [
    ['/account', '/account'],
    ['/methodology?a=1', '/methodology?a=1'],
    ['/a/../b', '/b'],
    ['https://upsilon.example/@nova-7?window=7d', 'https://upsilon.example/@nova-7?window=7d'],
    ['https://upsilon.example', 'https://upsilon.example/'],
    ['http://localhost:3000/account', 'http://localhost:3000/account'],
  ] as const) {
    it(`may be ${wanted}`, () => {
      expect(lead(wanted)).to.equal(expected);
    });
  }

  for (const wanted of [
    null,
    '',
    'https://upsilon.example.evil.example/',
    'https://upsilon.exampleevil.example/',
    'https://upsilon.example:8443/',
    'http://localhost:30001/',
    'http://localhost:3000@evil.example/',
    'http://upsilon.example/',
    'https://www.upsilon.example/',
    'https://login.upsilon.example/account',
    'https://user@upsilon.example/',
    'https://:password@upsilon.example/',
    '//upsilon.example/',
    '/..//evil.example/',
    '/a/..//evil.example/',
    String.raw`/\evil.example`,
    '/\tevil',
    '/a\u200bb',
    'account',
    `/${'a'.repeat(2_000)}`,
  ]) {
    it(`is none for ${JSON.stringify(wanted)?.slice(0, 60)}`, () => {
      expect(lead(wanted)).to.equal(null);
    });
  }

  it('may have 2,000 characters', () => {
    expect(lead(`/${'a'.repeat(1_999)}`)).to.have.length(2_000);
  });
});
