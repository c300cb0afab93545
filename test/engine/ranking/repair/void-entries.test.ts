import { expect } from 'chai';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { namedDeviceKey, signSnapshot } from '../../../support/signing.ts';
import { openRepairField, type RepairField } from './repair-field.ts';

const HOUR_MS = 3_600_000;

describe('snapshots that are taken out', function () {
  this.timeout(60_000);
  const thief = namedDeviceKey('a key that was stolen');
  let field: RepairField;

  beforeEach(async () => {
    field = await openRepairField(12, 20, 5);
    const { operator } = field.owners[0]!;
    field.keys.set(thief.kid, { kid: thief.kid, operator, publicKey: thief.x, revokedAt: null });
  });

  afterEach(() => field.world.close());

  /** An entry of the first operator, signed with the stolen key, received now. */
  function forged(jti: string, output: number): LogEntry {
    const { operator, codename } = field.owners[0]!;
    const payload = { codename, input: 1, output, cache_read: output, cache_write: 0 };
    const signature = signSnapshot(thief, payload, { jti, iat: Math.floor(field.world.now / 1_000) });
    return { operator, jti, receivedAt: field.world.now, payload, signature };
  }

  async function submit(...entries: readonly LogEntry[]): Promise<string> {
    const group = await field.submit(entries);
    await field.publish();
    return group;
  }

  it('by a stolen key since a moment restore the operator’s true totals and place', async () => {
    const { operator } = field.owners[0]!;
    await submit(forged('before-the-theft', 3));
    const since = (field.world.now += HOUR_MS);
    await field.publish();
    const honest = await field.answers();
    await submit(forged('stolen-1', 1e9));
    field.world.now += HOUR_MS;
    await submit(forged('stolen-2', 1e12), field.world.entry(field.owners[1]!.operator, { output: 0 }));
    expect(await field.answers()).to.not.deep.equal(honest);
    field.world.now = since;

    const voided = await field.ranking.repair.void(operator, { kid: thief.kid, since });
    expect(voided).to.deep.include({ kind: 'voided', entries: 2 });
    await field.publish();
    expect(await field.answers()).to.deep.equal(honest);
    expect(await field.ranking.repair.verify()).to.deep.equal([]);

    const verdict = await field.ranking.log.findVerdict(operator, 'stolen-1');
    expect(verdict?.verdict).to.deep.include({ accepted: false, reason: 'entry_voided' });
    const earlier = await field.ranking.log.findVerdict(operator, 'before-the-theft');
    expect(earlier?.verdict).to.deep.include({ accepted: true });
    expect(await field.ranking.repair.void(operator, { kid: thief.kid, since })).to.deep.include({ entries: 2 });
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
  });

  it('one by one, and others of their group stay', async () => {
    const { operator } = field.owners[0]!;
    const honest = await field.answers();
    await submit(forged('a-mistake', 1e9));
    expect(await field.ranking.repair.void(operator, { jti: 'a-mistake' })).to.deep.include({ entries: 1 });
    await field.publish();
    expect(await field.answers()).to.deep.equal(honest);
    expect(await field.ranking.repair.void(operator, { jti: 'never-sent' })).to.deep.equal({ kind: 'none' });
  });

  it('wait until they are judged', async () => {
    const { operator } = field.owners[0]!;
    const entry = forged('under-way', 7);
    const [outcome] = await field.ranking.log.append([entry]);
    const group = outcome?.kind === 'stored' ? outcome.group : '';
    const undecided = { kind: 'undecided', group, jti: 'under-way' };
    expect(await field.ranking.repair.void(operator, { jti: 'under-way' })).to.deep.equal(undecided);
    await field.ranking.judgeGroup(group, [entry]);
    expect(await field.ranking.repair.void(operator, { jti: 'under-way' })).to.deep.include({ kind: 'voided' });
  });

  it('leave a fold that comes meanwhile, and what other processes remember is not believed', async () => {
    const { operator } = field.owners[0]!;
    await submit(forged('stolen', 1e9));
    const other = field.world.another({ deviceKeys: async () => field.keys });
    const [first, second] = [
      field.world.entry(operator, { input: 4, output: 5 }),
      field.world.entry(operator, { output: 77 }),
    ];
    const judge = async (entry: LogEntry): Promise<void> => {
      const [outcome] = await other.log.append([entry]);
      if (outcome?.kind === 'stored') await other.judgeGroup(outcome.group, [entry]);
    };
    const outputOf = async ({ jti }: LogEntry): Promise<number> =>
      (await field.ranking.log.findVerdict(operator, jti))?.totals?.output ?? 0;
    await judge(first);
    const before = await outputOf(first);
    await Promise.all([field.ranking.repair.void(operator, { jti: 'stolen' }), judge(second)]);
    await field.publish();
    expect(await field.ranking.repair.verify()).to.deep.equal([]);
    expect(await outputOf(second)).to.equal(before + 77 - 5);
  });
});
