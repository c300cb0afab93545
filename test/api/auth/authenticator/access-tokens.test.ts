import { expect } from 'chai';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { Accounts } from '../../../../engine/accounts/index.ts';
import { PROBLEMS } from '../../../../engine/contract/index.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../engine/contract/signing/index.ts';
import { openTestApi, type TestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const DEVICES = '/api/v1/devices';

/** Every authenticated operation, with a body that would be valid JSON. */
const OPERATIONS: readonly (readonly [method: string, path: string])[] = [
  ['POST', '/api/v1/snapshots'],
  ['GET', '/api/v1/snapshots/some-jti-1'],
  ['GET', '/api/v1/devices'],
  ['POST', '/api/v1/devices'],
  ['DELETE', `/api/v1/devices/${'k'.repeat(43)}`],
];

type PublishedKeys = Awaited<ReturnType<Accounts['jwks']>>['keys'];

describe('api: access tokens', () => {
  const test = useFixture(openTestApi);
  const operator = useFixture(() => test().operator('token-holder'));

  const devices = (authorization: string | null) =>
    test().get(DEVICES, authorization === null ? {} : { authorization });

  for (const [method, path] of OPERATIONS) {
    it(`${method} ${path.slice(0, 30)} needs one`, async () => {
      const init = {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: '{}' } : {}),
      };
      const { status, json, headers } = await test().send(path, init);
      expect(status).to.equal(401);
      const { hint } = PROBLEMS.token_missing;
      expect(json).to.deep.include({ code: 'token_missing', status: 401, hint });
      expect(headers.get('www-authenticate')).to.equal(
        'Bearer realm="http://upsilon.test/api/v1", scope="openid profile email", ' +
          'resource_metadata="http://upsilon.test/.well-known/oauth-protected-resource"',
      );
      expect(headers.get('cache-control')).to.equal('no-store');
    });
  }

  it('are read from the Authorization header', async () => {
    expect((await devices(`Bearer ${operator().token}`)).status).to.equal(200);
    expect((await devices(`bearer ${operator().token}`)).status).to.equal(200);
  });

  for (const authorization of [
    'Basic dXNlcjpwYXNz',
    'Bearer',
    'Bearer  ',
    'Bearer a b',
    'Bearer not-a-jwt',
    'Bearer a.b.c',
    'Bearer é',
  ]) {
    it(`are not "${authorization}"`, async () => {
      const { status, json, headers } = await test().send(DEVICES, {
        headers: { authorization: Buffer.from(authorization, 'utf8').toString('latin1') },
      });
      expect(status).to.equal(401);
      expect(json?.['code']).to.equal('token_invalid');
      expect(headers.get('www-authenticate')).to.match(/, error="invalid_token", error_description="[^"]+", /);
    });
  }

  for (const [method, path] of OPERATIONS) {
    it(`${method} ${path.slice(0, 30)} takes no query`, async () => {
      for (const [query, code] of [
        ['other=1', 'query_unknown'],
        ['a=%ff', 'query_malformed'],
        ['access_token=x', 'token_in_query'],
      ]) {
        const init = { method, headers: { authorization: `Bearer ${operator().token}` } };
        const { status, json } = await test().send(`${path}?${query}`, init);
        expect([status, json?.['code']], query).to.deep.equal([400, code]);
      }
    });
  }

  it('are not read from the body', async () => {
    const inBody = await test().post('/api/v1/snapshots', null, {
      ...test().snapshot(operator()),
      access_token: operator().token,
    });
    expect(inBody.json?.['code']).to.equal('token_missing');
  });

  it('are for this service', async () => {
    const { json } = await devices(
      `Bearer ${await test().token(operator().operator, { audience: 'http://other.test' })}`,
    );
    expect(json?.['code']).to.equal('token_audience');
  });

  it('are by its own issuer', async () => {
    const { json } = await devices(
      `Bearer ${await test().token(operator().operator, { issuer: 'http://other.test' })}`,
    );
    expect(json?.['code']).to.equal('token_invalid');
  });

  for (const scope of ['openid profile', 'openid', 'profile email', 'openidprofileemail', '']) {
    it(`have every scope, not only "${scope}"`, async () => {
      const { status, json, headers } = await devices(`Bearer ${await test().token(operator().operator, { scope })}`);
      expect(status).to.equal(401);
      expect(json?.['code']).to.equal('token_scope');
      expect(headers.get('www-authenticate')).to.match(/error="insufficient_scope"/);
    });
  }

  it('end', async () => {
    await using later = await openTestApi();
    const holder = await later.operator('short-lived');
    const authorization = `Bearer ${holder.token}`;
    expect((await later.get(DEVICES, { authorization })).status).to.equal(200);
    later.now += 590_000;
    expect((await later.get(DEVICES, { authorization })).status).to.equal(200);
    later.now += 30_000;
    const { status, json } = await later.get(DEVICES, { authorization });
    expect(status).to.equal(401);
    expect(json?.['code']).to.equal('token_expired');
  });

  it('are of an account that exists', async () => {
    const { json } = await devices(`Bearer ${await test().token(999_999)}`);
    expect(json?.['code']).to.equal('account_unknown');
  });

  it('stop working within seconds when the account is suspended, for good; newer ones work after', async () => {
    await using other = await openTestApi();
    const holder = await other.operator('suspended-one');
    const authorization = `Bearer ${holder.token}`;
    expect((await other.get(DEVICES, { authorization })).status).to.equal(200);
    await other.accounts.suspend(holder.operator, true);
    other.now += 5_000;
    const { status, json } = await other.get(DEVICES, { authorization });
    expect(status).to.equal(401);
    expect(json?.['code']).to.equal('account_suspended');
    await other.accounts.suspend(holder.operator, false);
    other.now += MAX_CLOCK_SKEW_MS;
    expect((await other.get(DEVICES, { authorization })).status).to.equal(401);
    const renewed = `Bearer ${await other.token(holder.operator)}`;
    expect((await other.get(DEVICES, { authorization: renewed })).status).to.equal(200);
  });

  it('stop working within seconds when they are on the deny-list; newer ones work', async () => {
    await using other = await openTestApi();
    const holder = await other.operator('signed-out-one');
    const authorization = `Bearer ${holder.token}`;
    expect((await other.get(DEVICES, { authorization })).status).to.equal(200);
    other.now += 5_000;
    const account = await other.accounts.byOperator(holder.operator);
    await other.accounts.denials.denySubject(account?.subject ?? '');
    for (const list of ['read for this request', 'known from the request before']) {
      const { status, json } = await other.get(DEVICES, { authorization });
      expect({ status, code: json?.['code'] }, list).to.deep.equal({ status: 401, code: 'token_invalid' });
    }
    other.now += MAX_CLOCK_SKEW_MS + 1_000;
    const newer = await other.token(holder.operator);
    expect((await other.get(DEVICES, { authorization: `Bearer ${newer}` })).status).to.equal(200);
  });

  it('are verified with a key that was put in use after the api began', async () => {
    await using other = await openTestApi();
    const holder = await other.operator('rotating-one');
    expect((await other.get(DEVICES, { authorization: `Bearer ${holder.token}` })).status).to.equal(200);
    await other.accounts.signingKeys.rotate();
    other.now += 60_000;
    const authorization = `Bearer ${await other.token(holder.operator)}`;
    expect((await other.get(DEVICES, { authorization })).status).to.equal(200);
  });

  it('cannot be checked while the keys cannot be read', async () => {
    await using broken = await openTestApi({
      context: ({ accounts }) => ({ accounts: { ...accounts, jwks: () => Promise.reject(new Error('no primary')) } }),
    });
    const holder = await broken.operator('waiting-one');
    const { status, json } = await broken.get(DEVICES, { authorization: `Bearer ${holder.token}` });
    expect(status).to.equal(500);
    expect(json?.['code']).to.equal('storage_unavailable');
  });

  it('cannot be checked while the accounts cannot be read', async () => {
    await using broken = await openTestApi({
      context: ({ accounts }) => ({
        accounts: { ...accounts, bySubject: () => Promise.reject(new Error('no primary')) },
      }),
    });
    const holder = await broken.operator('waiting-two');
    const { status, json } = await broken.get(DEVICES, { authorization: `Bearer ${holder.token}` });
    expect(status).to.equal(500);
    expect(json?.['code']).to.equal('storage_unavailable');
  });
});

