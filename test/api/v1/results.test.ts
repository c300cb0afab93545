import { expect } from 'chai';
import type { Caller } from '../../../api/http/route.ts';
import { createResults } from '../../../api/v1/snapshots/results.ts';
import { createVerdictWaits } from '../../../api/v1/snapshots/verdict-waits.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

const WAIT_MS = 10_000;

describe('the result of a snapshot that was sent before', () => {
  let world: RankingWorld;

  before(async () => {
    world = await openRankingWorld();
  });

  after(() => world.close());

  it('is found although its group ended between the first look and the wait', async () => {
    const operator = await world.enrol('twice-sender');
    const entry = world.entry(operator, { input: 10, output: 20, cache_read: 30 });
    const [stored] = await world.ranking.log.append([entry]);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    const board = await world.ranking.openBoardReader(() => undefined);
    // The group is judged as the wait begins, which hears of nothing that ended before.
    const waits = createVerdictWaits(
      async (group) => {
        await world.ranking.judgeGroup(group, [entry]);
        return null;
      },
      () => undefined,
    );
    const results = createResults({ ports: { board, log: world.ranking.log }, baseUrl: 'http://localhost', waits });
    const caller: Caller = {
      subject: 'twice',
      operator,
      codename: 'twice-sender',
      plan: 'free',
      usesOfficialClient: true,
    };
    const result = await results.ofRepeated(
      caller,
      { codename: 'twice-sender', jti: entry.jti },
      stored.group,
      WAIT_MS,
    );
    expect(result).to.include({ verdict: 'final', accepted: true, changed: true });
    waits.close();
    await board.close();
  });
});
