import { aborted } from 'node:util';
import { expect } from 'chai';
import { DAY_MS } from '../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { type Mailer, openMailer } from '../../../ops/runtime/mailer.ts';
import { sendLetters } from '../../../workers/handlers/send-letters.ts';
import { type MailServer, openMailServer } from '../../support/mail-server.ts';
import { committerOf } from '../../support/open-engine.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

const WEEK_MS = 7 * DAY_MS;

/** A mail server that refuses the sender. */
const REFUSING = {
  check: async () => true as const,
  send: async () => {
    throw Object.assign(new Error('sender refused'), { command: 'MAIL FROM', responseCode: 550 });
  },
};

describe('weekly letters', () => {
  let world: RankingWorld;
  let accounts: Accounts;
  let server: MailServer | null;
  let mailer: Mailer;
  let committer: ReturnType<typeof committerOf>;
  let port: number;
  const refusals = new Map<string, string>();
  const failures: unknown[] = [];

  beforeEach(async () => {
    world = await openRankingWorld();
    committer = committerOf(world.ranking);
    accounts = createAccounts({ connection: world.connection, clock: () => world.now });
    await accounts.ensureIndexes();
    port = await freePort();
    const smtpUrl = `smtp://127.0.0.1:${port}`;
    const config = { smtpUrl, mailFrom: 'no-reply@board.example', local: true, development: 'off' } as const;
    const ways = { github: null, twitter: null, oidc: null };
    mailer = (await openMailer({ ...config, ...ways }, { warn: () => undefined }, () => undefined))!;
    refusals.clear();
    failures.length = 0;
    server = await openMailServer(port, (address) => refusals.get(address));
  });

  afterEach(async () => {
    mailer.close();
    await server?.close();
    await world.close();
  });

  /** An operator with a verified address that switched letters on. */
  async function reader(codename: string): Promise<number> {
    const operator = await world.enrol(codename);
    await accounts.create({ operator });
    const address = `${codename}@board.example`;
    const person = { provider: 'email_magic_link', subject: address, label: address, verifiedEmail: address } as const;
    await accounts.identities.link(operator, person, null);
    expect(await accounts.letters.switchOn(operator, address)).to.equal(true);
    return operator;
  }

  async function submit(operator: number, output: number): Promise<void> {
    const entries = [world.entry(operator, { input: 10, output, cache_read: 1_000 })];
    const [outcome] = await world.ranking.log.append(entries);
    if (outcome?.kind !== 'stored') throw new Error('not stored');
    await world.ranking.processBatch(outcome.batch, entries);
    await commit();
  }

  async function commit(): Promise<void> {
    while (await committer.tick());
  }

  async function pass(ms: number): Promise<void> {
    world.now += ms;
    await world.ranking.advanceHour();
    await commit();
    await world.ranking.compactBoard();
  }

  const contextOf = () => ({
    accounts,
    ranking: world.ranking,
    mailer,
    accountUrl: 'https://board.example/account',
    siteUrl: 'https://board.example',
    logThrottled: (error: unknown) => failures.push(error),
  });
  const send = (change: Partial<Parameters<typeof sendLetters>[0]> = {}) =>
    sendLetters({ ...contextOf(), ...change }, { signal: new AbortController().signal });
  const sentTo = () => server!.mails.map((mail) => /^To: (\S+)@/m.exec(mail)?.[1] ?? '').toSorted();
  const due = async () => (await accounts.letters.due(10)).length;

  it('say the rank, the former one, why it moved and what the next tier takes, in text and in HTML', async () => {
    const [one, two] = [await reader('rising-one'), await reader('other-one')];
    await submit(one, 10);
    await submit(two, 20);
    await pass(DAY_MS);
    await send();
    expect(server!.mails, 'none in the first week').to.deep.equal([]);
    await pass(WEEK_MS);
    await submit(one, 90);
    await send();
    await send();
    expect(sentTo()).to.deep.equal(['other-one', 'rising-one']);
    const mail = await server!.mailWith('rising-one@board.example', 'You are rank');
    const facts = [
      'Subject: rising-one on Upsilon: rank 1 of 2',
      'You are rank 1 of 2 over all time, with a Yield of 900, tier BASE.',
      'rank 2. You gained 1 place: +1 by your own counts, 0 by those of others, 0 by the methodology.',
      'The next tier, POWER, takes a Yield of 1,000: that would be rank 1 now.',
      'https://board.example/operators/rising-one',
    ];
    for (const fact of facts) expect(mail.replaceAll(/\r?\n/g, '\n')).to.include(fact);
    expect(mail)
      .to.match(/Content-Type: text\/plain/)
      .and.match(/Content-Type: text\/html/)
      .and.include('<p>You are rank 1');
    expect(mail, 'no pictures, nothing that is fetched').to.not.match(/<img|src=|url\(|<link|<script/i);
    const own = 'https://board.example/account/letters/end?token=';
    expect(mail).to.match(/^List-Unsubscribe:\s+<https:\/\/board\.example\/account\/letters\/end\?token=[\w-]{43}>/m);
    expect(mail).to.match(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m);
    const addresses = [...mail.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([address]) =>
      address.replace(/(token=).*/, '$1'),
    );
    expect(new Set(addresses)).to.deep.equal(new Set(['https://board.example/operators/rising-one', own]));
    const other = await server!.mailWith('other-one@board.example', 'You are rank');
    expect(other).to.include('You lost 1 place: 0 by your own counts, -1 by those of others, 0 by the methodology');
  });

  it('end by a link of one of the last letters, and by no other secret', async () => {
    const operator = await reader('leaving-one');
    for (const week of [1, 2]) {
      world.now += WEEK_MS * week;
      await send();
    }
    const [first = '', second = ''] = server!.mails.map((mail) => /token=([\w-]{43})/.exec(mail)?.[1]);
    expect(first).to.not.equal(second);
    const stored = JSON.stringify(await world.connection.collection('letters').find().toArray());
    expect(stored).to.not.include(first).and.not.include(second);
    expect(await accounts.letters.switchOffBy('no-secret')).to.equal(false);
    expect(await accounts.letters.switchOffBy(first)).to.equal(true);
    expect(await accounts.letters.switchOffBy(second)).to.equal(false);
    expect(await accounts.letters.of(operator)).to.equal(null);
    world.now += WEEK_MS;
    await send();
    expect(server!.mails).to.have.length(2);
  });

  it('do not go to an operator that is on no board, held by a finding, suspended or erased, or has lost the address', async () => {
    const { ranking } = world;
    const names = ['unlisted-one', 'flagged-one', 'suspended-one', 'erased-one', 'moved-one', 'plain-one'] as const;
    const [unlisted, flagged, suspended, erased, moved] = await Promise.all(names.map(reader));
    await ranking.operators.amend(unlisted!, { listed: false });
    await accounts.cases.open([{ operator: flagged!, rule: 'ratio', severity: 'hold', boardVersion: 1 }]);
    await accounts.suspend(suspended!, true);
    await ranking.operators.amend(suspended!, { suspended: true });
    await ranking.operators.erase(erased!);
    await accounts.erasures.erase(erased!);
    const [way] = await accounts.identities.list(moved!);
    const person = { provider: 'github', subject: '1', label: 'moved', verifiedEmail: null } as const;
    await accounts.identities.link(moved!, person, null);
    await accounts.identities.unlink(moved!, way!.key, null);
    world.now += WEEK_MS;
    await send();
    expect(sentTo()).to.deep.equal(['plain-one']);
    const kept = await Promise.all([accounts.letters.of(erased!), accounts.letters.of(moved!)]);
    expect(kept, 'nothing is kept of these').to.deep.equal([null, null]);
    expect(await due(), 'and none waits').to.equal(0);
  });

  it('are never sent twice, wherever a process dies', async () => {
    await reader('cut-one');
    const { letters } = accounts;
    const dying = (change: Partial<typeof letters>) => ({
      accounts: { ...accounts, letters: { ...letters, ...change } },
    });
    world.now += WEEK_MS;
    // Before the mark: another process sends it.
    const crashed = await send(dying({ mark: async () => Promise.reject(new Error('died')) })).catch(() => 'died');
    expect([crashed, await due()]).to.deep.equal(['died', 1]);
    await send();
    expect(sentTo()).to.deep.equal(['cut-one']);
    // After the mark: the letter of this week is lost.
    world.now += WEEK_MS;
    const marked = dying({
      mark: async (letter) => {
        await letters.mark(letter);
        throw new Error('died');
      },
    });
    expect(await send(marked).catch(() => 'died')).to.equal('died');
    await send();
    expect(sentTo()).to.deep.equal(['cut-one']);
    // After the mail server has it: by the next process it is not sent again.
    world.now += WEEK_MS;
    const [taken, ended] = [new AbortController(), new AbortController()];
    const hung = async (mail: Parameters<Mailer['send']>[0]) => {
      await mailer.send(mail);
      taken.abort();
      await aborted(ended.signal, ended);
    };
    const isTaken = aborted(taken.signal, taken);
    const dead = send({ mailer: { ...mailer, send: hung } });
    await isTaken;
    await send();
    expect(sentTo()).to.deep.equal(['cut-one', 'cut-one']);
    ended.abort();
    await dead;
    // Two processes at once.
    world.now += WEEK_MS;
    await Promise.all([send(), send(), send()]);
    expect(sentTo()).to.deep.equal(['cut-one', 'cut-one', 'cut-one']);
  });

  it('reach the others when one is refused for good, for a time, by a policy, or never answered', async () => {
    const names = ['gone-one', 'full-one', 'barred-one', 'silent-one', 'plain-one'] as const;
    const [gone] = [await reader('gone-one'), await reader('full-one'), await reader('barred-one')];
    await reader('silent-one');
    await reader('plain-one');
    refusals.set('gone-one@board.example', '550 5.1.1 no such mailbox');
    refusals.set('full-one@board.example', '452 4.2.2 mailbox full');
    refusals.set('barred-one@board.example', '550 5.7.1 your address is on a list');
    world.now += WEEK_MS;
    const silent: Mailer['send'] = async (mail) => {
      await mailer.send(mail);
      if (mail.to.startsWith('silent'))
        throw Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT', command: 'CONN' });
    };
    expect(await send({ mailer: { ...mailer, send: silent } }).catch(String)).to.include('Timeout');
    expect([failures.length, await due(), sentTo()]).to.deep.equal([names.length - 1, 1, ['silent-one']]);
    await send({ mailer: { ...mailer, send: silent } });
    expect(sentTo()).to.deep.equal(['plain-one', 'silent-one']);
    expect(await due()).to.equal(0);
    expect(await accounts.letters.of(gone), 'refused for good').to.equal(null);
    refusals.clear();
    world.now += DAY_MS;
    await send();
    expect(sentTo(), 'of those, only what was refused for a time').to.deep.equal([
      'full-one',
      'plain-one',
      'silent-one',
    ]);
  });

  it('wait for a mail server that is away, or refuses the service', async () => {
    await reader('waiting-one');
    world.now += WEEK_MS;
    await server!.close();
    server = null;
    expect(await send().catch((error: unknown) => error)).to.be.an('error');
    expect(await due()).to.equal(1);
    expect(await send({ mailer: REFUSING }).catch((error: unknown) => error)).to.be.an('error');
    server = await openMailServer(port);
    world.now += DAY_MS;
    await send();
    expect(sentTo()).to.deep.equal(['waiting-one']);
  });
});
