import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { countsOf } from '../../../../engine/ranking/read/window-scores.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { appendBatch, submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { namedDeviceKey, signSnapshot } from '../../../support/signing.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';
import { openRepairFixture } from './repair-fixture.ts';

describe('voided snapshots', () => {
  const thief = namedDeviceKey('a key that was stolen');
  const fixture = useFreshFixture(() => openRepairFixture(6, 10, 5));

  beforeEach(async () => {
    const { operator } = fixture().owners[0]!;
    fixture().keys.set(thief.kid, { kid: thief.kid, operator, publicKey: thief.x, revokedAt: null });
  });

  /** An entry of the first operator, signed with the stolen key and received now. */
  function forged(jti: string, output: number): LogEntry {
    const { operator, codename } = fixture().owners[0]!;
    const payload = { codename, input: 1, output, cache_read: output, cache_write: 0 };
    const signature = signSnapshot(thief, payload, { jti, iat: Math.floor(fixture().world.now / 1_000) });
    return { operator, jti, receivedAt: fixture().world.now, payload, signature };
  }

  async function submit(...entries: readonly LogEntry[]): Promise<string> {
    const batch = await fixture().submit(entries);
    await fixture().publish();
    return batch;
  }

  it('by a stolen key since a time no longer affect the operator’s totals and rank', async () => {
    const { operator } = fixture().owners[0]!;
    await submit(forged('before-the-theft', 3));
    const since = (fixture().world.now += HOUR_MS);
    await fixture().publish();
    const honest = await fixture().answers();
    await submit(forged('stolen-1', 1e9));
    fixture().world.now += HOUR_MS;
    await submit(forged('stolen-2', 1e12), fixture().world.entry(fixture().owners[1]!.operator, { output: 0 }));
    expect(await fixture().answers()).to.not.deep.equal(honest);
    fixture().world.now = since;

    const voided = await fixture().ranking.repair.void(operator, { kid: thief.kid, since });
    expect(voided).to.deep.include({ kind: 'voided', entries: 2 });
    await fixture().publish();
    expect(await fixture().answers()).to.deep.equal(honest);
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);

    const verdict = await fixture().ranking.log.findVerdict(operator, 'stolen-1');
    expect(verdict?.verdict).to.deep.include({ accepted: false, reason: 'entry_voided' });
    const earlier = await fixture().ranking.log.findVerdict(operator, 'before-the-theft');
    expect(earlier?.verdict).to.deep.include({ accepted: true });
    expect(await fixture().ranking.repair.void(operator, { kid: thief.kid, since })).to.deep.include({ entries: 2 });
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
  });

  it('take the days that they witnessed back', async () => {
    const { operator } = fixture().owners[0]!;
    const operators = fixture().world.connection.collection<{ _id: number; witnessed: number[] }>('operators');
    const witnessed = async () => (await operators.findOne({ _id: operator }))!.witnessed;
    const since = (fixture().world.now += 3 * DAY_MS);
    await fixture().publish();
    const [recent = 0, ever = 0] = await witnessed();
    await submit(forged('stolen-day', 1e6));
    expect(await witnessed()).to.deep.equal([recent + 1, ever + 1]);
    await fixture().ranking.repair.void(operator, { kid: thief.kid, since });
    expect(await witnessed()).to.deep.equal([recent, ever]);
  });

  it('are voided one by one, and others of their batch stay', async () => {
    const { operator } = fixture().owners[0]!;
    const honest = await fixture().answers();
    await submit(forged('a-mistake', 1e9));
    expect(await fixture().ranking.repair.void(operator, { jti: 'a-mistake' })).to.deep.include({ entries: 1 });
    await fixture().publish();
    expect(await fixture().answers()).to.deep.equal(honest);
    expect(await fixture().ranking.repair.void(operator, { jti: 'never-sent' })).to.deep.equal({ kind: 'none' });
  });

  it('are refused until they have a verdict', async () => {
    const { operator } = fixture().owners[0]!;
    const entry = forged('under-way', 7);
    const batch = await appendBatch(fixture().ranking, [entry]);
    const undecided = { kind: 'undecided', batch, jti: 'under-way' };
    expect(await fixture().ranking.repair.void(operator, { jti: 'under-way' })).to.deep.equal(undecided);
    await fixture().ranking.processBatch(batch, [entry]);
    expect(await fixture().ranking.repair.void(operator, { jti: 'under-way' })).to.deep.include({ kind: 'voided' });
  });

  it('keep concurrently applied batches, whatever other processes have cached', async () => {
    const { operator } = fixture().owners[0]!;
    await submit(forged('stolen', 1e9));
    const other = fixture().world.another({ deviceKeys: async () => fixture().keys });
    const [first, second] = [
      fixture().world.entry(operator, { input: 4, output: 5 }),
      fixture().world.entry(operator, { output: 77 }),
    ];
    const process = async (entry: LogEntry): Promise<void> => {
      const [outcome] = await other.log.append([entry]);
      if (outcome?.kind === 'stored') await other.processBatch(outcome.batch, [entry]);
    };
    const outputOf = async ({ jti }: LogEntry): Promise<number> =>
      (await fixture().ranking.log.findVerdict(operator, jti))?.totals?.output ?? 0;
    await process(first);
    const before = await outputOf(first);
    await Promise.all([fixture().ranking.repair.void(operator, { jti: 'stolen' }), process(second)]);
    await fixture().publish();
    expect(await fixture().ranking.repair.verify()).to.deep.equal([]);
    expect(await outputOf(second)).to.equal(before + 77 - 5);
  });
});

describe('snapshots of one key', () => {
  const world = useFreshFixture(openRankingWorld);

  it('are taken out each once, also when they are more than one command reads', async () => {
    const operator = await world().enrol('many-snapshots');
    const entries = Array.from({ length: 1_001 }, (_, at) => world().entry(operator, { output: at + 1 }));
    await submitBatch(world().ranking, entries);
    const { kid } = namedDeviceKey('many-snapshots');
    const voided = await world().ranking.repair.void(operator, { kid, since: world().now });
    expect(voided).to.deep.include({ kind: 'voided', entries: 1_001 });
    const [summary] = await openStores(world().connection).operators.summaries([operator]);
    expect(countsOf(summary!.totals, 0).output).to.equal(0);
  });
});
