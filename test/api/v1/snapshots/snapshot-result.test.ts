import { expect } from 'chai';
import { awaitRepeatedResult, finalResult, findResult } from '../../../../api/v1/snapshots/snapshot-result.ts';
import { createVerdictWaits } from '../../../../api/v1/snapshots/verdict-waits.ts';
import { committerOf } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const WAIT_MS = 10_000;

const config = { baseUrl: 'http://localhost' };

describe('the result of a snapshot', () => {
  it('has no rank without the totals of its operator', async () => {
    const verdict = { operator: 1, jti: 'erased-since', accepted: true, changed: true } as const;
    const board = {
      rankOfTotals: () => {
        throw new Error('there are no totals');
      },
    };
    const result = await finalResult(
      { board },
      { codename: 'erased-one', hidden: false, ...verdict },
      { verdict, totals: null },
    );
    expect(result).to.include({ accepted: true, rank: null, verdict: 'final' });
  });
});

describe('the result of a repeated snapshot', () => {
  const world = useFixture(openRankingWorld);

  async function append(operator: number, counts: { input: number; output: number; cache_read: number }) {
    const entry = world().entry(operator, counts);
    const [stored] = await world().ranking.log.append([entry]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    return { entry, batch: stored.batch };
  }

  it('is its first verdict, without waiting', async () => {
    const operator = await world().enrol('patient-sender');
    const { entry, batch } = await append(operator, { input: 10, output: 20, cache_read: 30 });
    await world().ranking.processBatch(batch, [entry]);
    const board = await world().ranking.openBoardReader(() => undefined);
    const waited: string[] = [];
    const waits = createVerdictWaits(
      async (name) => {
        waited.push(name);
        return null;
      },
      () => undefined,
    );
    const ctx = { config, board, ranking: world().ranking, verdicts: waits };
    const snapshot = { operator, codename: 'patient-sender', hidden: false, jti: entry.jti };
    const result = await awaitRepeatedResult(ctx, snapshot, batch, WAIT_MS);
    expect(result).to.include({ verdict: 'final', accepted: true, changed: true });
    expect(waited).to.deep.equal([]);
    await board.close();
  });

  it('is found although its batch completed between the first lookup and the wait', async () => {
    const operator = await world().enrol('twice-sender');
    const { entry, batch } = await append(operator, { input: 10, output: 20, cache_read: 30 });
    const board = await world().ranking.openBoardReader(() => undefined);
    // The batch completes as the wait begins; a wait gets no earlier events.
    const waits = createVerdictWaits(
      async (name) => {
        await world().ranking.processBatch(name, [entry]);
        return null;
      },
      () => undefined,
    );
    const ctx = { config, board, ranking: world().ranking, verdicts: waits };
    const snapshot = { operator, codename: 'twice-sender', hidden: false, jti: entry.jti };
    const result = await awaitRepeatedResult(ctx, snapshot, batch, WAIT_MS);
    expect(result).to.include({ verdict: 'final', accepted: true, changed: true });
    waits.close();
    await board.close();
  });

  it("has the rank of its counts with the operator's former entry excluded", async () => {
    const operator = await world().enrol('falling-one');
    const committer = committerOf(world().ranking);
    const send = async (counts: Parameters<typeof append>[1]) => {
      const { entry, batch } = await append(operator, counts);
      await world().ranking.processBatch(batch, [entry]);
      return entry.jti;
    };
    await send({ input: 10, output: 5_000, cache_read: 5_000 });
    await committer.tick();
    await committer.close();
    const board = await world().ranking.openBoardReader(() => undefined);
    const jti = await send({ input: 1_000, output: 5_001, cache_read: 5_001 });
    const waits = createVerdictWaits(
      async () => null,
      () => undefined,
    );
    const ctx = { config, board, ranking: world().ranking, verdicts: waits };
    const ranked = board.view().topEntries.all_time.find(({ codename }) => codename === 'falling-one');
    expect(ranked).to.include({ rank: 1 });
    expect(await findResult(ctx, { operator, codename: 'falling-one', hidden: false, jti })).to.include({ rank: 1 });
    await board.close();
  });
});
