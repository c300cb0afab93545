import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { verifyDeviceProof } from '../../../../engine/accounts/devices/verify-device-proof.ts';
import { makeDeviceProof, namedDeviceKey, thumbprintOf } from '../../../support/signing.ts';
import type { DeviceProofVector } from '../../../vectors/vector-types.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const key = namedDeviceKey('own');
const enrolled = { jwk: key.jwk, kid: key.kid };

const proofs: readonly DeviceProofVector[] = JSON.parse(
  readFileSync(new URL('../../../vectors/device-proofs.json', import.meta.url), 'utf8'),
);

describe('verifyDeviceProof', () => {
  for (const { name, codename, x, received_at, proof, accepted } of proofs) {
    it(`${accepted ? 'accepts' : 'refuses'} ${name}`, async () => {
      const owner = { jwk: { kty: 'OKP', crv: 'Ed25519', x }, kid: thumbprintOf(x) } as const;
      const fault = await verifyDeviceProof(proof, owner, { codename, now: Date.parse(received_at) });
      expect(fault === null, fault ?? 'accepted').to.equal(accepted);
    });
  }

  it("states the server's time when the client's clock is wrong", async () => {
    const proof = makeDeviceProof(key, { codename: 'sample-fox', iat: NOW / 1_000 + 301 });
    const fault = await verifyDeviceProof(proof, enrolled, { codename: 'sample-fox', now: NOW });
    expect(fault).to.include('2026-03-01T12:00:00.000Z');
  });
});
