import { expect } from 'chai';
import { Registry } from 'prom-client';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import { createAccounts } from '../../../../engine/accounts/index.ts';
import type { Ranking } from '../../../../engine/ranking/index.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { methodology3 } from '../../../../engine/ranking/methodologies/methodology-3.ts';
import { createIntegrityMetrics } from '../../../../ops/runtime/telemetry/index.ts';
import { maintainIntegrity } from '../../../../workers/handlers/handlers.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { submitBatch } from '../../../support/open-engine.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

/** More output for each input token than a response can have. */
const BEYOND = { input: 1, output: 210_000, cache_read: 50_000, cache_write: 0 };
const RULE = 'output-beyond-response';

const RULES = { methodologies: new Map([[1, { ...methodology1, rules: methodology3.rules }]]) };

describe('the job that maintains integrity', () => {
  const world = useFreshFixture(openRankingWorld);
  const accounts = useFreshFixture(() => createAccounts({ connection: world().connection, clock: () => world().now }));

  beforeEach(() => accounts().ensureIndexes());

  it('opens cases for rules, none for an exclusion by a moderator, and counts them by rule', async () => {
    const ranking = world().another(RULES);
    const imported = ['flagged-row', 'reviewed-row', 'honest-row'].map((codename, index) => {
      const counts = index === 2 ? { ...BEYOND, output: 5_000 } : BEYOND;
      return importedOperator(codename, world().now, counts, 'codex');
    });
    await ranking.operators.import(imported);
    const [flagged, reviewed, honest] = await world()
      .connection.collection<{ _id: number }>('operators')
      .find()
      .sort({ _id: 1 })
      .map(({ _id }) => _id)
      .toArray();
    await ranking.operators.applyReview(reviewed!, { excluded: true, cleared: [] });
    const registry = new Registry();
    const integrityMetrics = createIntegrityMetrics(registry, () => world().now);
    await maintainIntegrity({ ranking, accounts: accounts(), integrityMetrics });
    const rulesOf = async (operator: number) => (await accounts().cases.ofOperator(operator)).map(({ rule }) => rule);
    expect(await rulesOf(flagged!)).to.deep.equal([RULE]);
    expect(await rulesOf(reviewed!)).to.deep.equal([RULE]);
    expect(await rulesOf(honest!)).to.deep.equal([]);

    const [found] = await accounts().cases.ofOperator(flagged!);
    await accounts().cases.appeal(found!, 'A tool without a cache.', '');
    world().now += MINUTE_MS;
    await maintainIntegrity({ ranking, accounts: accounts(), integrityMetrics });
    const text = await registry.metrics();
    expect(text).to.include('upsilon_integrity_operators{rule="output-beyond-response",severity="exclude"} 2\n');
    expect(text).to.include('upsilon_integrity_cases_waiting 2\n');
    expect(text).to.include('upsilon_integrity_oldest_appeal_seconds 60\n');
  });

  /** Lets the schedules of three minutes run; returns the metrics. */
  async function pass(ranking: Ranking): Promise<string> {
    await ranking.advanceHour();
    world().now += 3 * MINUTE_MS;
    await ranking.reconcileLog(async () => undefined);
    const registry = new Registry();
    const integrityMetrics = createIntegrityMetrics(registry, () => world().now);
    await maintainIntegrity({ ranking, accounts: accounts(), integrityMetrics });
    return registry.metrics();
  }

  async function submit(ranking: Ranking, operator: number, counts: typeof BEYOND): Promise<void> {
    const as_of = Math.floor(world().now / 1_000);
    const entries = [world().entry(operator, { ...counts, platform: 'codex' }, { as_of })];
    await submitBatch(ranking, entries);
  }

  const FLAGGED = 'upsilon_integrity_operators{rule="output-beyond-response",severity="exclude"} 1\n';
  const queued = async () => (await accounts().cases.queue(0, 1, 9)).cases.map(({ rule }) => rule);

  it('closes the case of a row whose history grew until it is within the bound, and opens it again', async () => {
    const ranking = world().another(RULES);
    const operator = await world().enrol('growing-row');
    await submit(ranking, operator, BEYOND);
    expect(await pass(ranking)).to.include(FLAGGED);
    expect(await queued()).to.deep.equal([RULE]);
    await submit(ranking, operator, { ...BEYOND, input: 10 });
    expect((await ranking.operators.explain('growing-row'))?.evidence).to.deep.equal([]);
    expect(await pass(ranking)).to.not.include('upsilon_integrity_operators{');
    expect(await queued()).to.deep.equal([]);
    const [closed] = await accounts().cases.ofOperator(operator);
    expect(closed).to.deep.include({ state: 'open', closed_at: new Date(world().now) });
    await submit(ranking, operator, { ...BEYOND, input: 10, output: 2_100_000 });
    expect(await pass(ranking)).to.include(FLAGGED);
    expect(await queued()).to.deep.equal([RULE]);
    expect((await accounts().cases.ofOperator(operator))[0]).to.not.have.property('closed_at');
  });

  it('closes the case of a finding in a window once the window has passed', async () => {
    const ranking = world().another(RULES);
    const long = { input: 1_000_000, output: 100_000, cache_read: 3_000_000, cache_write: 0 };
    const now = { ...long, input: 1_000_001, output: 310_000, cache_read: 3_050_000 };
    const usage = [
      { asOf: world().now - 20 * DAY_MS, counts: long },
      { asOf: world().now, counts: now },
    ].map((sample) => ({ ledger: 'ledger-one', platform: 'codex', epoch: 0, ...sample }));
    const operator = await ranking.operators.import([{ codename: 'bursty-row', displayName: null, usage }]);
    const evidence = (await ranking.operators.explain('bursty-row'))?.evidence ?? [];
    expect(evidence.some(({ window }) => window === 'all_time')).to.equal(false);
    expect(await pass(ranking)).to.include(FLAGGED);
    world().now += 8 * DAY_MS;
    expect(await pass(ranking)).to.not.include('upsilon_integrity_operators{');
    expect(await queued()).to.deep.equal([]);
    for (const { closed_at } of await accounts().cases.ofOperator(operator))
      expect(closed_at?.getTime()).to.equal(world().now);
  });

  it('closes the cases of bounds under a methodology without rules, and opens them again under one with rules', async () => {
    const ranking = world().another(RULES);
    const operator = await world().enrol('flagged-row');
    await submit(ranking, operator, BEYOND);
    await pass(ranking);
    // The records still assert these.
    const asserted = ['identical-series'];
    const cases = asserted.map((rule) => ({ operator, rule, severity: 'hold', boardVersion: 1 }) as const);
    await accounts().cases.open(cases);
    expect(await pass(world().another({ methodologies: new Map([[1, methodology1]]) }))).to.not.include(RULE);
    expect((await queued()).toSorted()).to.deep.equal(asserted);
    await accounts().cases.recordFindings([], { rules: asserted });
    expect(await pass(ranking)).to.include(FLAGGED);
  });

  for (const at of ['integrity.records_judged', 'integrity.findings_recorded', 'integrity.walked'] as const) {
    it(`closes a case once when a process stops at ${at}, also after it wakes up late`, async () => {
      const ranking = world().another(RULES);
      const [gone, kept] = [await world().enrol('growing-row'), await world().enrol('flagged-row')];
      for (const operator of [gone, kept]) {
        await submit(ranking, operator, BEYOND);
        if (at !== 'integrity.walked') await pass(ranking);
        else await accounts().cases.open([{ operator, rule: RULE, severity: 'hold', boardVersion: 1 }]);
      }
      await submit(ranking, gone, { ...BEYOND, input: 10 });
      await submit(ranking, kept, { ...BEYOND, output: 220_000 });
      world().now += 3 * MINUTE_MS;
      await ranking.reconcileLog(async () => undefined);
      const dying = makeVictim(world(), { at }, RULES);
      const work = dying.engine.maintainIntegrity(accounts().cases.recordFindings);
      await dying.reachedBy(work);
      await pass(ranking);
      const read = async () => [
        ...(await accounts().cases.ofOperator(gone)),
        ...(await accounts().cases.ofOperator(kept)),
      ];
      const before = await read();
      expect(before.map(({ closed_at }) => closed_at !== undefined)).to.deep.equal([true, false]);
      // What another process found since does not close again.
      await submit(ranking, gone, { ...BEYOND, input: 10, output: 2_100_000 });
      await pass(ranking);
      const after = await read();
      expect(after.map(({ closed_at }) => closed_at)).to.deep.equal([undefined, undefined]);
      dying.wake();
      await work.catch(() => undefined);
      expect(await read()).to.deep.equal(after);
    });
  }
});
