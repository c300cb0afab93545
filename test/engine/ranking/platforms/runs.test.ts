import { expect } from 'chai';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { Platform } from '../../../../engine/contract/platforms.ts';
import { FAILPOINTS } from '../../../../engine/ranking/index.ts';
import { FIRST_METHODOLOGY } from '../../../../engine/ranking/methodologies/index.ts';
import type { ManifestDocument } from '../../../../engine/ranking/storage/board-manifest.ts';
import { expectReferences } from '../../../faults/check-consistency.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { PLAIN_METHODOLOGY } from '../../../support/plain-board.ts';
import { UNPACED } from '../../../support/unpaced.ts';
import { openPlatformWorld, type PlatformWorld } from './platform-world.ts';

const POINTS = FAILPOINTS.filter((point) => point.startsWith('platforms.'));
const COUNTS = { input: 10, output: 20, cache_read: 30 };

const around = (codename: string, platform: Platform) => {
  return { window: 'all_time', limit: 5, start: { around: codename }, at: null, platform } as const;
};

describe('runs that rank platforms', () => {
  let platforms: PlatformWorld;
  let first: number;
  let second: number;

  beforeEach(async () => {
    platforms = await openPlatformWorld();
    first = await platforms.enrol('first-one');
    second = await platforms.enrol('second-one');
    for (const platform of ['codex', 'claude-code']) await platforms.submit(first, { ...COUNTS, platform });
    await platforms.submit(second, { ...COUNTS, output: 50 });
    await platforms.publish();
  });

  afterEach(() => platforms.close());

  async function rank(engine = platforms.engine) {
    const outcome = await engine.platforms.rank(undefined, UNPACED);
    await platforms.reader.refresh();
    return outcome;
  }

  const shown = async (platform: Platform = 'codex') =>
    (await platforms.page(platform)).rows.map(({ codename, rank: place, yield_ }) => `${place} ${codename} ${yield_}`);

  async function manifest(): Promise<ManifestDocument> {
    const found = await platforms.world.connection.collection<ManifestDocument>('board_manifests').findOne({});
    if (found === null) throw new Error('there is no manifest');
    return found;
  }

  /** The base runs of platforms that are stored, and those whose pages are. */
  async function stored(): Promise<{ bases: string[]; pages: string[] }> {
    const db = platforms.world.connection.db!;
    const named: string[] = await db.collection('board_pages').distinct('base');
    const found = await db
      .collection<{ _id: string }>('board_base_runs')
      .find({ _id: /^platforms-/ })
      .toArray();
    return {
      bases: found.map(({ _id }) => _id).toSorted(),
      pages: named.filter((id) => id.startsWith('platforms-')).toSorted(),
    };
  }

  it('have boards without rows before the first, and say that nobody is ranked', async () => {
    expect(await platforms.page('codex')).to.include({ total: 0, offset: 0, methodology: PLAIN_METHODOLOGY });
    expect(await shown()).to.deep.equal([]);
    const standing = await platforms.reader.withBoardView((view) =>
      view.standing({ window: 'all_time', yield_: 3, without: null, platform: 'codex' }),
    );
    expect(standing).to.include({ rank: 1, total_operators: 1 });
    expect((await platforms.reader.profile('second-one'))?.platforms).to.deep.equal([
      { platform: 'codex', yield_: 15, rank: null, total_operators: 0, percentile: null },
    ]);
  });

  it('begin once for each commit, and not for other versions', async () => {
    expect(await rank()).to.equal('published');
    expect(await rank()).to.equal('unchanged');
    const former = (await manifest()).version;
    await platforms.engine.compactBoard();
    platforms.world.now += 11 * MINUTE_MS;
    await platforms.engine.collectGarbage();
    expect((await manifest()).version).to.be.above(former);
    expect(await rank(), 'after a compaction and garbage collection').to.equal('unchanged');
    await platforms.submit(second, { ...COUNTS, output: 60 });
    expect(await rank(), 'before the commit').to.equal('unchanged');
    await platforms.publish();
    expect(await rank()).to.equal('published');
    expect(await rank()).to.equal('unchanged');
  });

  it('begin after a commit that changed nothing on the board of all operators', async () => {
    await platforms.changeTo(2);
    // Its input is too small a part of all its counts together.
    await platforms.submit(second, { input: 0, cache_read: 1e12, platform: 'gemini-cli' });
    await platforms.submit(second, { input: 1_000, output: 10_000, cache_read: 1_000 });
    await platforms.publish();
    await rank();
    expect(await shown()).to.deep.equal(['1 second-one 10']);
    const { generated_at, segments } = await manifest();
    await platforms.submit(second, { input: 1_000, output: 20_000, cache_read: 1_000 });
    platforms.world.now += MINUTE_MS;
    await platforms.publish();
    expect(await manifest()).to.deep.include({ generated_at, segments });
    expect(await rank()).to.equal('published');
    expect(await shown()).to.deep.equal(['1 second-one 20']);
  });

  for (const at of POINTS) {
    it(`start from the beginning when they are cut at ${at}, and garbage collection keeps the boards before`, async () => {
      await rank();
      await platforms.submit(second, { ...COUNTS, output: 70 });
      await platforms.publish();
      await rank();
      await platforms.submit(second, { ...COUNTS, output: 80 });
      await platforms.publish();
      const before = await shown();
      const victim = makeVictim(platforms.world, { at }, { rangeOperators: 7 });
      const work = victim.engine.platforms.rank(undefined, UNPACED);
      await victim.reachedBy(work);
      await platforms.reader.refresh();
      const isPublished = at === 'platforms.published' || at === 'platforms.pages_deleted';
      const after = ['1 second-one 24', '2 first-one 6'];
      expect(await shown(), 'while it stands').to.deep.equal(isPublished ? after : before);
      expect(await rank(), 'beside it').to.equal(isPublished ? 'unchanged' : 'busy');
      // Past the grace of garbage collection and the lease.
      platforms.world.now += 11 * MINUTE_MS;
      const written = await stored();
      await platforms.engine.collectGarbage();
      await platforms.reader.refresh();
      if (!isPublished) expect(await stored(), 'of the run in progress').to.deep.equal(written);
      expect(await shown()).to.deep.equal(isPublished ? after : before);
      expect(await rank(), 'the next').to.equal(isPublished ? 'unchanged' : 'published');
      expect(await shown()).to.deep.equal(after);
      platforms.world.now += 11 * MINUTE_MS;
      await platforms.engine.collectGarbage();
      await expectReferences(platforms);
      victim.wake();
      const outcome = await work.catch((error: unknown) => String(error));
      if (at === 'platforms.written' || isPublished) expect(outcome).to.equal(isPublished ? 'published' : 'overtaken');
      else expect(outcome).to.include('another process ranks platforms');
      await platforms.reader.refresh();
      expect(await shown()).to.deep.equal(after);
      platforms.world.now += 11 * MINUTE_MS;
      await platforms.engine.collectGarbage();
      const { bases, former } = (await manifest()).platforms!;
      const kept = [...Object.values(bases), ...former].toSorted();
      expect(await stored()).to.deep.equal({ bases: kept, pages: kept });
    });
  }

  it('keep the boards of one run before on disk, and no more', async () => {
    for (let run = 0; run < 5; run++) {
      await platforms.submit(second, { ...COUNTS, output: 100 + run });
      await platforms.publish();
      await rank();
    }
    const { bases, former } = (await manifest()).platforms!;
    const kept = [...Object.values(bases), ...former].toSorted();
    expect(await stored()).to.deep.equal({ bases: kept, pages: kept });
    expect(kept).to.have.length(4);
  });

  it('pause for nine times what each step took, and end when their signal is aborted', async () => {
    let [worked, paused] = [0, 0];
    const pause = async (ms: number): Promise<void> => {
      paused += ms;
    };
    const now = (): number => (worked += 500);
    expect(await platforms.engine.platforms.rank(undefined, { now, pause })).to.equal('published');
    // Every step is between two looks at the clock.
    const steps = worked / 1_000;
    expect(steps, 'a range and two platforms').to.equal(3);
    expect(paused).to.equal(9 * 500 * steps);

    await platforms.submit(second, { ...COUNTS, output: 90 });
    await platforms.publish();
    const closing = new AbortController();
    const until = async (_ms: number, signal: AbortSignal): Promise<void> => {
      closing.abort();
      signal.throwIfAborted();
    };
    expect(await platforms.engine.platforms.rank(closing.signal, { now, pause: until })).to.equal('aborted');
    expect(await rank(), 'at once: the lease is free').to.equal('published');
  });

  it('renew their lease in long pauses, and end when it is lost', async () => {
    const { world, engine } = platforms;
    let times = 0;
    const pace = {
      now: () => times++ * 30_000,
      pause: async (ms: number) => {
        expect(ms).to.be.at.most(20_000);
        world.now += ms;
        if (times < 3) expect(await rank(world.another())).to.equal('busy');
      },
    };
    expect(await engine.platforms.rank(undefined, pace)).to.equal('published');
    await platforms.submit(second, { ...COUNTS, output: 90 });
    await platforms.publish();
    const stalled = async (): Promise<void> => {
      world.now += 10 * MINUTE_MS;
      await platforms.world.another().platforms.rank(undefined, UNPACED);
    };
    const found = await engine.platforms
      .rank(undefined, { now: () => 0, pause: stalled })
      .catch((error: unknown) => error);
    expect(String(found)).to.include('another process ranks platforms');
  });

  it('leave out erased and suspended operators at once, count them until the next, and show new names', async () => {
    const { engine, world } = platforms;
    const third = await platforms.enrol('third-one');
    await platforms.submit(third, { ...COUNTS, output: 40 });
    await platforms.publish();
    await rank();
    expect(await shown()).to.deep.equal(['1 second-one 15', '2 third-one 12', '3 first-one 6']);
    await engine.operators.erase(third);
    await engine.operators.rename(first, 'renamed-one');
    expect(await shown()).to.deep.equal(['1 second-one 15', '3 renamed-one 6']);
    await engine.operators.amend(second, { suspended: true });
    const page = await platforms.page('codex');
    expect(page.rows.map(({ codename }) => codename)).to.deep.equal(['renamed-one']);
    expect(page.total).to.equal(3);
    await platforms.publish();
    await rank();
    expect(await shown()).to.deep.equal(['1 renamed-one 6']);
    world.now += HOUR_MS;
    expect((await platforms.page('codex')).total).to.equal(1);
  });

  it('keep the boards of the former methodology after a switch, until the next', async () => {
    await rank();
    const before = await shown();
    await platforms.changeTo(2);
    expect(platforms.reader.view().methodology).to.equal(2);
    const page = await platforms.page('codex');
    expect(page.methodology).to.equal(PLAIN_METHODOLOGY);
    expect(await shown()).to.deep.equal(before);
    expect(await rank()).to.equal('published');
    // Too few tokens.
    expect(await platforms.page('codex')).to.include({ methodology: 2, total: 0 });
  });

  it('rank under the methodology that they began with, when it changes meanwhile', async () => {
    const pause = async (): Promise<void> => {
      if (platforms.reader.view().methodology === PLAIN_METHODOLOGY) await platforms.changeTo(2);
    };
    expect(await platforms.engine.platforms.rank(undefined, { now: UNPACED.now, pause })).to.equal('published');
    await platforms.reader.refresh();
    expect(platforms.reader.view().methodology).to.equal(2);
    expect(await platforms.page('codex')).to.include({ methodology: PLAIN_METHODOLOGY, total: 2 });
    expect(await rank()).to.equal('published');
    expect(await platforms.page('codex')).to.include({ methodology: 2, total: 0 });
  });

  it('count the acceptance of a Yield on the board of the tool with most tokens alone', async () => {
    const { engine, world } = platforms;
    await platforms.changeTo(FIRST_METHODOLOGY);
    const rare = await platforms.enrol('rare-one');
    for (let day = 1; day <= 40; day++) {
      world.now += DAY_MS;
      const counts = { input: 30_000 * day, output: 300_000 * day, cache_read: 300_000 * day };
      await platforms.submit(rare, { ...counts, platform: 'gemini-cli' });
      await platforms.submit(rare, { ...counts, cache_write: 1 });
    }
    await engine.advanceHour();
    await platforms.publish();
    await rank();
    expect([await shown(), await shown('gemini-cli')], 'before').to.deep.equal([[], []]);
    const cleared = [{ rule: 'extraordinary-yield', covers: [1_000] }];
    await engine.operators.applyReview(rare, { excluded: false, cleared });
    await platforms.publish();
    await rank();
    expect([await shown(), await shown('gemini-cli')]).to.deep.equal([['1 rare-one 100'], []]);
    const asked = { window: 'all_time', yield_: 5, without: 'rare-one' } as const;
    for (const [platform, days] of [
      ['gemini-cli', 14],
      ['codex', 7],
    ] as const) {
      const standing = await platforms.reader.withBoardView((view) => view.standing({ ...asked, platform }));
      expect(standing?.needs, `by the reference of ${platform}`).to.deep.equal({ days, acceptance: false });
    }
  });

  it('number a history that was forged on another tool on no board, and nothing after a finding', async () => {
    const { engine, world } = platforms;
    await platforms.changeTo(FIRST_METHODOLOGY);
    const honest = await platforms.enrol('honest-one');
    // 40 days of an ordinary use of one tool.
    for (let day = 1; day <= 40; day++) {
      world.now += DAY_MS;
      await platforms.submit(honest, { input: 60_000 * day, output: 6_000 * day, cache_read: 60_000 * day });
    }
    await engine.advanceHour();
    await platforms.publish();
    const forged = { input: 20_000, output: 400_000, cache_read: 4e8, platform: 'gemini-cli' };
    await platforms.submit(honest, forged);
    await platforms.publish();
    await rank();
    expect(await shown(), 'by the honest counts').to.deep.equal(['1 honest-one 0.1']);
    expect(await shown('gemini-cli')).to.deep.equal([]);
    const profile = await platforms.reader.profile('honest-one');
    expect(profile?.platforms.map(({ platform, rank: place }) => [platform, place])).to.deep.equal([
      ['gemini-cli', null],
      ['codex', 1],
    ]);
    expect(await platforms.reader.page(around('honest-one', 'gemini-cli'))).to.include({
      kind: 'operator_unranked',
      reason: 'held',
    });
    await engine.operators.applyReview(honest, { excluded: true, cleared: [] });
    await platforms.publish();
    await rank();
    expect(await shown(), 'after a finding').to.deep.equal([]);
  });

  it('are verified: recomputed at rest, otherwise in themselves, and made again by a repair', async () => {
    const { engine, world } = platforms;
    await rank();
    expect(await engine.repair.verifyPlatforms()).to.deep.equal({ isExact: true, findings: [] });
    await platforms.submit(second, { ...COUNTS, output: 90 });
    expect(await engine.repair.verifyPlatforms()).to.deep.equal({ isExact: false, findings: [] });
    await platforms.publish();
    expect(await engine.repair.verifyPlatforms()).to.deep.equal({ isExact: false, findings: [] });
    await rank();
    const pages = world.connection.collection<{ _id: string; base: string }>('board_pages');
    const base = (await manifest()).platforms!.bases['codex']!;
    await pages.deleteOne({ _id: `${base}/order/7d/0` });
    const { findings } = await engine.repair.verifyPlatforms();
    expect(findings.map(({ part, name }) => [part, name])).to.deep.equal([['platforms', `${base}/order/7d/0`]]);
    const expected = { rollups: 0, samples: 0, history: 0, rebuilt: false, platforms: true };
    expect(await engine.repair.repair(findings)).to.deep.equal(expected);
    expect(await rank()).to.equal('published');
    expect(await engine.repair.verify()).to.deep.equal([]);
    // A record that changed without a commit.
    await world.connection
      .collection<{ _id: number }>('operators')
      .updateOne({ _id: second }, { $set: { listed: false } });
    const differing = await engine.repair.verifyPlatforms();
    expect(differing.findings[0]).to.include({ part: 'platforms', problem: 'differs from the records' });
    expect(differing.findings[0]?.name).to.match(/\/order\/all_time\/0$/);
  });
});
