import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { createDeviceStore, type DeviceStore } from '../../engine/accounts/mongo/device-store.ts';
import { openModels } from '../../engine/accounts/mongo/models.ts';
import { runService } from '../support/running-service.ts';
import { makeDeviceKey, makeDeviceProof } from '../support/signing.ts';
import { useFixture } from '../support/use-fixture.ts';
import type { SnapshotVector, SnapshotVectors, VectorKey } from '../vectors/vector-types.ts';

const OWNER = 'sample-fox';
const OPERATORS = ['', 'other-1', 'other-2', 'other-3', 'other-4', 'other-5', 'other-6', OWNER, 'sample-owl'];
const ANSWER = z.record(z.string(), z.unknown());
const FIRST_DAY = Date.UTC(2026, 0, 10);

describe('the signature vectors, sent to the running service', () => {
  const service = useFixture(() => runService({ now: FIRST_DAY }));
  const tokens = new Map<number, string>();
  const vectors = useFixture<SnapshotVectors>(async () =>
    JSON.parse(await readFile(new URL('../vectors/snapshots.json', import.meta.url), 'utf8')),
  );
  let devices: DeviceStore;

  before(async () => {
    for (const codename of OPERATORS.slice(1)) await service().operator(codename);
    devices = createDeviceStore(openModels(service().connection));
    for (const key of vectors().keys) await enrol(key);
    const first = Date.parse(vectors().vectors[0]!.received_at);
    service().now = first;
    for (const number of new Set(vectors().vectors.map(({ operator }) => operator))) {
      tokens.set(number, await tokenOf(number));
    }
  });

  async function tokenOf(operator: number): Promise<string> {
    const account = await service().accounts.byOperator(operator);
    const origin = new URL(service().baseUrl).origin;
    return service().accounts.signingKeys.mintAccessToken({
      subject: account!.subject,
      scope: 'openid profile email',
      issuer: origin,
      audience: service().baseUrl,
      lifetimeSeconds: 3_600,
    });
  }

  async function enrol({ seed, operator, revoked_at }: VectorKey): Promise<void> {
    const key = makeDeviceKey(Buffer.from(seed, 'hex'));
    const codename = OPERATORS[operator]!;
    service().now = FIRST_DAY;
    const proof = makeDeviceProof(key, { codename, iat: FIRST_DAY / 1_000 });
    const outcome = await service().accounts.devices.enrol({ operator, codename, jwk: key.jwk, proof });
    expect(outcome, 'a published key').to.include({ kind: 'refused', code: 'key_invalid' });
    const createdAt = new Date(FIRST_DAY);
    await devices.insert({ kid: key.kid, operator, publicKey: key.x, name: null, createdAt });
    if (revoked_at === null) return;
    service().now = Date.parse(revoked_at);
    await service().accounts.devices.revoke(operator, key.kid);
  }

  async function post(vector: SnapshotVector): Promise<{ status: number; json: Record<string, unknown> }> {
    service().now = Date.parse(vector.received_at);
    const response = await fetch(`${service().baseUrl}/snapshots`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.get(vector.operator)}`, 'content-type': 'application/json' },
      body: vector.body,
    });
    return { status: response.status, json: ANSWER.parse(await response.json()) };
  }

  it('each has its expected outcome, and none is a 500', async () => {
    const met = new Map<string, number>();
    for (const vector of vectors().vectors) {
      const { status, json } = await post(vector);
      const outcome = describeOutcome(status, json);
      met.set(outcome, (met.get(outcome) ?? 0) + 1);
      expect(outcome, vector.name).to.be.oneOf(allowedOutcomes(vector));
    }
    expect([...met.keys()]).to.include.members([
      'accepted',
      'signature_invalid',
      'key_unknown',
      'key_revoked',
      'key_foreign',
    ]);
  });
});

function describeOutcome(status: number, json: Record<string, unknown>): string {
  if (status !== 200) return `${status}`;
  expect(json['verdict'], JSON.stringify(json)).to.equal('final');
  return json['accepted'] === true ? 'accepted' : String(json['reason']);
}

/** Refusals of request validation (400), including a codename that is not the token's, which precede verification. */
function allowedOutcomes({ expected, body }: SnapshotVector): string[] {
  if ('status' in expected) return ['400'];
  // The engine verifies fractions that were logged before the API refused them.
  const { input, output, cache_read, cache_write } = JSON.parse(body);
  if (![input, output, cache_read, cache_write].every(Number.isInteger)) return ['400'];
  if (String(JSON.parse(body).codename).toLowerCase() !== OWNER) return ['400'];
  if (expected.accepted) return ['accepted'];
  return expected.reason === 'header_invalid' ? ['header_invalid', '400'] : [expected.reason];
}
