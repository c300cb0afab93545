import { expect } from 'chai';
import { HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import type { Platform } from '../../../../engine/contract/platforms.ts';
import { runsOf } from '../../../support/long-run.ts';
import { naiveRank } from '../../../support/naive-board.ts';
import { OTHER_METHODOLOGY, useOtherBounds } from '../../../support/other-bounds.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../../support/seeded-random.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { openPlatformWorld, type PlatformWorld, USED } from './platform-world.ts';

const OPERATORS = runsOf(24, 60);
const RUNS = runsOf(1, 6);
const ROUNDS = runsOf(8, 2);
const STEPS_A_ROUND = runsOf(20, 40);
const RANKED = USED.filter((platform): platform is Platform => platform !== 'other');

describe('boards of platforms', () => {
  useOtherBounds();
  const seed = runSeed();
  let random: SeededRandom;
  let platforms: PlatformWorld;
  let renamed = 0;
  let rounds = 0;
  const states = new Set<unknown>();

  before(async () => {
    random = seededRandom(seed);
    platforms = await openPlatformWorld();
  });

  after(() => platforms.close());

  async function submitSome(operator: number): Promise<void> {
    const { world } = platforms;
    const age = random.pick([0, 0, 0, 30, 200, 900, 2_100]) * HOUR_MS;
    // Few different counts: ties everywhere. Totals are cumulative by maximum.
    const small = (): number => random.integer(1, random.pick([3, 3, 40]));
    const output = small() * random.pick([1, 1_000, 200_000]);
    const usage = { input: small() * 100, output, cache_read: small() * 100, cache_write: small() };
    const header = {
      as_of: Math.floor((world.now - age) / 1_000),
      stream: random.pick(['ledger-one', 'ledger-two']),
      epoch: random.pick([0, 0, 0, 0, 1]),
    };
    await platforms.submit(operator, { ...usage, platform: random.pick(USED) }, header);
  }

  async function step(): Promise<void> {
    const { world, engine, members, unlisted } = platforms;
    const operator = random.pick([...members.keys(), 0]);
    const choice = random.integer(0, 19);
    if (operator === 0 || (choice < 5 && members.size < OPERATORS)) {
      await submitSome(await platforms.enrol(`tools-${renamed++}`));
    } else if (choice < 13) await submitSome(operator);
    else if (choice === 13) {
      const codename = `renamed-${renamed++}`;
      if ((await engine.operators.rename(operator, codename)).kind === 'renamed') members.set(operator, codename);
    } else if (choice === 14 && members.size > OPERATORS / 2) {
      await engine.operators.erase(operator);
      members.delete(operator);
    } else if (choice === 15) {
      const listed = unlisted.has(operator);
      await engine.operators.amend(operator, { suspended: !listed });
      if (listed) unlisted.delete(operator);
      else unlisted.add(operator);
    } else if (choice === 16) {
      await review(operator, random.integer(0, 3) === 0, random.pick([0, 1_000, 1e9]));
    } else if (choice === 17) {
      await platforms.publish();
      world.now += random.integer(1, 30) * HOUR_MS;
      await engine.advanceHour();
    } else await platforms.publish();
  }

  async function review(operator: number, excluded: boolean, covers: number): Promise<void> {
    const cleared = [{ rule: 'extraordinary-yield', covers: [covers] }];
    await platforms.engine.operators.applyReview(operator, { excluded, cleared });
    const waived = { 'extraordinary-yield': covers };
    platforms.asserted.set(operator, { findings: excluded ? ['review'] : [], waived });
  }

  /** Publishes until nothing is dirty and the board's hour is the clock's. */
  async function settle(): Promise<void> {
    await platforms.publish();
    await platforms.engine.advanceHour();
    await platforms.publish();
    await platforms.publish();
  }

  async function expectExact(): Promise<void> {
    const { reader, members } = platforms;
    for (const platform of RANKED) {
      const model = platforms.model(platform);
      for (const [window, name] of WINDOWS.entries()) {
        const page = await platforms.page(platform, window);
        const rows = page.rows.map(({ codename, yield_, rank, percentile, class_tier }) => {
          return { codename, yield_, rank, percentile, class_tier };
        });
        const expected = model[window]!.entries.map(({ operator, ...row }) => ({
          codename: members.get(operator),
          ...row,
        }));
        expect(rows, `${name} of ${platform}`).to.deep.equal(expected);
        expect([page.total, page.version]).to.deep.equal([model[window]!.total, reader.view().version]);
      }
      await expectPlaces(platform);
    }
  }

  /** Pages around operators, lists, standings and profiles of a platform at rest. */
  async function expectPlaces(platform: Platform): Promise<void> {
    const { reader, members, unlisted } = platforms;
    const window = random.integer(0, WINDOWS.length - 1);
    const board = platforms.model(platform)[window]!;
    const request = { window: WINDOWS[window]!, limit: 5, at: null, platform };
    const named = [...members].filter(() => random.integer(0, 3) === 0);
    for (const operator of members.keys()) states.add(platforms.standing(operator, platform)[window]!.row);
    for (const [operator, codename] of named) {
      const page = await reader.page({ ...request, start: { around: codename } });
      const at = board.entries.findIndex((entry) => entry.operator === operator);
      if (at < 0) {
        const kind = unlisted.has(operator) ? 'operator_unknown' : 'operator_unranked';
        expect(page.kind, `${codename} on ${platform}`).to.equal(kind);
        continue;
      }
      if (page.kind !== 'page') throw new Error(page.kind);
      const near = board.entries.slice(Math.max(0, at - 2), at + 3);
      expect(page.rows.map((one) => one.codename)).to.deep.equal(near.map((one) => members.get(one.operator)));
      const yield_ = board.entries[at]!.yield_;
      const asked = { window: WINDOWS[window]!, yield_, without: codename, platform };
      const standing = await reader.withBoardView((view) => view.standing(asked));
      const rank = naiveRank(board, yield_, operator);
      expect(standing).to.deep.include({ rank, total_operators: board.total });
    }
    const page = await reader.page({ ...request, start: { operators: named.map(([, codename]) => codename) } });
    if (page.kind !== 'page') throw new Error(page.kind);
    const among = board.entries.filter(({ operator }) => named.some(([member]) => member === operator));
    expect(page.rows.map(({ codename, global_rank }) => [codename, global_rank])).to.deep.equal(
      among.map(({ operator, rank }) => [members.get(operator), rank]),
    );
    const ofAllTime = platforms.model(platform)[0]!;
    for (const [operator, codename] of named) {
      const profile = await reader.profile(codename);
      const found = profile?.platforms.find((one) => one.platform === platform);
      expect(found?.rank ?? null, codename).to.equal(ofAllTime.byOperator.get(operator)?.rank ?? null);
    }
  }

  for (let run = 1; run <= RUNS; run++) {
    it(`equal the model at rest, and have Yields of their time while commits run, ${run} of ${RUNS} (seed ${seed})`, async () => {
      const { engine } = platforms;
      for (let round = 0; round < ROUNDS; round++) {
        if (rounds++ % 3 === 2) {
          const { methodology } = platforms.reader.view();
          await platforms.changeTo(methodology === PLAIN_METHODOLOGY ? OTHER_METHODOLOGY.id : PLAIN_METHODOLOGY);
        }
        for (let made = 0; made < STEPS_A_ROUND; made++) await step();
        // Few steps exclude somebody.
        await review(random.pick([...platforms.members.keys()]), true, 0);
        await settle();
        await expectYieldsOfTheirTime();
        await settle();
        // What changed nothing on the board of all may change these, and nothing changes twice.
        expect(await engine.platforms.rank(undefined, UNPACED)).to.be.oneOf(['published', 'unchanged']);
        await platforms.reader.refresh();
        await expectExact();
        expect(await engine.platforms.rank(undefined, UNPACED)).to.equal('unchanged');
      }
      if (run === RUNS) expect([...states]).to.include.members(['settled', 'held', 'excluded']);
    });
  }

  /** Runs while other changes are published, one or more in each pause. */
  async function expectYieldsOfTheirTime(): Promise<void> {
    const { engine, reader, members } = platforms;
    const seen = new Set<string>();
    const look = (): void => {
      for (const operator of members.keys()) {
        for (const platform of RANKED) {
          for (const [window, { yield_ }] of platforms.standing(operator, platform).entries()) {
            seen.add(`${operator} ${platform} ${window} ${yield_}`);
          }
        }
      }
    };
    const { methodology } = reader.view();
    const operatorOf = (codename: string) => [...members].find(([, name]) => name === codename)?.[0];
    await submitSome(random.pick([...members.keys()]));
    await platforms.publish();
    look();
    const began = platforms.world.now;
    const pause = async (): Promise<void> => {
      platforms.world.now += MINUTE_MS / 4;
      await step();
      look();
    };
    expect(await engine.platforms.rank(undefined, { now: UNPACED.now, pause })).to.equal('published');
    await reader.refresh();
    for (const platform of RANKED) {
      for (const window of WINDOWS.keys()) {
        const page = await platforms.page(platform, window);
        expect(page).to.include({ methodology, boardAt: platforms.world.now });
        for (const [index, row] of page.rows.entries()) {
          const text = `${operatorOf(row.codename)} ${platform} ${window} ${row.yield_}`;
          expect(seen.has(text), text).to.equal(true);
          const former = page.rows[index - 1];
          if (former !== undefined) expect(row.rank === former.rank).to.equal(row.yield_ === former.yield_);
        }
      }
    }
    expect(platforms.world.now).to.be.above(began);
  }
});
