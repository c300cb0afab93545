import { inspect } from 'node:util';
import { expect } from 'chai';
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { type Accounts, MAX_ACCESS_TOKEN_LIFETIME_S, SIGNING_KEY_RELOAD_MS } from '../../../engine/accounts/index.ts';
import { useFreshFixture } from '../../support/use-fixture.ts';
import { openAccounts, START } from './open-accounts.ts';

const REQUEST = {
  subject: 'sample-subject',
  scope: 'openid profile email',
  audience: 'http://127.0.0.1:3000/api/v1',
  issuer: 'http://127.0.0.1:3000',
  lifetimeSeconds: 600,
} as const;
const PUBLISHED_FOR_MS = SIGNING_KEY_RELOAD_MS + MAX_ACCESS_TOKEN_LIFETIME_S * MS_PER_SECOND + 5 * 60 * MS_PER_SECOND;

async function kidsOf(accounts: Accounts): Promise<string[]> {
  return (await accounts.jwks()).keys.map(({ kid }) => kid);
}

function kidOfToken(token: string): string | undefined {
  return decodeProtectedHeader(token).kid;
}

describe('signing keys', () => {
  const under = useFreshFixture(openAccounts);

  async function verify(token: string) {
    const { keys } = await under().accounts.jwks();
    return jwtVerify(token, createLocalJWKSet({ keys: [...keys] }), {
      algorithms: ['EdDSA'],
      typ: 'at+jwt',
      audience: REQUEST.audience,
      issuer: REQUEST.issuer,
      currentDate: new Date(under().now),
    });
  }

  it('sign access tokens that verify under the published keys', async () => {
    const { payload, protectedHeader } = await verify(await under().accounts.signingKeys.mintAccessToken(REQUEST));
    const { jti, ...claims } = payload;
    expect(jti).to.match(/^[0-9a-f-]{36}$/);
    expect(claims).to.deep.equal({
      iss: REQUEST.issuer,
      aud: REQUEST.audience,
      sub: REQUEST.subject,
      scope: REQUEST.scope,
      client_id: 'upsilon-ops',
      iat: START / MS_PER_SECOND,
      exp: START / MS_PER_SECOND + 600,
    });
    expect(protectedHeader).to.deep.equal({ alg: 'EdDSA', typ: 'at+jwt', kid: (await kidsOf(under().accounts))[0] });
    const token = await under().accounts.signingKeys.mintAccessToken({ ...REQUEST, clientId: 'sample-client' });
    expect((await verify(token)).payload['client_id']).to.equal('sample-client');
  });

  it('are one when many processes start at once', async () => {
    const processes = await Promise.all(Array.from({ length: 6 }, () => under().another()));
    const tokens = await Promise.all(processes.map(({ signingKeys }) => signingKeys.mintAccessToken(REQUEST)));
    const published = await Promise.all(processes.map(kidsOf));
    expect(new Set([...tokens.map(kidOfToken), ...published.flat()]).size).to.equal(1);
    expect(await under().connection.collection('signing_keys').countDocuments()).to.equal(1);
  });

  it('are agreed on when two processes rotate at once', async () => {
    await under().accounts.jwks();
    const other = await under().another();
    const rotated = await Promise.all([under().accounts, other].map(({ signingKeys }) => signingKeys.rotate()));
    const { keys } = await under().accounts.jwks();
    // One that both created, or one each, and the former.
    expect(keys).to.have.length(1 + new Set(rotated.map(({ kid }) => kid)).size);
    expect(keys.map(({ kid }) => kid)).to.include.members(rotated.map(({ kid }) => kid));
    expect(kidOfToken(await (await under().another()).signingKeys.mintAccessToken(REQUEST))).to.equal(keys[0]?.kid);
  });

  it('stay published after rotation until the tokens they signed have expired', async () => {
    const other = await under().another();
    const before = await other.signingKeys.mintAccessToken(REQUEST);
    const { kid } = await under().accounts.signingKeys.rotate();
    expect(kidOfToken(await under().accounts.signingKeys.mintAccessToken(REQUEST))).to.equal(kid);
    expect(await kidsOf(under().accounts)).to.deep.equal([kid, kidOfToken(before)]);
    expect((await verify(before)).payload.sub).to.equal(REQUEST.subject);

    under().now += SIGNING_KEY_RELOAD_MS - 1;
    const longest = { ...REQUEST, lifetimeSeconds: MAX_ACCESS_TOKEN_LIFETIME_S };
    const late = await other.signingKeys.mintAccessToken(longest);
    expect(kidOfToken(late)).to.equal(kidOfToken(before));
    under().now += 1;
    expect(kidOfToken(await other.signingKeys.mintAccessToken(REQUEST))).to.equal(kid);

    under().now += MAX_ACCESS_TOKEN_LIFETIME_S * MS_PER_SECOND - 2_000;
    expect((await verify(late)).payload.sub).to.equal(REQUEST.subject);
    under().now = START + PUBLISHED_FOR_MS + 1;
    expect(await kidsOf(under().accounts)).to.deep.equal([kid]);
  });

  it('that verify no valid token are deleted at the next rotation', async () => {
    await under().accounts.jwks();
    const second = await under().accounts.signingKeys.rotate();
    under().now += PUBLISHED_FOR_MS + 1;
    const third = await under().accounts.signingKeys.rotate();
    expect(await kidsOf(under().accounts)).to.deep.equal([third.kid, second.kid]);
    expect(await under().connection.collection('signing_keys').countDocuments()).to.equal(2);
  });

  it('of the archive sign nothing else, and stay published', async () => {
    const { archiveKeys, signingKeys } = under().accounts;
    const isSigned = (jws: string, keys: Awaited<ReturnType<typeof archiveKeys.jwks>>) =>
      compactVerify(jws, createLocalJWKSet(keys)).then(
        () => true,
        () => false,
      );
    const signed = await archiveKeys.sign('archive+jws', { link: 1 });
    expect(await archiveKeys.sign('archive+jws', { link: 1 })).to.equal(signed);
    const former = await archiveKeys.jwks();
    const other = await archiveKeys.sign('archive+jws', { link: 2 });
    expect(await isSigned(signed, former)).to.equal(true);
    expect(await isSigned(signed.replace(/\..*\./, `.${other.split('.')[1]}.`), former)).to.equal(false);
    expect(await isSigned(signed, await signingKeys.jwks())).to.equal(false);
    await archiveKeys.rotate();
    under().now += 1_000 * PUBLISHED_FOR_MS;
    await archiveKeys.rotate();
    expect((await archiveKeys.jwks()).keys).to.have.lengthOf(3);
    expect(await isSigned(signed, await archiveKeys.jwks())).to.equal(true);
    expect(await under().connection.collection('signing_keys').countDocuments()).to.equal(1);
  });

  it('show no private part', async () => {
    await under().accounts.signingKeys.mintAccessToken(REQUEST);
    const { keys } = await under().accounts.jwks();
    expect(keys.map((key) => Object.keys(key).sort())).to.deep.equal([['alg', 'crv', 'kid', 'kty', 'use', 'x']]);
    const stored = await under().connection.collection('signing_keys').findOne();
    const secret = Buffer.from(stored?.['private_key'].buffer).subarray(-32);
    const shown =
      inspect(under().accounts, { depth: Infinity, showHidden: true }) + JSON.stringify([under().accounts, keys]);
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(shown).not.to.include(secret.toString(encoding));
  });

  for (const lifetimeSeconds of [0, -1, 0.5, NaN, Infinity, MAX_ACCESS_TOKEN_LIFETIME_S + 1]) {
    it(`refuse a lifetime of ${lifetimeSeconds} s`, async () => {
      const refused = await under()
        .accounts.signingKeys.mintAccessToken({ ...REQUEST, lifetimeSeconds })
        .catch((e) => e);
      expect(refused).to.be.instanceOf(RangeError);
    });
  }
});
