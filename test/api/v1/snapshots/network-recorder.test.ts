import { expect } from 'chai';
import { createNetworkRecorder } from '../../../../api/v1/snapshots/network-recorder.ts';
import { parseTrustedProxy } from '../../../../config/trusted-proxy.ts';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { NetworkSighting } from '../../../../engine/ranking/index.ts';
import { openTestApi, type TestOperator } from '../../../support/test-api.ts';

const PROXIES = ['192.0.2.10', '2001:db8:0:1::5', '198.51.100.0/24'].map((proxy) => parseTrustedProxy(proxy)!);

describe('the networks of operators', () => {
  let now: number;
  let recorded: NetworkSighting[];
  let isFailing: boolean;
  let recorder: ReturnType<typeof createNetworkRecorder>;

  beforeEach(() => {
    now = 20_000 * DAY_MS;
    recorded = [];
    isFailing = false;
    recorder = createNetworkRecorder({
      clock: () => now,
      config: { trustedProxies: PROXIES },
      log: { warn: () => undefined },
      ranking: {
        operators: {
          async recordNetworks(seen) {
            if (isFailing) throw new Error('the store is away');
            recorded.push(...seen);
          },
        },
      },
    });
  });

  /** What is recorded of these clients. */
  async function recordedOf(...clients: string[]): Promise<string[]> {
    for (const [operator, client] of clients.entries()) recorder.seen(operator, client);
    await recorder.drain();
    return recorded.map(({ client }) => client);
  }

  it('are neither loopback, private or shared addresses, nor trusted proxies', async () => {
    const none =
      '127.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.1.1 100.64.0.1 100.127.255.255 0.0.0.0 ' +
      '198.18.0.1 224.0.0.1 255.255.255.255 unknown 0:0:0:0/64 fe80:0:0:0/64 fd00:1:2:3/64 ff02:0:0:0/64 ' +
      '64:ff9b:0:0/64 192.0.2.10 2001:db8:0:1/64 198.51.100.200';
    expect(await recordedOf(...none.split(' '))).to.deep.equal([]);
  });

  it('are all other addresses, of IPv6 the /64', async () => {
    const networks = ['192.0.2.11', '172.32.0.1', '100.128.0.1', '8.8.8.8', '2001:db8:0:2/64', '2a00:1450:0:0/64'];
    expect(await recordedOf(...networks)).to.deep.equal(networks);
  });

  it('are recorded once a day, and at most eight of an operator', async () => {
    for (let round = 0; round < 2; round++) {
      for (let host = 1; host <= 10; host++) recorder.seen(7, `192.0.2.${100 + host}`);
      recorder.seen(8, '192.0.2.101');
      await recorder.drain();
    }
    expect(recorded).to.have.length(9);
    now += DAY_MS;
    recorder.seen(7, '192.0.2.101');
    await recorder.drain();
    expect(recorded).to.have.length(10);
  });

  it('are recorded with the next submission after a failure', async () => {
    isFailing = true;
    expect(await recordedOf('192.0.2.11')).to.deep.equal([]);
    isFailing = false;
    expect(await recordedOf('192.0.2.11')).to.deep.equal(['192.0.2.11']);
  });

  it('lead to a note on the rows of flagged operators who share one, through a trusted proxy', async () => {
    const settings = { trustedProxies: [parseTrustedProxy('127.0.0.1')!] };
    await using test = await openTestApi({ settings, methodology: 3 });
    /** More output for each input than almost all usage of the platform has, and not impossible. */
    const UNUSUAL = { input: 200_000, output: 1_000_000, cache_read: 1_000_000, cache_write: 0, platform: 'codex' };
    async function submit(operator: TestOperator, client: string, output = UNUSUAL.output): Promise<void> {
      const snapshot = test.snapshot(operator, { ...UNUSUAL, output });
      const answer = await test.post('/api/v1/snapshots', operator.token, snapshot, { 'x-forwarded-for': client });
      expect(answer.json).to.deep.include({ accepted: true });
    }
    async function maintain(): Promise<void> {
      test.now += 3 * MINUTE_MS;
      await test.ranking.reconcileLog(async () => undefined);
      await test.ranking.maintainIntegrity(async () => undefined);
      await test.publish();
    }
    const names = ['first-row', 'second-row', 'neighbour-row', 'loopback-row'];
    const [first, second, neighbour, loopback] = await Promise.all(names.map((name) => test.operator(name)));
    await maintain();
    for (const operator of [first!, second!]) await submit(operator, '203.0.113.5');
    await submit(neighbour!, '203.0.113.6');
    await submit(loopback!, '127.0.0.1');
    const sightings = test.connection.collection('network_sightings');
    expect(await sightings.countDocuments(), 'before the flush').to.equal(0);
    await test.api.ctx.networks.drain();
    expect(await sightings.countDocuments(), 'after the flush').to.equal(3);
    await maintain();
    const noted = async (): Promise<string[]> => {
      const rows = await Promise.all(names.map((name) => test.get(`/api/v1/operators/${name}`)));
      return names.filter((_, index) => Object(rows[index]?.json?.['integrity']).flags.includes('shared-network'));
    };
    expect(await noted()).to.deep.equal(['first-row', 'second-row']);
    const honest = await test.operator('honest-row');
    await submit(honest, '203.0.113.5', 80_000);
    await test.api.ctx.networks.drain();
    await maintain();
    expect(await noted()).to.deep.equal([]);
  });
});
