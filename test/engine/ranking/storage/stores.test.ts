import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { verdictOf } from '../../../../engine/ranking/storage/verdicts.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const at = (moment: number): Date => new Date(moment);

const erasedHoldId = async (codename: string): Promise<string> => `erased ${codename}`;

describe('the stores of the engine', () => {
  const world = useFixture(openRankingWorld);
  const stores = useFixture(() => openStores(world().connection));

  it('write an operator state only over the revision it was computed from', async () => {
    const numbers = [await world().enrol('unmoved-one'), await world().enrol('moved-one')];
    const read = await stores().operators.operatorStates(numbers);
    const writes = numbers.map((operator, index) => ({
      operator,
      from: index === 0 ? read.get(operator)!.revision : 'a-former-revision',
      held: read.get(operator)!.operatorState,
      operatorState: { ...read.get(operator)!.operatorState, nextDue: 777 },
    }));
    const written = await stores().operators.writeStates(writes, null);
    const present = await stores().operators.operatorStates(numbers);
    expect([...written]).to.deep.equal([[numbers[0], present.get(numbers[0]!)!.revision]]);
    expect(present.get(numbers[0]!)!.operatorState.nextDue).to.equal(777);
    expect(present.get(numbers[1]!)).to.deep.equal(read.get(numbers[1]!));
  });

  it('write each operator its own state, also where only one of them changes a field', async () => {
    const numbers = [await world().enrol('own-one'), await world().enrol('own-two'), await world().enrol('own-three')];
    const read = await stores().operators.operatorStates(numbers);
    const platforms = ['$first', null, null, null];
    const next = numbers.map((operator, index) => {
      const { operatorState, revision: from } = read.get(operator)!;
      const totals = operatorState.totals.map((_, position) => index * 100 + position);
      return {
        operator,
        from,
        held: operatorState,
        operatorState: { ...operatorState, totals, ...(index === 1 && { platforms }) },
      };
    });
    const written = await stores().operators.writeStates(next.toReversed(), null);
    const present = await stores().operators.operatorStates(numbers);
    for (const { operator, operatorState } of next) {
      expect(present.get(operator)).to.deep.include({ operatorState, revision: written.get(operator) });
    }
  });

  it('give no number up to an erased one, also of an operator that is newer than the data', async () => {
    const last = await world().enrol('last-one');
    await world().ranking.operators.erase(last + 3);
    await world().ranking.operators.erase(last);
    expect(await stores().operators.reserve(2)).to.equal(last + 4);
    expect(await stores().operators.reserve(1)).to.equal(last + 6);
  });

  it('read no state of an erased operator', async () => {
    const operator = await world().enrol('erased-one');
    const [read] = (await stores().operators.operatorStates([operator])).keys();
    expect(read).to.equal(operator);
    await world().ranking.operators.erase(operator);
    expect((await stores().operators.operatorStates([operator])).size).to.equal(0);
    expect(await stores().operators.recordRevision(operator)).to.equal(null);
    expect((await stores().operators.recordRevisions([operator])).size).to.equal(0);
  });

  it('count the listed operators without suspended and erased ones', async () => {
    const suspended = await world().enrol('held-one');
    const erased = await world().enrol('gone-one');
    const before = await stores().operators.countListed();
    await world().ranking.operators.amend(suspended, { suspended: true });
    await world().ranking.operators.erase(erased);
    expect(await stores().operators.countListed()).to.equal(before - 2);
    await world().ranking.operators.amend(suspended, { suspended: false });
    expect(await stores().operators.countListed()).to.equal(before - 1);
  });

  it('return the suspended operators without erased ones', async () => {
    const [kept, erased] = [await world().enrol('suspended-one'), await world().enrol('suspended-and-erased')];
    for (const operator of [kept, erased]) await world().ranking.operators.amend(operator, { suspended: true });
    await world().ranking.operators.erase(erased);
    expect(await stores().operators.suspended()).to.deep.equal([kept]);
  });

  it('return the listed codenames on both sides of one', async () => {
    for (const codename of ['around-1', 'around-3', 'around-4', 'around-5', 'around-7', 'around-8']) {
      const operator = await world().enrol(codename);
      if (codename === 'around-4') await world().ranking.operators.amend(operator, { listed: false });
    }
    const around = await stores().operators.codenamesAround('around-5', 2);
    expect(around.toSorted()).to.deep.equal(['around-1', 'around-3', 'around-5', 'around-7']);
  });

  it('correct the verdict of a poisoned entry once, and no other verdict', async () => {
    const { verdicts } = stores();
    const [first, second] = [
      { operator: 1, jti: 'final-refusal' },
      { operator: 1, jti: 'poisoned-entry' },
    ];
    const refusal = { ...first, accepted: false, reason: 'signature_invalid', detail: 'a' } as const;
    const poisoned = { ...second, accepted: false, reason: 'entry_poisoned', detail: 'b' } as const;
    await verdicts.record('a-batch', [refusal, poisoned], at(world().now));
    await verdicts.correct('a-batch', { ...first, accepted: true, changed: true });
    const corrected = { ...second, accepted: true, changed: true } as const;
    await verdicts.correct('a-batch', corrected);
    await verdicts.correct('a-batch', { ...poisoned, reason: 'key_revoked' });
    const stored = (await verdicts.ofBatches(['a-batch'])).get('a-batch')!;
    expect([first, second].map((entry) => verdictOf(stored, entry))).to.deep.equal([refusal, corrected]);
  });

  it('replace a rollup only by one that was made from it', async () => {
    const { rollups } = stores();
    const until = world().now;
    const rollup = (output: number) => {
      const counts = { input: 1, output, cache_read: 0, cache_write: 0 };
      return { until, facts: [{ ledger: 'a-ledger', platform: 'p', epoch: 0, hour: 1, counts }], older: [] };
    };
    expect(await rollups.replace(1, null, rollup(1))).to.equal(true);
    expect(await rollups.replace(1, null, rollup(2)), 'as the first one').to.equal(false);
    const first = await rollups.find(1);
    const checksum = first.kind === 'rollup' ? first.checksum : '';
    expect(await rollups.replace(1, checksum, rollup(3))).to.equal(true);
    expect(await rollups.replace(1, checksum, rollup(4)), 'over a newer one').to.equal(false);
    expect(await rollups.find(1)).to.deep.include({ kind: 'rollup', rollup: rollup(3) });
    await rollups.erase(1);
  });

  it('give a board commit no prepared write intent', async () => {
    await stores().dirtySets.remove(await stores().dirtySets.all(100));
    const held = await stores().dirtySets.prepare([1], world().now);
    await stores().dirtySets.add([2], world().now + 1);
    expect((await stores().dirtySets.oldest(10)).map(({ operators }) => operators)).to.deep.equal([[2]]);
    expect(await stores().dirtySets.anyPrepared()).to.equal(true);
    await stores().dirtySets.commit(held, world().now + 2);
    expect((await stores().dirtySets.oldest(10)).map(({ operators }) => operators)).to.deep.equal([[1], [2]]);
    expect(await stores().dirtySets.anyPrepared()).to.equal(false);
  });

  it('mark operators dirty again when their intent was committed as abandoned before their records were written', async () => {
    await stores().dirtySets.remove(await stores().dirtySets.all(100));
    const held = await stores().dirtySets.prepare([1], world().now);
    await stores().dirtySets.commitAbandoned(at(world().now + 1), at(world().now + MINUTE_MS));
    await stores().dirtySets.remove(await stores().dirtySets.oldest(10));
    await stores().dirtySets.commit(held, world().now + 2);
    expect((await stores().dirtySets.oldest(10)).map(({ operators }) => operators)).to.deep.equal([[1]]);
  });

  it('commit intents as abandoned that are too old, or from a clock that was set back since', async () => {
    await stores().dirtySets.remove(await stores().dirtySets.all(100));
    for (const [index, moment] of [0, MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS].entries()) {
      await stores().dirtySets.prepare([index], world().now + moment);
    }
    await stores().dirtySets.commitAbandoned(at(world().now + MINUTE_MS), at(world().now + 2 * MINUTE_MS));
    expect((await stores().dirtySets.oldest(10)).map(({ operators }) => operators)).to.deep.equal([[0], [3]]);
  });

  it('return the batches decided at or after a time', async () => {
    const decided = [0, 1, 2].map((passed) => ({
      batch: `batch-decided-${passed}`,
      moment: world().now + 1_000 + passed,
    }));
    for (const { batch, moment } of decided) await stores().verdicts.record(batch, [], at(moment));
    const since = await stores().verdicts.decidedSince(at(decided[1]!.moment));
    expect(since.toSorted()).to.deep.equal(['batch-decided-1', 'batch-decided-2']);
  });

  it('give a codename to another holder when its hold ends, and not before', async () => {
    const { codenameHolds } = openStores(world().connection, erasedHoldId);
    const take = (holder: string, now: number) => codenameHolds.take('held-one', holder, at(now), at(now + 1_000));
    expect(await take('one', 5_000)).to.equal(true);
    expect(await take('other', 5_999)).to.equal(false);
    expect(await take('other', 6_000)).to.equal(true);
    expect(await take('one', 6_999)).to.equal(false);
  });

  it('give a codename to all concurrent calls of one holder', async () => {
    const { codenameHolds } = openStores(world().connection, erasedHoldId);
    for (let name = 0; name < 5; name++) {
      const calls = Array.from({ length: 16 }, () => codenameHolds.take(`at-once-${name}`, 'one', at(0), at(1_000)));
      expect(await Promise.all(calls)).to.not.include(false);
    }
  });

  it('give a lease to one holder until it ends, and to another when its end is implausibly late', async () => {
    const acquire = (holder: string, from: number, until: number) =>
      stores().leases.acquire('a-lease', holder, at(from), at(until));
    expect(await acquire('one', 0, 5_000)).to.equal(true);
    expect(await acquire('other', 5_000, 10_000), 'until its end').to.equal(false);
    expect(await acquire('one', 4_000, 9_000), 'renewed').to.equal(true);
    await stores().leases.release('a-lease', 'other');
    expect(await acquire('other', 6_000, 11_000), 'released by another holder').to.equal(false);
    expect(await acquire('other', 9_001, 14_001), 'after its end').to.equal(true);
    expect(await acquire('one', 9_002, 14_002)).to.equal(false);
    await acquire('other', 9_003, 10 * MINUTE_MS);
    expect(await acquire('one', 9_004, 14_004), 'from a clock that was set back').to.equal(true);
  });

  it('remove, compact and follow the catch-up log by version', async () => {
    const { catchUpLog } = stores();
    for (const version of [5, 6, 7]) await catchUpLog.add(version, [version]);
    const seen = new Set<string>();
    expect(await catchUpLog.unseen(5, seen)).to.deep.equal(new Set([6, 7]));
    expect([...(await catchUpLog.unseen(5, seen))], 'seen before').to.deep.equal([]);
    expect(await catchUpLog.compact(6, 2), 'below the threshold').to.equal(false);
    expect(await catchUpLog.compact(6, 1)).to.equal(true);
    expect([...(await catchUpLog.unseen(6, new Set()))]).to.deep.equal([7]);
    expect(await catchUpLog.unseen(4, new Set())).to.deep.equal(new Set([5, 6, 7]));
    await catchUpLog.remove(6);
    expect([...(await catchUpLog.unseen(0, new Set()))]).to.deep.equal([7]);
  });
});
