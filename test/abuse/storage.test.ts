import { expect } from 'chai';
import { mongo } from 'mongoose';
import { RATE_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { DAY_MS } from '../../config/units.ts';
import { createAccounts } from '../../engine/accounts/index.ts';
import { MAX_COUNT } from '../../engine/contract/signing/index.ts';
import { TEST_SETTINGS } from '../support/api-context.ts';
import { eventually } from '../support/eventually.ts';
import { makeDeviceKey, makeDeviceProof, type TestDeviceKey } from '../support/signing.ts';
import { type Answered, openTestApi, type TestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

const SNAPSHOTS = '/api/v1/snapshots';

function submit(test: TestApi, sender: TestOperator, header: Record<string, unknown> = {}): Promise<Answered> {
  return test.post(SNAPSHOTS, sender.token, test.snapshot(sender, {}, header));
}

describe('an operator that sends snapshots all day', () => {
  const quota = 4;
  const rates = { ...TEST_SETTINGS.rates, snapshotsDay: { ...RATE_POLICIES.snapshotsDay, quota } };

  it('stores at most 500 MB in the 100 days of the log, also with the largest and refused ones', async () => {
    await using test = await openTestApi();
    const sender = await test.operator('long-codename-of-thirty-two-char');
    const most = { input: MAX_COUNT, output: MAX_COUNT, cache_read: MAX_COUNT, cache_write: MAX_COUNT };
    const header = { jti: 'j'.repeat(64), stream: 's'.repeat(64), cli: 'c'.repeat(32), pad: 'p'.repeat(463) };
    const body = test.snapshot(sender, { ...most, platform: 'p'.repeat(32) }, header);
    const { signature } = body;
    expect(signature.indexOf('.'), 'the longest header').to.be.within(1_020, 1_024);
    const forged = `${signature.slice(0, -10)}AAAAAAAAAA`;
    const { json } = await test.post(SNAPSHOTS, sender.token, { ...body, signature: forged });
    expect(json).to.include({ accepted: false, reason: 'signature_invalid' });
    const stored = await Promise.all(
      ['snapshots', 'verdicts'].map((name) => test.connection.collection(name).find().toArray()),
    );
    const [document, ...others] = stored.flat();
    expect(others).to.have.length(1);
    const inIndexes = [document!._id, document!['batch'], others[0]!._id].join('').length;
    const bytes = stored.flat().reduce((sum, each) => sum + mongo.BSON.calculateObjectSize(each), inIndexes);
    const { quota: daily, windowMs } = RATE_POLICIES.snapshotsDay;
    expect(windowMs).to.equal(DAY_MS);
    expect(daily * bytes * 100, `${bytes} bytes each`).to.be.below(500e6);
  });

  it('is refused beyond its quota until the next day, by the policy that refuses', async () => {
    await using test = await openTestApi({ settings: { rates } });
    const [sender, other] = [await test.operator('all-day'), await test.operator('now-and-then')];
    for (let sent = 0; sent < quota; sent++) {
      const { status, headers } = await submit(test, sender);
      expect(status).to.equal(200);
      expect(headers.get('ratelimit-policy')).to.match(/^"snapshots";/);
      test.now += 60_000;
    }
    const { status, headers, json } = await submit(test, sender);
    expect(status).to.equal(429);
    expect(json).to.include({ code: 'rate_limited' });
    const left = String(12 * 3_600 - quota * 60);
    expect(headers.get('ratelimit-policy')).to.equal(`"snapshots-day";q=${quota};w=86400`);
    expect(headers.get('ratelimit')).to.equal(`"snapshots-day";r=0;t=${left}`);
    expect(headers.get('retry-after')).to.equal(left);
    expect((await submit(test, other)).status).to.equal(200);
    expect(await test.connection.collection('snapshots').countDocuments()).to.equal(quota + 1);
    test.now += 12 * 3_600_000;
    const fresh = { ...sender, token: await test.token(sender.operator) };
    expect((await submit(test, fresh)).status).to.equal(200);
  });

  it('is refused by another process too, and by one that was started since', async () => {
    const redisPrefix = `storage-test-${Math.random().toString(36).slice(2)}`;
    await using first = await openTestApi({ settings: { rates, redisPrefix } });
    const sender = await first.operator('moves-about');
    for (let sent = 0; sent < quota; sent++) expect((await submit(first, sender)).status).to.equal(200);
    // Another process: nothing in its memory, the same number, the same counts in Redis.
    await using second = await openTestApi({ settings: { rates, redisPrefix } });
    const same = await second.operator('moves-about');
    expect(same.operator).to.equal(sender.operator);
    const statuses = new Set<number>();
    await eventually('a refusal by the other process', async () => {
      const { status } = await submit(second, same);
      statuses.add(status);
      return status === 429;
    });
    expect([...statuses].filter((status) => status !== 200)).to.deep.equal([429]);
  });
});

describe("snapshots under keys that are not the sender's", () => {
  const test = useFixture(() =>
    openTestApi({
      context: ({ metrics }) => ({
        metrics: {
          ...metrics,
          ingest: { ...metrics.ingest, processed: (...counted) => void processed.push(counted) },
        },
      }),
    }),
  );
  let senders = 0;
  const processed: (readonly [outcome: string, entries: number])[] = [];

  const logged = (): Promise<number> => test().connection.collection('snapshots').countDocuments();
  const sender = (): Promise<TestOperator> => test().operator(`key-user-${senders++}`);

  async function find({ token }: TestOperator, jti: string): Promise<Answered> {
    return test().get(`${SNAPSHOTS}/${jti}`, { authorization: `Bearer ${token}` });
  }

  /** Enrols a key through accounts of their own, as another process has them. */
  async function enrolElsewhere({ operator, codename }: TestOperator, key: TestDeviceKey): Promise<void> {
    const elsewhere = createAccounts({ connection: test().connection, clock: () => test().now });
    const proof = makeDeviceProof(key, { codename, iat: Math.floor(test().now / 1_000) });
    const { kind } = await elsewhere.devices.enrol({ operator, codename, jwk: key.jwk, proof });
    expect(kind).to.equal('enrolled');
  }

  it('are refused as before, counted, and not logged', async () => {
    const [one, two] = [await sender(), await sender()];
    const before = await logged();
    for (const [key, reason, jti] of [
      [makeDeviceKey(), 'key_unknown', 'unknown-key'],
      [two.key, 'key_foreign', 'foreign-key'],
    ] as const) {
      const { status, json, headers } = await test().post(
        SNAPSHOTS,
        one.token,
        test().snapshot({ ...one, key }, {}, { jti }),
        { prefer: 'wait=1' },
      );
      expect(status).to.equal(200);
      expect(json).to.include({ accepted: false, codename: one.codename, rank: null, verdict: 'final', jti, reason });
      expect(json?.['detail']).to.match(/key/);
      expect(headers.get('preference-applied')).to.equal('wait=1');
      expect((await find(one, jti)).status).to.equal(404);
    }
    expect(await logged()).to.equal(before);
    expect(processed).to.deep.equal([
      ['key_unknown', 1],
      ['key_foreign', 1],
    ]);
  });

  it('may be sent again under the same jti once the key is enrolled, in any process', async () => {
    const one = await sender();
    const moved = { ...one, key: makeDeviceKey() };
    const header = { jti: 'comes-again' };
    expect((await submit(test(), moved, header)).json).to.include({ reason: 'key_unknown' });
    await enrolElsewhere(one, moved.key);
    expect((await submit(test(), moved, header)).json).to.include({ accepted: true, verdict: 'final' });
    expect((await find(one, 'comes-again')).json).to.include({ accepted: true });
  });

  it('are taken from the next owner once an erasure has freed the key', async () => {
    const [one, two] = [await sender(), await sender()];
    expect((await submit(test(), one)).json).to.include({ accepted: true });
    await test().connection.collection('devices').deleteMany({ operator: one.operator });
    await enrolElsewhere(two, one.key);
    expect((await submit(test(), { ...two, key: one.key })).json).to.include({ accepted: true });
    expect((await submit(test(), one)).json).to.include({ reason: 'key_foreign' });
  });

  it('are verified by a worker when the key was only revoked', async () => {
    const one = await sender();
    await test().accounts.devices.revoke(one.operator, one.key.kid);
    test().now += 1_000;
    expect((await submit(test(), one, { jti: 'revoked-key' })).json).to.include({ reason: 'key_revoked' });
    expect((await find(one, 'revoked-key')).json).to.include({ accepted: false, reason: 'key_revoked' });
  });
});
