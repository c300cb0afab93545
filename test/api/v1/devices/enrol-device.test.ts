import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { VECTOR_KEY } from '../../../../api/site/developers/signing-vectors.ts';
import { makeDeviceKey, makeDeviceProof } from '../../../support/signing.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture, useFreshFixture } from '../../../support/use-fixture.ts';
import { listAt } from '../../conformance.ts';

const DEVICES = '/api/v1/devices';

/** RFC 8032, section 7.1: tests 1, 2, 3, 1024 and SHA(abc). */
const RFC_8032_SEEDS = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
  'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
  '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
];

describe('api: devices', () => {
  const test = useFixture(openTestApi);

  let count = 0;

  beforeEach(async () => {
    count += 1;
  });
  const operator = useFreshFixture(() => test().operator(`owner-${count}`));

  const bearer = () => ({ authorization: `Bearer ${operator().token}` });
  const enrolment = (key = makeDeviceKey(), changes: Record<string, unknown> = {}) => ({
    jwk: key.jwk,
    proof: makeDeviceProof(key, { codename: operator().codename, iat: test().now / 1000 }),
    ...changes,
  });
  const revoke = (kid: string) => test().send(`${DEVICES}/${kid}`, { method: 'DELETE', headers: bearer() });

  it('are listed with their names', async () => {
    const key = makeDeviceKey();
    const enrolled = await test().post(DEVICES, operator().token, enrolment(key, { name: 'laptop' }));
    expect(enrolled.status).to.equal(201);
    expect(enrolled.json).to.deep.equal({
      kid: key.kid,
      name: 'laptop',
      created_at: new Date(test().now).toISOString(),
      revoked_at: null,
    });
    expect(enrolled.headers.get('location')).to.equal(`http://upsilon.test${DEVICES}/${key.kid}`);
    const { json } = await test().get(DEVICES, bearer());
    const kids = listAt(json, 'devices').map(({ kid }) => kid);
    expect(kids).to.have.members([operator().key.kid, key.kid]);
  });

  it('are enrolled with a proof for the codename that another process gave the operator a moment ago', async () => {
    await test().get(DEVICES, bearer());
    const codename = `owner-renamed-${count}`;
    await test().ranking.operators.rename(operator().operator, codename);
    const key = makeDeviceKey();
    const proof = makeDeviceProof(key, { codename, iat: test().now / 1000 });
    expect((await test().post(DEVICES, operator().token, enrolment(key, { proof }))).status).to.equal(201);
  });

  it('are enrolled once: the same key again changes nothing', async () => {
    const { status, json } = await test().post(DEVICES, operator().token, enrolment(operator().key));
    expect(status).to.equal(200);
    expect(json?.['kid']).to.equal(operator().key.kid);
  });

  it('are refused where their private half is published: in the vectors, in the guide, in the RFCs', async () => {
    const vectors = readFileSync(new URL('../../../vectors/snapshots.json', import.meta.url), 'utf8');
    const seeds = [...vectors.matchAll(/"seed": "([0-9a-f]{64})"/g)].map(([, seed = '']) => seed);
    expect(seeds).to.have.length(6).and.to.include(VECTOR_KEY.seed);
    for (const seed of [...seeds, '00'.repeat(32), ...RFC_8032_SEEDS]) {
      const answered = await test().post(DEVICES, operator().token, enrolment(makeDeviceKey(Buffer.from(seed, 'hex'))));
      expect(answered.status, seed).to.equal(400);
      expect(answered.json).to.include({ code: 'key_invalid' });
      expect(answered.json?.['detail']).to.match(/published/);
    }
  });

  it('sign nothing any more once they are revoked', async () => {
    const { status, text } = await revoke(operator().key.kid);
    expect(status).to.equal(204);
    expect(text).to.equal('');
    test().now += 1_000;
    const { json } = await test().post('/api/v1/snapshots', operator().token, test().snapshot(operator()));
    expect(json).to.deep.include({ accepted: false, reason: 'key_revoked' });
    const again = await test().post(DEVICES, operator().token, enrolment(operator().key));
    expect(again.status).to.equal(400);
    expect(again.json?.['code']).to.equal('key_revoked');
  });

  it('are revoked by their own operator alone', async () => {
    const other = await test().operator(`thief-${count}`);
    for (const kid of [other.key.kid, 'k'.repeat(43), 'short', '%00']) {
      const { status, json } = await revoke(kid);
      expect(status, kid).to.equal(404);
      expect(json?.['code']).to.equal('device_unknown');
    }
  });

  it('belong to one operator', async () => {
    const other = await test().operator(`borrower-${count}`);
    const proof = makeDeviceProof(operator().key, { codename: other.codename, iat: test().now / 1000 });
    const { status, json } = await test().post(DEVICES, other.token, { jwk: operator().key.jwk, proof });
    expect(status).to.equal(400);
    expect(json?.['code']).to.equal('key_taken');
  });

  it('are limited in number', async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 20; index += 1) {
      const { status, json } = await test().post(DEVICES, operator().token, enrolment());
      statuses.push(status);
      if (status !== 201) expect(json?.['code']).to.equal('device_limit');
    }
    expect(statuses).to.deep.equal([...Array.from({ length: 19 }, () => 201), 400]);
  });

  const x = makeDeviceKey().x;
  const cases: [what: string, changes: Record<string, unknown>, code: string][] = [
    ['no key', { jwk: undefined }, 'field_missing'],
    ['a key that is no object', { jwk: 'key' }, 'key_invalid'],
    ['an RSA key', { jwk: { kty: 'RSA', crv: 'Ed25519', x } }, 'key_invalid'],
    ['a P-256 key', { jwk: { kty: 'OKP', crv: 'P-256', x } }, 'key_invalid'],
    ['a short key', { jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AAAA' } }, 'key_invalid'],
    ['a key of small order', { jwk: { kty: 'OKP', crv: 'Ed25519', x: `AQ${'A'.repeat(41)}` } }, 'key_invalid'],
    ['a private key', { jwk: { kty: 'OKP', crv: 'Ed25519', x, d: x } }, 'key_invalid'],
    ['no proof', { proof: undefined }, 'field_missing'],
    ['a proof that is no text', { proof: 7 }, 'proof_invalid'],
    ['a proof that is no JWS', { proof: 'trust me' }, 'proof_invalid'],
    ['a proof that is too long', { proof: 'x'.repeat(3_000) }, 'proof_invalid'],
    ['an empty name', { name: '' }, 'name_invalid'],
    ['a name that is too long', { name: 'n'.repeat(41) }, 'name_invalid'],
    ['a name that turns text around', { name: 'lap\u202etop' }, 'name_invalid'],
    ["the product's name", { name: 'My Upsilon' }, 'name_invalid'],
    ['a name with a line break', { name: 'lap\ntop' }, 'name_invalid'],
    ['a name that is no text', { name: 7 }, 'name_invalid'],
  ];
  for (const [what, changes, code] of cases) {
    it(`are not enrolled with ${what}`, async () => {
      const { status, json } = await test().post(DEVICES, operator().token, enrolment(makeDeviceKey(), changes));
      expect(status).to.equal(400);
      expect(json?.['code']).to.equal(code);
    });
  }

  it('are not enrolled with a proof for another codename, or by another key', async () => {
    const key = makeDeviceKey();
    for (const proof of [
      makeDeviceProof(key, { codename: 'somebody-else', iat: test().now / 1000 }),
      makeDeviceProof(makeDeviceKey(), { codename: operator().codename, iat: test().now / 1000 }),
      makeDeviceProof(key, { codename: operator().codename, iat: test().now / 1000 - 3_600 }),
    ]) {
      const { json } = await test().post(DEVICES, operator().token, { jwk: key.jwk, proof });
      expect(json?.['code']).to.equal('proof_invalid');
    }
  });

  it('get the codename that a proof has to be over', async () => {
    const key = makeDeviceKey();
    const proof = makeDeviceProof(key, { codename: 'former-name', iat: test().now / 1000 });
    const { json } = await test().post(DEVICES, operator().token, { jwk: key.jwk, proof });
    expect(json?.['detail']).to.contain(`which is ${operator().codename}.`);
  });
});
