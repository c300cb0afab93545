import { expect } from 'chai';
import { openBlockingRedis } from '../../../ops/runtime/stores/index.ts';
import { eventually } from '../../support/eventually.ts';
import { runService } from '../../support/running-service.ts';
import { makeDeviceProof, namedDeviceKey, signSnapshot } from '../../support/signing.ts';
import { useFixture } from '../../support/use-fixture.ts';

const CODENAME = 'refilled-one';

describe('an emptied queue', () => {
  const service = useFixture(runService);
  let operator: number;

  before(async () => {
    ({ operator } = await service().operator(CODENAME));
    const { jwk } = namedDeviceKey(CODENAME);
    const iat = Math.floor(service().now / 1_000);
    const proof = makeDeviceProof(namedDeviceKey(CODENAME), { codename: CODENAME, iat });
    await service().accounts.devices.enrol({ operator, codename: CODENAME, jwk, proof });
  });

  /** A snapshot in the log and in no queue, as after Redis lost all data. */
  async function logUnqueued(jti: string): Promise<void> {
    const payload = { codename: CODENAME, input: 10, output: 20, cache_read: 30, cache_write: 0 };
    const signature = signSnapshot(namedDeviceKey(CODENAME), payload, { jti, iat: Math.floor(service().now / 1_000) });
    const [stored] = await service().ranking.log.append([
      { operator, jti, receivedAt: service().now, payload, signature },
    ]);
    if (stored?.kind !== 'stored') throw new Error(`the log returned ${stored?.kind}`);
  }

  function verdictOf(jti: string): Promise<unknown> {
    service().now += 1_000;
    return service()
      .ranking.log.findVerdict(operator, jti)
      .then((logged) => logged?.verdict);
  }

  it('is refilled from the log, also when the schedules were lost', async () => {
    await logUnqueued('lost-before');
    expect(await eventually('a verdict', () => verdictOf('lost-before'))).to.include({ accepted: true });

    const redis = openBlockingRedis(service().database.redisUrl, () => undefined);
    const keys = await redis.keys(`*${service().database.prefix}*`);
    expect(keys.length).to.be.greaterThan(0);
    await redis.del(...keys);
    redis.disconnect();
    await logUnqueued('lost-with-all');
    expect(await eventually('a verdict', () => verdictOf('lost-with-all'))).to.include({ accepted: true });
  });
});
