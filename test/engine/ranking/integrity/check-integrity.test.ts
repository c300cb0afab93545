import { expect } from 'chai';
import { createConnection } from 'mongoose';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import type { IntegrityFinding } from '../../../../engine/integrity/index.ts';
import { PRINTS, SKETCH_VERSION } from '../../../../engine/ranking/core/series-sketch.ts';
import type { FailpointName } from '../../../../engine/ranking/index.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { methodology3 } from '../../../../engine/ranking/methodologies/methodology-3.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

type Counts = Parameters<RankingWorld['entry']>[1];

/** The board's methodology, with the rules of methodology 3. */
const RULES = { methodologies: new Map([[1, { ...methodology1, rules: methodology3.rules }]]) };

const NO_RULES = { methodologies: new Map([[1, methodology1]]) };

const HONEST = { input: 30_000, output: 10_000, cache_read: 400_000, cache_write: 0 };
/** More output for each input token than a response can have. */
const BEYOND = { input: 1, output: 210_000, cache_read: 50_000, cache_write: 0 };
const RULE = 'output-beyond-response';

const unexpected = (error: unknown): never => {
  throw error;
};

describe('maintenance of integrity', () => {
  const world = useFreshFixture(openRankingWorld);
  const ranking = useFreshFixture(() => world().another(RULES));
  let found: IntegrityFinding[];
  const open = async (cases: readonly IntegrityFinding[]): Promise<void> => void found.push(...cases);

  beforeEach(async () => {
    found = [];
  });

  const rulesOf = (operator: number): string[] =>
    [...new Set(found.filter((each) => each.operator === operator).map(({ rule }) => rule))].sort();
  const findingsOf = async (operator: number): Promise<number> => {
    const operators = world().connection.collection<{ _id: number; findings?: number }>('operators');
    return (await operators.findOne({ _id: operator }))?.findings ?? 0;
  };
  const IDENTICAL = 1 << 11;
  const held = async (...operators: readonly number[]) =>
    Promise.all(operators.map(async (operator) => ((await findingsOf(operator)) & IDENTICAL) !== 0));

  const entryOf = (operator: number, counts: Counts, asOf = world().now, epoch = 0) =>
    world().entry(operator, { ...counts, platform: 'codex' }, { as_of: Math.floor(asOf / 1_000), epoch });
  const submit = (operator: number, counts: Counts) => submitBatch(ranking(), [entryOf(operator, counts)]);

  /** What the schedules do in three minutes. */
  async function pass(engine = ranking()): Promise<void> {
    await settle();
    await engine.maintainIntegrity(open);
  }

  /** Lets the batches so far be decided, and a lease end. */
  async function settle(): Promise<void> {
    world().now += 3 * MINUTE_MS;
    await ranking().reconcileLog(unexpected);
  }

  /** Submits days that grow differently each, by so many times, late by so many days. */
  async function submitDays(operator: number, seed: number, times = 1, late = 0, epoch = 0): Promise<void> {
    const sums = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    const entries = Array.from({ length: 13 }, (_, index) => {
      const day = index + 1;
      sums.input += times * (20_000 + ((seed * day * 7_919) % 9_973));
      sums.output += times * (5_000 + ((seed * day * 104_729) % 4_973));
      sums.cache_read += times * (300_000 + ((seed * day * 1_299_709) % 99_991));
      return entryOf(operator, sums, world().now - (15 - day - late) * DAY_MS, epoch);
    });
    await submitBatch(ranking(), entries);
  }

  it('opens a case for each finding of those that submitted since the last run, and for no other', async () => {
    const honest = await world().enrol('honest-row');
    const beyond = await world().enrol('beyond-row');
    await pass();
    await submit(honest, HONEST);
    await submit(beyond, BEYOND);
    await pass();
    expect(rulesOf(honest)).to.deep.equal([]);
    expect(found).to.deep.include({ operator: beyond, rule: RULE, severity: 'exclude', boardVersion: 1 });
    found = [];
    await pass();
    expect(found).to.deep.equal([]);
  });

  it('waits for the verdict of a batch', async () => {
    const late = await world().enrol('late-row');
    await pass();
    const entries = [world().entry(late, { ...BEYOND, platform: 'codex' })];
    const [outcome] = await ranking().log.append(entries);
    world().now += 3 * MINUTE_MS;
    await ranking().reconcileLog(async () => undefined);
    await ranking().maintainIntegrity(open);
    await ranking().processBatch(outcome?.kind === 'stored' ? outcome.batch : '', entries);
    expect(found).to.deep.equal([]);
    await pass();
    expect(rulesOf(late)).to.deep.equal([RULE]);
  });

  it('opens no case for an unlisted operator until it is listed again', async () => {
    const operator = await world().enrol('suspended-row');
    await submit(operator, BEYOND);
    await ranking().operators.amend(operator, { suspended: true });
    await pass();
    expect(found).to.deep.equal([]);
    await ranking().operators.amend(operator, { suspended: false });
    await pass();
    expect(rulesOf(operator)).to.deep.equal([RULE]);
  });

  it('checks every operator once when the methodology gets rules, and continues after a crash', async () => {
    const imported = Array.from({ length: 1_200 }, (_, index) =>
      importedOperator(`row-${index}`, world().now, BEYOND, 'codex'),
    );
    await ranking().operators.import(imported);
    world().now += 3 * MINUTE_MS;
    await world().another(NO_RULES).maintainIntegrity(open);
    expect(found).to.deep.equal([]);
    world().now += 3 * MINUTE_MS;
    const dying = makeVictim(world(), { at: 'integrity.walked', nth: 2 }, RULES);
    await dying.reachedBy(dying.engine.maintainIntegrity(open));
    expect(new Set(found.map(({ operator }) => operator)).size).to.equal(1_000);
    found = [];
    await pass();
    expect(new Set(found.map(({ operator }) => operator)).size).to.equal(200);
    found = [];
    await pass();
    expect(found).to.deep.equal([]);
    await world().another(NO_RULES).maintainIntegrity(open);
    await pass();
    expect(new Set(found.map(({ operator }) => operator)).size).to.equal(1_200);
  });

  it('sketches every operator once in each version of sketches, whatever the methodology', async () => {
    await submitDays(await world().enrol('first-row'), 3);
    const sketches = world().connection.collection('series_sketches');
    for (let round = 0; round < 3; round++) await pass(world().another(NO_RULES));
    expect(await sketches.countDocuments()).to.equal(1);
    await sketches.deleteMany({});
    await pass();
    expect(await sketches.countDocuments()).to.equal(0);
    await world()
      .connection.collection<{ _id: string }>('progress')
      .updateOne({ _id: 'integrity.sketches' }, { $set: { value: '0 Infinity' } });
    await pass();
    expect(await sketches.countDocuments()).to.equal(1);
  });

  it('finds copies, doubled and late ones too, on the side that was received later, and not what is copied', async () => {
    const rows = ['first-row', 'second-row', 'third-row', 'other-row'];
    const all = await Promise.all(rows.map((codename) => world().enrol(codename)));
    const [first, second, third, other] = all;
    await pass();
    await submitDays(first!, 3);
    await submitDays(other!, 5);
    await pass();
    await submitDays(second!, 3, 2);
    await submitDays(third!, 3, 1, 1);
    await pass();
    expect(await held(...all)).to.deep.equal([false, true, true, false]);
    await pass();
    expect(all.map((operator) => rulesOf(operator).includes('identical-series'))).to.deep.equal([
      false,
      true,
      true,
      false,
    ]);
  });

  it('clears a copy of the row that a moderator saw, at once, and of no other', async () => {
    const [first, copy] = [await world().enrol('first-row'), await world().enrol('copy-row')];
    const other = await world().enrol('other-row');
    const all = [first, copy, other];
    const clear = (covers: readonly number[]) =>
      ranking().operators.applyReview(copy, { excluded: false, cleared: [{ rule: 'identical-series', covers }] });
    const seenBy = async () => (await ranking().operators.measured(copy)).covered('identical-series');
    for (const [operator, seed] of [
      [first, 3],
      [other, 5],
      [copy, 3],
    ] as const) {
      await submitDays(operator, seed);
      await pass();
    }
    expect([await seenBy(), await held(copy)]).to.deep.equal([[first], [true]]);
    await clear([other]);
    expect(await held(copy), 'of another row').to.deep.equal([true]);
    await clear(await seenBy());
    expect(await held(copy)).to.deep.equal([false]);
    await pass();
    expect(await held(...all)).to.deep.equal([false, false, false]);
    await submitDays(copy, 5, 1, 0, 1);
    await pass();
    expect([(await seenBy()).includes(other), await held(...all)]).to.deep.equal([true, [false, true, false]]);
    await clear([first, other]);
    await pass();
    expect(await held(copy)).to.deep.equal([false]);
    await clear([]);
    expect(await held(copy), 'restored').to.deep.equal([true]);
  });

  it('finds a copy that was sketched before what it copies', async () => {
    const [first, copy] = [await world().enrol('first-row'), await world().enrol('copy-row')];
    await submitDays(first, 3);
    const progress = world().connection.collection<{ _id: string }>('progress');
    const walked = { $set: { value: `${SKETCH_VERSION} Infinity` } };
    await progress.updateOne({ _id: 'integrity.sketches' }, walked, { upsert: true });
    await pass();
    await submitDays(copy, 3);
    await pass();
    expect(await held(first, copy)).to.deep.equal([false, false]);
    await submit(first, { input: 1e6, output: 1e6, cache_read: 1e8, cache_write: 0 });
    await pass();
    await pass();
    expect(await held(first, copy)).to.deep.equal([false, true]);
  });

  it('reads the growths of many copies of a row once, and none while nothing changes', async () => {
    const all = await Promise.all(Array.from({ length: 9 }, (_, index) => world().enrol(`row-${index}`)));
    // Of series that came at the same time, that of the older account was first.
    all.sort((one, other) => one - other);
    for (const operator of all) await submitDays(operator, 3);
    const connection = await createConnection(world().database.mongoUrl, { monitorCommands: true }).asPromise();
    let reads = 0;
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find' && 'counts' in Object(command['filter'])) reads++;
    });
    const engine = world().another({ ...RULES, connection });
    await pass(engine);
    expect(await held(...all)).to.deep.equal(all.map((_, index) => index > 0));
    expect(reads).to.be.within(all.length, all.length * PRINTS);
    reads = 0;
    await pass(engine);
    expect(reads).to.equal(0);
    await connection.close();
  });

  it('hold the later account of series that were received at the same time', async () => {
    const all = [await world().enrol('first-row'), await world().enrol('second-row')];
    for (const operator of all) await submitDays(operator, 3);
    await pass();
    await pass();
    expect(await held(...all)).to.deep.equal([false, true]);
  });

  it('removes the finding when the others are erased, with their sketches', async () => {
    const [first, second] = [await world().enrol('first-row'), await world().enrol('second-row')];
    await submitDays(first, 3);
    await pass();
    await submitDays(second, 3);
    await pass();
    expect(await held(first, second)).to.deep.equal([false, true]);
    await ranking().operators.erase(first);
    await pass();
    expect(await held(second)).to.deep.equal([false]);
    const sketches = world().connection.collection<{ _id: number; matched?: true }>('series_sketches');
    expect(await sketches.distinct('_id')).to.deep.equal([second]);
    expect(await sketches.countDocuments({ matched: true })).to.equal(0);
  });

  it('finds a copy although a process that stalled removes a mark after it was set again', async () => {
    const [first, second] = [await world().enrol('first-row'), await world().enrol('second-row')];
    await submitDays(first, 3);
    await pass();
    await submitDays(second, 5);
    await settle();
    const stalled = makeVictim(world(), { at: 'integrity.matches_asserted' }, RULES);
    const removing = stalled.engine.maintainIntegrity(open);
    await stalled.reachedBy(removing);
    await submitDays(second, 3, 1, 0, 1);
    await settle();
    const writing = makeVictim(world(), { at: 'integrity.sketches_written' }, RULES);
    const comparing = writing.engine.maintainIntegrity(open);
    await writing.reachedBy(comparing);
    stalled.wake();
    await removing;
    writing.wake();
    await comparing;
    expect(await held(first, second)).to.deep.equal([false, true]);
  });

  const POINTS: readonly FailpointName[] = [
    'integrity.records_judged',
    'integrity.findings_recorded',
    'integrity.sketches_written',
    'integrity.matches_marked',
    'integrity.walked',
    'integrity.matches_asserted',
  ];
  for (const at of POINTS) {
    it(`finds the same when a process stops at ${at}, after its lease`, async () => {
      const [first, second] = [await world().enrol('first-row'), await world().enrol('second-row')];
      // After a first run, only the batches lead to them.
      if (at !== 'integrity.walked') await pass();
      await submitDays(first, 3);
      world().now += MINUTE_MS;
      await submitDays(second, 3);
      world().now += 3 * MINUTE_MS;
      await ranking().reconcileLog(unexpected);
      const dying = makeVictim(world(), { at }, RULES);
      await dying.reachedBy(dying.engine.maintainIntegrity(open));
      const before = found.length;
      await ranking().maintainIntegrity(open);
      expect(found.length, 'while the lease lasts').to.equal(before);
      await pass();
      await pass();
      expect(rulesOf(first)).to.deep.equal([]);
      expect(rulesOf(second)).to.include('identical-series');
    });
  }
});
