import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import {
  SIGNING_VECTORS,
  VECTOR_KEY,
  VECTOR_PROOF,
  VECTORS_RECEIVED_AT,
} from '../../../../api/site/developers/signing-vectors.ts';

const Snapshots = z.object({
  keys: z.array(z.object({ name: z.string(), kid: z.string(), x: z.string(), seed: z.string() })),
  vectors: z.array(
    z.object({
      name: z.string(),
      received_at: z.string(),
      body: z.string(),
      expected: z.object({
        accepted: z.boolean().optional(),
        reason: z.string().optional(),
        status: z.number().optional(),
      }),
    }),
  ),
});

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../vectors/${name}`, import.meta.url), 'utf8'));

describe('site: the vectors that are shown', () => {
  const { keys, vectors } = Snapshots.parse(read('snapshots.json'));

  for (const { name, body, verdict } of SIGNING_VECTORS) {
    it(`has "${name}" as the tests have it`, () => {
      const { expected, ...vector } = vectors.find((candidate) => candidate.name === name)!;
      expect(body).to.equal(vector.body);
      expect(vector.received_at).to.equal(VECTORS_RECEIVED_AT);
      if (expected.status === 400) expect(verdict).to.equal('refused as a request (400)');
      else expect(verdict).to.equal(expected.accepted === true ? 'accepted' : expected.reason);
    });
  }

  it('has the key and its proof as the tests have them', () => {
    const { seed, x, kid } = keys.find(({ name }) => name === 'own')!;
    expect(VECTOR_KEY).to.deep.equal({ seed, x, kid });
    const [proof] = z.array(z.object({ proof: z.string(), accepted: z.boolean() })).parse(read('device-proofs.json'));
    expect(proof).to.deep.include({ proof: VECTOR_PROOF, accepted: true });
  });
});