describe('api: access tokens of another form', () => {
  let test: TestApi;
  let subject: string;
  const keys = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>['privateKey']>();

  before(async () => {
    const published: JWK[] = [];
    for (const alg of ['EdDSA', 'ES256', 'RS256', 'PS256']) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      published.push({ ...(await exportJWK(publicKey)), kid: alg, alg });
      keys.set(alg, privateKey);
    }
    const otherKeys: PublishedKeys = JSON.parse(JSON.stringify(published));
    test = await openTestApi({
      context: ({ accounts }) => ({
        accounts: { ...accounts, jwks: async () => ({ keys: otherKeys }) },
      }),
    });
    const operator = await test.operator('made-elsewhere');
    subject = (await test.accounts.byOperator(operator.operator))?.subject ?? '';
  });

  after(() => test[Symbol.asyncDispose]());

  async function statusOf(alg: string, change: (token: SignJWT) => SignJWT = (token) => token, header: object = {}) {
    const key = keys.get(alg) ?? new TextEncoder().encode('a shared secret that is long enough for HS256');
    const now = test.now / 1000;
    const token = new SignJWT({ scope: 'openid profile email' })
      .setProtectedHeader({ alg, kid: alg, typ: 'at+jwt', ...header })
      .setIssuer(test.settings.authUrl)
      .setAudience(test.settings.baseUrl)
      .setSubject(subject)
      .setIssuedAt(now)
      .setExpirationTime(now + 60);
    const { status, json } = await test.get(DEVICES, { authorization: `Bearer ${await change(token).sign(key)}` });
    return status === 200 ? 'accepted' : json?.['code'];
  }

  it('are accepted with EdDSA and at+jwt', async () => expect(await statusOf('EdDSA')).to.equal('accepted'));

  for (const alg of ['ES256', 'RS256', 'PS256', 'HS256']) {
    it(`are refused with ${alg}`, async () => expect(await statusOf(alg)).to.equal('token_invalid'));
  }

  for (const typ of ['JWT', undefined, 'snapshot+jws', 'logout+jwt', 'dpop+jwt']) {
    it(`are refused with typ ${typ}`, async () =>
      expect(await statusOf('EdDSA', (token) => token, { typ })).to.equal('token_invalid'));
  }

  it('are refused before their time and after it, by clocks that may differ by 5 s', async () => {
    const now = test.now / 1000;
    for (const [seconds, outcome] of [
      [5, 'accepted'],
      [6, 'token_invalid'],
    ] as const) {
      expect(await statusOf('EdDSA', (token) => token.setNotBefore(now + seconds))).to.equal(outcome);
    }
    expect(await statusOf('EdDSA', (token) => token.setExpirationTime(now - 5))).to.equal('token_expired');
  });

  it('are refused when they have more than 8,192 characters', async () => {
    for (const [length, outcome] of [
      [5_000, 'accepted'],
      [6_200, 'token_invalid'],
    ] as const) {
      expect(await statusOf('EdDSA', (token) => token, { padding: 'x'.repeat(length) })).to.equal(outcome);
    }
  });

  it('are refused without an expiry or a subject', async () => {
    const now = test.now / 1000;
    const bare = (claims: Record<string, unknown>) =>
      new SignJWT({ scope: 'openid profile email', iss: test.settings.authUrl, aud: test.settings.baseUrl, ...claims })
        .setProtectedHeader({ alg: 'EdDSA', kid: 'EdDSA', typ: 'at+jwt' })
        .sign(keys.get('EdDSA') ?? new Uint8Array());
    for (const claims of [{ sub: subject }, { exp: now + 60 }, { exp: now + 60, sub: '' }]) {
      const { json } = await test.get(DEVICES, { authorization: `Bearer ${await bare(claims)}` });
      expect(json?.['code'], JSON.stringify(claims)).to.equal('token_invalid');
    }
  });

  it('are refused with a key that is not published', async () => {
    const { privateKey } = await generateKeyPair('EdDSA');
    keys.set('EdDSA-other', privateKey);
    const now = test.now / 1000;
    for (const kid of ['EdDSA', 'unknown']) {
      const token = await new SignJWT({ scope: 'openid profile email' })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt' })
        .setIssuer(test.settings.authUrl)
        .setAudience(test.settings.baseUrl)
        .setSubject(subject)
        .setExpirationTime(now + 60)
        .sign(privateKey);
      const { json } = await test.get(DEVICES, { authorization: `Bearer ${token}` });
      expect(json?.['code'], kid).to.equal('token_invalid');
    }
  });
});
