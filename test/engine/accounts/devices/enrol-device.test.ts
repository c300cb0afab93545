import { expect } from 'chai';
import { type EnrolmentOutcome, MAX_KEPT_DEVICES, MAX_LIVE_DEVICES } from '../../../../engine/accounts/index.ts';
import type { DeviceKeyLookup } from '../../../../engine/ranking/types.ts';
import { makeDeviceKey, makeDeviceProof, namedDeviceKey, type TestDeviceKey } from '../../../support/signing.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openAccounts, START } from '../open-accounts.ts';

const CODENAME = 'sample-fox';

function codeOf(outcome: EnrolmentOutcome): string {
  return outcome.kind === 'refused' ? outcome.code : outcome.kind;
}

describe('devices', () => {
  const under = useFreshFixture(openAccounts);

  function enrol(key: TestDeviceKey, operator = 1, name?: string): Promise<EnrolmentOutcome> {
    const proof = makeDeviceProof(key, { codename: CODENAME, iat: under().now / 1_000 });
    return under().accounts.devices.enrol({ operator, codename: CODENAME, jwk: key.jwk, name, proof });
  }

  it('are enrolled under the thumbprint of their key, and listed oldest first', async () => {
    const [first, second] = [makeDeviceKey(), makeDeviceKey()];
    const created_at = new Date(START).toISOString();
    expect(await enrol(first, 1, 'desk')).to.deep.equal({
      kind: 'enrolled',
      device: { kid: first.kid, name: 'desk', created_at, revoked_at: null },
    });
    under().now += 1_000;
    expect(codeOf(await enrol(second))).to.equal('enrolled');
    expect((await under().accounts.devices.list(1)).map(({ kid, name }) => [kid, name])).to.deep.equal([
      [first.kid, 'desk'],
      [second.kid, null],
    ]);
    expect(await under().accounts.devices.list(2)).to.deep.equal([]);
  });

  it('are enrolled once: the same key again returns the existing device', async () => {
    const key = makeDeviceKey();
    const outcomes = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => enrol(key, 1, `name ${index}`)));
    expect(outcomes.map(codeOf)).to.have.members(['enrolled', 'exists', 'exists', 'exists', 'exists', 'exists']);
    expect(await under().accounts.devices.list(1)).to.have.length(1);
  });

  it('belong to one operator permanently', async () => {
    const key = makeDeviceKey();
    const outcomes = await Promise.all([1, 2, 3, 4].map((operator) => enrol(key, operator)));
    expect(outcomes.map(codeOf).sort()).to.deep.equal(['enrolled', 'key_taken', 'key_taken', 'key_taken']);
    const owner = outcomes.findIndex(({ kind }) => kind === 'enrolled') + 1;
    await under().accounts.devices.revoke(owner, key.kid);
    expect(codeOf(await enrol(key, owner === 1 ? 2 : 1))).to.equal('key_taken');
    expect(codeOf(await enrol(key, owner))).to.equal('key_revoked');
  });

  it('are at most 20 live ones per operator, under 50 concurrent enrolments', async () => {
    const other = await under().another();
    const keys = Array.from({ length: 50 }, () => makeDeviceKey());
    const outcomes = await Promise.all(
      keys.map((key, index) => {
        const proof = makeDeviceProof(key, { codename: CODENAME, iat: under().now / 1_000 });
        const { devices } = index % 2 ? other : under().accounts;
        return devices.enrol({ operator: 1, codename: CODENAME, jwk: key.jwk, proof });
      }),
    );
    expect(outcomes.filter(({ kind }) => kind === 'enrolled')).to.have.length(MAX_LIVE_DEVICES);
    expect(outcomes.map(codeOf).filter((code) => code === 'device_limit')).to.have.length(30);
    expect(await under().accounts.devices.list(1)).to.have.length(MAX_LIVE_DEVICES);
    expect(codeOf(await enrol(makeDeviceKey(), 2))).to.equal('enrolled');
  });

  it('free their slot when they are revoked, under concurrent enrolments and revocations', async () => {
    const keys = Array.from({ length: MAX_LIVE_DEVICES }, () => makeDeviceKey());
    for (const key of keys) await enrol(key);
    expect(codeOf(await enrol(makeDeviceKey()))).to.equal('device_limit');
    const revocations = keys.slice(0, 5).map(({ kid }) => under().accounts.devices.revoke(1, kid));
    const meanwhile = await Promise.all(Array.from({ length: 10 }, () => enrol(makeDeviceKey())));
    await Promise.all(revocations);
    const made = meanwhile.filter(({ kind }) => kind === 'enrolled').length;
    const live = (await under().accounts.devices.list(1)).filter(({ revoked_at }) => revoked_at === null);
    expect(live).to.have.length(MAX_LIVE_DEVICES - 5 + made);
    expect(made).to.be.at.most(5);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => enrol(makeDeviceKey())));
    expect(outcomes.filter(({ kind }) => kind === 'enrolled')).to.have.length(MAX_LIVE_DEVICES - live.length);
  });

  it('are kept when revoked, up to a limit', async () => {
    const revoked = Array.from({ length: MAX_KEPT_DEVICES }, (_, index) => ({
      _id: `kept-${index}`,
      operator: 1,
      x: '',
      name: null,
      created_at: new Date(START),
      revoked_at: new Date(START),
    }));
    await under().connection.collection<{ _id: string }>('devices').insertMany(revoked);
    expect(codeOf(await enrol(makeDeviceKey()))).to.equal('device_limit');
    expect(codeOf(await enrol(makeDeviceKey(), 2))).to.equal('enrolled');
  });

  it('are revoked at once and permanently, by their operator', async () => {
    const key = makeDeviceKey();
    await enrol(key);
    expect(await under().accounts.devices.revoke(2, key.kid)).to.equal(false);
    expect(await under().accounts.devices.revoke(1, makeDeviceKey().kid)).to.equal(false);
    under().now = START + 5_000;
    expect(await under().accounts.devices.revoke(1, key.kid)).to.equal(true);
    under().now = START + 9_000;
    expect(await under().accounts.devices.revoke(1, key.kid)).to.equal(true);
    expect((await under().accounts.devices.list(1))[0]?.revoked_at).to.equal(new Date(START + 5_000).toISOString());
  });

  it('are renamed by their operator', async () => {
    const key = makeDeviceKey();
    await enrol(key, 1, 'desk');
    expect(await under().accounts.devices.rename(2, key.kid, 'stolen')).to.equal(false);
    expect(await under().accounts.devices.rename(1, key.kid, 'attic')).to.equal(true);
    expect((await under().accounts.devices.list(1))[0]?.name).to.equal('attic');
    expect(await under().accounts.devices.rename(1, key.kid, null)).to.equal(true);
    expect((await under().accounts.devices.list(1))[0]?.name).to.equal(null);
  });

  it('are found by verification in one query', async () => {
    const [own, foreign, revoked] = [makeDeviceKey(), makeDeviceKey(), makeDeviceKey()];
    await enrol(own);
    await enrol(foreign, 2);
    await enrol(revoked);
    await under().accounts.devices.revoke(1, revoked.kid);
    const lookup: DeviceKeyLookup = under().accounts.deviceKeys;
    const found = await lookup([own.kid, foreign.kid, revoked.kid, namedDeviceKey('never enrolled').kid]);
    expect([...found.values()]).to.have.deep.members([
      { kid: own.kid, operator: 1, publicKey: own.x, revokedAt: null },
      { kid: foreign.kid, operator: 2, publicKey: foreign.x, revokedAt: null },
      { kid: revoked.kid, operator: 1, publicKey: revoked.x, revokedAt: START },
    ]);
    expect((await lookup([])).size).to.equal(0);
  });
});
