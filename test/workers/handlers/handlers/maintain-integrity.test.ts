import { expect } from 'chai';
import { Registry } from 'prom-client';
import { MINUTE_MS } from '../../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../../engine/accounts/index.ts';
import { methodology1 } from '../../../../engine/ranking/methodologies/methodology-1.ts';
import { methodology3 } from '../../../../engine/ranking/methodologies/methodology-3.ts';
import { createIntegrityMetrics } from '../../../../ops/runtime/telemetry/index.ts';
import { maintainIntegrity } from '../../../../workers/handlers/handlers.ts';
import { openRankingWorld, type RankingWorld } from '../../../support/ranking-world.ts';

/** More output for each input than almost all usage has, and not impossible. */
const UNUSUAL = { input: 10_000, output: 50_000, cache_read: 50_000, cache_write: 0 };

describe('the job that maintains integrity', () => {
  let world: RankingWorld;
  let accounts: Accounts;

  before(async () => {
    world = await openRankingWorld();
    accounts = createAccounts({ connection: world.connection, clock: () => world.now });
    await accounts.ensureIndexes();
  });

  after(() => world.close());

  it('opens cases for rules, none for an exclusion by a moderator, and counts them by rule', async () => {
    const rules = { methodologies: new Map([[1, { ...methodology1, rules: methodology3.rules }]]) };
    const ranking = world.another(rules);
    const imported = ['flagged-row', 'reviewed-row', 'honest-row'].map((codename, index) => {
      const counts = index === 2 ? { ...UNUSUAL, output: 5_000 } : UNUSUAL;
      const usage = [{ ledger: 'ledger-one', platform: 'codex', epoch: 0, asOf: world.now, counts }];
      return { codename, displayName: null, usage };
    });
    await ranking.operators.import(imported);
    const [flagged, reviewed, honest] = await world.connection
      .collection<{ _id: number }>('operators')
      .find()
      .sort({ _id: 1 })
      .map(({ _id }) => _id)
      .toArray();
    await ranking.operators.applyReview(reviewed!, { excluded: true, voided: [] });
    const registry = new Registry();
    const integrityMetrics = createIntegrityMetrics(registry, () => world.now);
    await maintainIntegrity({ ranking, accounts, integrityMetrics });
    const rulesOf = async (operator: number) => (await accounts.cases.ofOperator(operator)).map(({ rule }) => rule);
    expect(await rulesOf(flagged!)).to.deep.equal(['unusual-velocity']);
    expect(await rulesOf(reviewed!)).to.deep.equal(['unusual-velocity']);
    expect(await rulesOf(honest!)).to.deep.equal([]);

    const [found] = await accounts.cases.ofOperator(flagged!);
    await accounts.cases.appeal(found!, 'A tool without a cache.');
    world.now += MINUTE_MS;
    await maintainIntegrity({ ranking, accounts, integrityMetrics });
    const text = await registry.metrics();
    expect(text).to.include('upsilon_integrity_operators{rule="unusual-velocity",severity="flag"} 2\n');
    expect(text).to.include('upsilon_integrity_cases_waiting 2\n');
    expect(text).to.include('upsilon_integrity_oldest_appeal_seconds 60\n');
  });
});
