import { expect } from 'chai';
import { base64url, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose';
import { FormBrowser } from '../../support/form-browser.ts';
import { type IdentityService, openIdentityService } from '../../support/identity-service.ts';
import { connectApp, openApp } from '../../support/oauth-app.ts';

describe('tokens at POST /snapshots', () => {
  let service: IdentityService;
  let token: string;
  let claims: JWTPayload;
  let key: Awaited<ReturnType<typeof importJWK>>;
  let kid: string;

  before(async () => {
    service = await openIdentityService();
    token = (await connectApp(await openApp(service.config.authUrl), new FormBrowser(), 'holder')).access_token;
    claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const signing = await service.accounts.signingKeys.signingSet();
    kid = signing.current;
    key = await importJWK({ ...signing.keys[0]?.privateKey.export({ format: 'jwk' }) }, 'EdDSA');
  });

  after(() => service.close());

  const sign = (changes: JWTPayload, header: Record<string, unknown> = {}, signer = key): Promise<string> =>
    new SignJWT({ ...claims, ...changes })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid, ...header })
      .sign(signer);

  async function submit(given: string | null, path = '/snapshots', body = '{}', type = 'application/json') {
    const response = await fetch(`${service.config.baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, ...(given === null ? {} : { authorization: `Bearer ${given}` }) },
      body,
    });
    const json: Record<string, unknown> = JSON.parse(await response.text());
    return { status: response.status, code: json['code'], challenge: response.headers.get('www-authenticate') ?? '' };
  }

  it('are taken when they are right', async () => {
    expect(await submit(token)).to.deep.include({ status: 400, code: 'field_missing' });
    expect(await submit(await sign({}))).to.deep.include({ status: 400, code: 'field_missing' });
  });

  for (const [what, make, code, error] of [
    ['expired', () => sign({ iat: now() - 700, exp: now() - 100 }), 'token_expired', 'invalid_token'],
    ['not yet valid', () => sign({ nbf: now() + 100 }), 'token_invalid', 'invalid_token'],
    ['for another audience', () => sign({ aud: 'https://elsewhere.example' }), 'token_audience', 'invalid_token'],
    ['of another issuer', () => sign({ iss: 'https://elsewhere.example' }), 'token_invalid', 'invalid_token'],
    ['of too small a scope', () => sign({ scope: 'openid profile' }), 'token_scope', 'insufficient_scope'],
    ['for an unknown subject', () => sign({ sub: 'nobody' }), 'account_unknown', 'invalid_token'],
    ['an ID token', () => sign({}, { typ: 'id+jwt' }), 'token_invalid', 'invalid_token'],
    ['tampered with', async () => tamper(token), 'token_invalid', 'invalid_token'],
    ['unsigned', async () => unsigned(claims), 'token_invalid', 'invalid_token'],
    [
      'signed by a foreign key of the same name',
      async () => sign({}, {}, (await generateKeyPair('EdDSA')).privateKey),
      'token_invalid',
      'invalid_token',
    ],
    [
      'signed by an unknown key',
      async () => sign({}, { kid: 'unknown' }, (await generateKeyPair('EdDSA')).privateKey),
      'token_invalid',
      'invalid_token',
    ],
    [
      'signed with the public key as a secret',
      async () => hmac(claims, await publicKeyText(), kid),
      'token_invalid',
      'invalid_token',
    ],
    ['of a revoked grant', () => revoked(), 'token_invalid', 'invalid_token'],
  ] as const) {
    it(`are refused when ${what}`, async () => {
      const answer = await submit(await make());
      expect(answer).to.deep.include({ status: 401, code });
      expect(answer.challenge).to.match(
        new RegExp(
          `^Bearer realm="${service.config.baseUrl}", error="${error}", error_description="[^"]+", scope="openid profile email", ` +
            `resource_metadata="${service.config.loginUrl}/\\.well-known/oauth-protected-resource"$`,
        ),
      );
    });
  }

  for (const [where, path, body, type] of [
    ['the query', () => `/snapshots?access_token=${token}`, () => '{}', 'application/json'],
    ['the JSON body', () => '/snapshots', () => JSON.stringify({ access_token: token }), 'application/json'],
    ['a form', () => '/snapshots', () => `access_token=${token}`, 'application/x-www-form-urlencoded'],
  ] as const) {
    it(`are not read from ${where}`, async () => {
      const answer = await submit(null, path(), body(), type);
      expect(answer).to.deep.include({ status: 401, code: 'token_missing' });
      expect(answer.challenge).to.match(/^Bearer realm="[^"]+", scope="[^"]+", resource_metadata="[^"]+"$/);
    });
  }

  async function publicKeyText(): Promise<string> {
    return JSON.stringify((await service.accounts.jwks()).keys[0]);
  }

  async function revoked(): Promise<string> {
    const app = await openApp(service.config.authUrl);
    const { access_token } = await connectApp(app, new FormBrowser(), 'revoker');
    const record = await service.connection
      .collection('oidc_records')
      .findOne({ model: 'RefreshToken' }, { sort: { expires_at: -1 } });
    expect((await submit(access_token)).status).to.equal(400);
    await service.accounts.oidc.revokeGrant(String(record?.['grant_id']));
    service.ahead += 4_000;
    return access_token;
  }
});

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function tamper(token: string): string {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return [header, base64url.encode(JSON.stringify({ ...claims, sub: 'somebody-else' })), signature].join('.');
}

function unsigned(claims: JWTPayload): string {
  return `${base64url.encode('{"alg":"none","typ":"at+jwt"}')}.${base64url.encode(JSON.stringify(claims))}.`;
}

function hmac(claims: JWTPayload, secret: string, kid: string): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(Buffer.from(secret));
}
