import { expect } from 'chai';
import { DAY_MS } from '../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { BY_COMMAND } from '../../../engine/integrity/cases/index.ts';
import { maintainAccounts } from '../../../workers/handlers/maintain-accounts.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

const mailed = (address: string) =>
  ({ provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address }) as const;
const hubbed = (subject: string, address: string | null = null) =>
  ({ provider: 'github', subject, label: subject, verifiedEmail: address }) as const;

describe('a sign-in whose account was excluded and erased', () => {
  let world: RankingWorld;
  let accounts: Accounts;

  before(async () => {
    world = await openRankingWorld();
    accounts = createAccounts({ connection: world.connection, clock: () => world.now });
    await accounts.ensureIndexes();
  });

  after(() => world.close());

  const maintain = (): Promise<void> => {
    const billing = createBilling({ connection: world.connection, clock: () => world.now });
    return maintainAccounts({ accounts, billing, ranking: world.ranking });
  };
  let names = 0;
  const maker = { make: () => world.enrol(`returning-${(names += 1)}`), discard: async () => undefined };
  async function signIn(person: ReturnType<typeof mailed | typeof hubbed>): Promise<number> {
    const outcome = await accounts.identities.signIn(person, maker, { client: null, knownAddress: 'join' });
    if (outcome.kind !== 'signed_in') throw new Error(outcome.kind);
    return outcome.account.operator;
  }
  const openCase = (operator: number, rule: string, severity: 'exclude' | 'hold') =>
    accounts.cases.open([{ operator, rule, severity, boardVersion: 1 }]);
  async function decide(operator: number, action: 'exclude' | 'void', rule = 'identical-series', decided = '0') {
    const seen = { decided, appeal_at: '0', answer_at: '0', rules: rule };
    const request = {
      id: `${operator}/${rule}`,
      by: BY_COMMAND,
      action,
      reason: 'As it is.',
      counts: '',
      seen,
      client: null,
    };
    expect(await accounts.cases.decide(request, world.ranking.operators.applyReview)).to.equal('decided');
  }
  async function exclude(operator: number): Promise<void> {
    await openCase(operator, 'no-input', 'exclude');
    await decide(operator, 'exclude', 'no-input');
  }
  async function erase(operator: number): Promise<void> {
    await accounts.erasures.begin(operator);
    await maintain();
  }
  const findingsOf = async (operator: number) => (await world.ranking.operators.export(operator))?.usage.findings;
  const kept = () => world.connection.collection('excluded_identities').countDocuments();

  it('holds its rows for 90 days, by identity and by address, and numbers them afterwards', async () => {
    const former = await signIn(hubbed('71', 'gone@example.com'));
    await exclude(former);
    await erase(former);
    const from = world.now;
    const byIdentity = await signIn(hubbed('71'));
    const byAddress = await signIn(mailed('gone@example.com'));
    const other = await signIn(hubbed('72', 'other@example.com'));
    await maintain();
    expect(await findingsOf(byIdentity)).to.deep.equal(['returned']);
    expect(await findingsOf(byAddress)).to.deep.equal(['returned']);
    expect(await findingsOf(other)).to.deep.equal([]);
    expect((await accounts.byOperator(byIdentity))?.held_until).to.equal(new Date(from + 90 * DAY_MS).toISOString());
    const entries = [world.entry(byIdentity, { input: 100_000, output: 20_000, cache_read: 900_000 })];
    const [appended] = await world.ranking.log.append(entries);
    if (appended?.kind !== 'stored') throw new Error(appended?.kind);
    await world.ranking.processBatch(appended.batch, entries);
    const rowOf = async () => (await world.ranking.operators.explain('returning-2'))?.windows[0]?.row;
    expect(await rowOf()).to.equal('held');
    world.now = from + 90 * DAY_MS - 1;
    await maintain();
    expect(await rowOf()).to.equal('held');
    world.now += 1;
    await maintain();
    expect(await rowOf()).to.equal('settled');
    expect((await accounts.byOperator(byIdentity))?.held_until).to.equal(null);
    expect(await kept()).to.equal(0);
    expect((await accounts.byOperator(await signIn(hubbed('71'))))?.held_until).to.equal(null);
  });

  it('holds an account to which it is added', async () => {
    const former = await signIn(hubbed('73'));
    await exclude(former);
    await erase(former);
    const other = await signIn(hubbed('74'));
    await accounts.identities.link(other, hubbed('73'), null);
    await maintain();
    expect(await findingsOf(other)).to.deep.equal(['returned']);
  });

  it('holds its rows by every identity that it had at the decision: none is unlinked before the erasure', async () => {
    const former = await signIn(hubbed('91', 'both@example.com'));
    expect(await signIn(mailed('both@example.com'))).to.equal(former);
    const { identities } = accounts;
    expect(await identities.link(former, hubbed('92'), null)).to.equal('linked');
    expect(await identities.unlink(former, 'github:92', null)).to.equal('unlinked');
    await exclude(former);
    expect(await identities.unlink(former, 'github:91', null)).to.equal('excluded');
    await erase(former);
    const returned = await signIn(hubbed('91'));
    await maintain();
    expect(await findingsOf(returned)).to.deep.equal(['returned']);
  });

  it('can be unlinked again once the exclusion ended', async () => {
    const operator = await signIn(hubbed('93'));
    const { identities } = accounts;
    await identities.link(operator, hubbed('94'), null);
    await exclude(operator);
    await decide(operator, 'void', 'no-input', '1');
    expect(await identities.unlink(operator, 'github:94', null)).to.equal('unlinked');
  });

  it('keeps nothing of accounts whose exclusion was not decided, or is not in effect', async () => {
    const before = await kept();
    const [plain, held, cleared, ended] = [
      await signIn(hubbed('76')),
      await signIn(hubbed('77')),
      await signIn(hubbed('78')),
      await signIn(hubbed('79')),
    ];
    await openCase(held, 'identical-series', 'hold');
    await openCase(cleared, 'identical-series', 'exclude');
    await decide(cleared, 'void');
    await openCase(ended, 'no-input', 'exclude');
    await accounts.cases.recordFindings([], { operators: [ended] });
    for (const operator of [plain, held, cleared, ended]) await erase(operator);
    expect(await kept()).to.equal(before);
    const excluded = await signIn(hubbed('80'));
    await openCase(excluded, 'identical-series', 'hold');
    await decide(excluded, 'exclude');
    await erase(excluded);
    expect(await kept()).to.equal(before + 1);
  });

  it('keeps only hashes, which end 90 days after the erasure also when it is repeated', async () => {
    const former = await signIn(mailed('secret@example.com'));
    await exclude(former);
    const erasure = (await accounts.erasures.begin(former))!;
    world.now += DAY_MS;
    await maintain();
    const stored = await world.connection.collection('excluded_identities').find().toArray();
    expect(JSON.stringify(stored)).to.not.include('secret');
    const ends = stored.map(({ expires_at }) => expires_at.getTime());
    expect(ends).to.include(Date.parse(erasure.erased_at) + 90 * DAY_MS);
  });
});
