import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { expect } from 'chai';
import { compactVerify, decodeProtectedHeader, flattenedVerify, importJWK } from 'jose';

import { openDeviceKey, thumbprint } from '../../../cli/src/signing/device-key.ts';
import {
  compactJws,
  layOutSnapshot,
  type SnapshotDraft,
  signDeviceProof,
  signSnapshot,
} from '../../../cli/src/signing/sign-snapshot.ts';
import { VERSION } from '../../../cli/src/version.ts';
import { parseDetachedJws, parseSnapshotHeader, signingInput } from '../../../engine/contract/signing/index.ts';
import { failureOf, type SnapshotBody } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

const NOW = Date.parse('2026-06-01T12:00:00.900Z');
const NOW_SECONDS = Date.parse('2026-06-01T12:00:00Z') / 1000;

const DRAFT: SnapshotDraft = {
  codename: 'test-lantern',
  platform: 'claude-code',
  totals: { input: 12, output: 3.5, cache_read: 9_007_199_254_740_991, cache_write: 0 },
  kid: 'a-key',
  counting: 'exact',
  stream: 'a-stream',
  epoch: 2,
  now: NOW,
};

describe('the signed layout', () => {
  const folder = useFolder();

  it('verifies with another implementation once the payload is put back', async () => {
    const key = await openDeviceKey(folder(), false);
    const body: SnapshotBody = JSON.parse(signSnapshot(layOutSnapshot({ ...DRAFT, kid: key.kid }), key.privateKey));
    const [protectedHeader = '', empty, signature = ''] = body.signature.split('.');
    expect(empty).to.equal('');
    // Written out by hand: this is the layout that every verifier must arrive at.
    const payload =
      '{"cache_read":9007199254740991,"cache_write":0,"codename":"test-lantern","input":12,"output":3.5,"platform":"claude-code"}';
    const verified = await flattenedVerify(
      { protected: protectedHeader, payload: Buffer.from(payload).toString('base64url'), signature },
      await importJWK(key.publicJwk, 'EdDSA'),
    );
    expect(verified.protectedHeader).to.include({ alg: 'EdDSA', typ: 'snapshot+jws', kid: key.kid });
    expect(body).to.deep.equal({
      codename: 'test-lantern',
      input: 12,
      output: 3.5,
      cache_read: 9_007_199_254_740_991,
      cache_write: 0,
      platform: 'claude-code',
      signature: body.signature,
    });
  });

  it('verifies by the contract and node:crypto', async () => {
    const key = await openDeviceKey(folder(), false);
    const layout = layOutSnapshot({ ...DRAFT, kid: key.kid });
    const { signature }: SnapshotBody = JSON.parse(signSnapshot(layout, key.privateKey));
    const jws = parseDetachedJws(signature)!;
    const publicKey = createPublicKey({ key: { ...key.publicJwk }, format: 'jwk' });
    const signed = signingInput(jws.protectedHeader, layout.payload);
    expect(verify(null, signed, publicKey, Buffer.from(jws.signature, 'base64url'))).to.be.true;
    expect(jws.header).to.deep.equal(layout.header);
    expect(parseSnapshotHeader(jws.header)).to.deep.equal({ ...layout.header, as_of: undefined });
  });

  it('states key, stream, epoch, time in whole seconds and the version, how it counts, and as_of only when asked', () => {
    const { header } = layOutSnapshot(DRAFT);
    const { jti, ...rest } = header;
    expect(rest).to.deep.equal({
      alg: 'EdDSA',
      typ: 'snapshot+jws',
      kid: 'a-key',
      iat: NOW_SECONDS,
      stream: 'a-stream',
      epoch: 2,
      cli: VERSION,
      counting: 'exact',
    });
    expect(Buffer.from(jti, 'base64url')).to.have.length(16);
    expect(layOutSnapshot({ ...DRAFT, asOf: 1_780_000_000 }).header.as_of).to.equal(1_780_000_000);
  });

  it('gives every snapshot a different id', () => {
    const ids = Array.from({ length: 200 }, () => layOutSnapshot(DRAFT).header.jti);
    expect(new Set(ids).size).to.equal(200);
  });

  it('proves possession of the key over codename and time', async () => {
    const key = await openDeviceKey(folder(), false);
    const proof = signDeviceProof('test-lantern', key.privateKey, NOW);
    const { payload } = await compactVerify(proof, await importJWK(key.publicJwk, 'EdDSA'));
    expect(JSON.parse(Buffer.from(payload).toString('utf8'))).to.deep.equal({
      codename: 'test-lantern',
      iat: NOW_SECONDS,
    });
    expect(decodeProtectedHeader(proof)).to.deep.equal({ alg: 'EdDSA', typ: 'device-proof+jws' });
  });

  it('is not verified by another key', async () => {
    const key = await openDeviceKey(folder(), false);
    const other = generateKeyPairSync('ed25519').publicKey;
    const proof = compactJws({ alg: 'EdDSA' }, 'text', key.privateKey);
    const failure = await failureOf(compactVerify(proof, other));
    expect(failure).to.have.property('code', 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED');
  });

  it('identifies a key by the thumbprint of RFC 8037, appendix A.3', () => {
    const x = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
    expect(thumbprint({ kty: 'OKP', crv: 'Ed25519', x })).to.equal('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });
});
