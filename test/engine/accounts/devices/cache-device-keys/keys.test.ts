import { expect } from 'chai';
import { MINUTE_MS } from '../../../../../config/units.ts';
import { createAccounts } from '../../../../../engine/accounts/index.ts';
import { makeDeviceKey, makeDeviceProof, type TestDeviceKey } from '../../../../support/signing.ts';
import { useFreshFixture } from '../../../../support/use-fixture.ts';
import { openAccounts } from '../../open-accounts.ts';

const CODENAME = 'sample-fox';

describe('cached device keys', () => {
  const under = useFreshFixture(openAccounts);
  const worker = useFreshFixture(() => under().another());

  async function enrol(key: TestDeviceKey, operator: number): Promise<void> {
    const proof = makeDeviceProof(key, { codename: CODENAME, iat: under().now / 1_000 });
    const { kind } = await under().accounts.devices.enrol({ operator, codename: CODENAME, jwk: key.jwk, proof });
    expect(kind).to.equal('enrolled');
  }

  it('are revoked as soon as another process has revoked them', async () => {
    const key = makeDeviceKey();
    await enrol(key, 1);
    expect((await worker().deviceKeys([key.kid])).get(key.kid)?.revokedAt).to.equal(null);
    under().now += 3_600_000;
    expect((await worker().deviceKeys([key.kid])).get(key.kid)?.revokedAt).to.equal(null);
    await under().accounts.devices.revoke(1, key.kid);
    expect((await worker().deviceKeys([key.kid])).get(key.kid)?.revokedAt).to.equal(under().now);
  });

  it('are revoked by a process whose clock is minutes late', async () => {
    const ahead = createAccounts({ connection: under().connection, clock: () => under().now + 10 * MINUTE_MS });
    const key = makeDeviceKey();
    await enrol(key, 1);
    await ahead.deviceKeys([key.kid]);
    await under().accounts.devices.revoke(1, key.kid);
    expect((await ahead.deviceKeys([key.kid])).get(key.kid)?.revokedAt).to.equal(under().now);
  });

  it('are found as soon as they are enrolled, after an earlier lookup that found nothing', async () => {
    const key = makeDeviceKey();
    expect((await worker().deviceKeys([key.kid])).size).to.equal(0);
    await enrol(key, 1);
    expect((await worker().deviceKeys([key.kid])).get(key.kid)?.operator).to.equal(1);
  });

  it('are read from the store on a fresh lookup, because a key may get another owner after an erasure', async () => {
    const key = makeDeviceKey();
    await enrol(key, 1);
    await worker().deviceKeys([key.kid]);
    await under().connection.collection('devices').deleteMany({ operator: 1 });
    await enrol(key, 2);
    expect((await worker().deviceKeys([key.kid], true)).get(key.kid)?.operator).to.equal(2);
    expect((await worker().deviceKeys([key.kid])).get(key.kid)?.operator).to.equal(2);
  });
});
