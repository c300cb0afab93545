import { expect } from 'chai';
import { DAY_MS, readableMinute } from '../../../config/units.ts';
import { type Accounts, createAccounts } from '../../../engine/accounts/index.ts';
import { createBilling } from '../../../engine/billing/index.ts';
import { seenOf } from '../../../engine/integrity/cases/index.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { type Mailer, openMailer } from '../../../ops/runtime/mailer.ts';
import { mailCases } from '../../../workers/handlers/mail-cases.ts';
import { maintainAccounts } from '../../../workers/handlers/maintain-accounts.ts';
import { type MailServer, openMailServer } from '../../support/mail-server.ts';
import { openRankingWorld, type RankingWorld } from '../../support/ranking-world.ts';

const stopped = async () => Promise.reject(new Error('the process stopped'));

describe('mails about integrity cases', () => {
  let world: RankingWorld;
  let accounts: Accounts;
  let server: MailServer | null = null;
  let mailer: Mailer;
  let port: number;
  const refusals = new Map<string, string>();
  const failures: unknown[] = [];
  const outcomes: string[] = [];

  before(async () => {
    world = await openRankingWorld();
    accounts = createAccounts({ connection: world.connection, clock: () => world.now });
    await accounts.ensureIndexes();
    port = await freePort();
    const smtpUrl = `smtp://127.0.0.1:${port}`;
    const config = { smtpUrl, mailFrom: 'no-reply@board.example', local: true, development: 'off' } as const;
    mailer = (await openMailer(
      { ...config, github: null, twitter: null, oidc: null },
      { warn: () => undefined },
      (outcome) => outcomes.push(outcome),
    ))!;
  });

  after(async () => {
    mailer.close();
    await server?.close();
    await world.close();
  });

  async function operatorWith(codename: string, address: string | null): Promise<number> {
    const operator = await world.enrol(codename);
    await accounts.create({ operator });
    if (address !== null) {
      const person = {
        provider: 'email_magic_link',
        subject: address,
        label: address,
        verifiedEmail: address,
      } as const;
      await accounts.identities.link(operator, person, null);
    }
    return operator;
  }

  const mail = (by: Pick<Mailer, 'send'> = mailer) =>
    mailCases({
      accounts,
      ranking: world.ranking,
      mailer: { ...mailer, ...by },
      accountUrl: 'https://board.example/account',
      clock: () => world.now,
      logThrottled: (error) => failures.push(error),
    });
  const flag = (operator: number) =>
    accounts.cases.open([{ operator, rule: 'ratio', severity: 'hold', boardVersion: 1 }]);
  const dueNotices = async () => {
    const { cases, reports } = await accounts.cases.dueNotices(10);
    return [cases.length, reports.length];
  };

  it('wait for the mail server, for a day', async () => {
    await flag(await operatorWith('early-row', 'early@board.example'));
    await mail();
    expect([failures.length, await dueNotices()]).to.deep.equal([1, [1, 0]]);
    expect(outcomes).to.deep.equal(['failed']);
    world.now += DAY_MS + 1;
    await mail();
    expect([failures.length, await dueNotices()]).to.deep.equal([1, [0, 0]]);
    server = await openMailServer(port, (address) => refusals.get(address));
  });

  it('are sent once, to operators with an address, when a case is opened', async () => {
    const operator = await operatorWith('mailed-row', 'mailed@board.example');
    await flag(operator);
    await flag(await operatorWith('silent-row', null));
    await mail();
    await mail();
    const text = await server!.mailWith('mailed@board.example', 'ratio: ');
    expect(text).to.include('https://board.example/account#integrity').and.include('mailed-row');
    expect(server!.mails).to.have.length(1);
    expect(outcomes).to.deep.equal(['failed', 'sent']);
    expect((await accounts.cases.ofOperator(operator))[0]?.notified_at).to.deep.equal(new Date(world.now));
    expect(await dueNotices()).to.deep.equal([0, 0]);
  });

  it('are sent for a new case also where an older one could not be mailed in time', async () => {
    const operator = await operatorWith('found-twice', 'twice@board.example');
    await flag(operator);
    world.now += DAY_MS + 1;
    await accounts.cases.open([{ operator, rule: 'first-rule', severity: 'hold', boardVersion: 1 }]);
    await mail();
    expect(server!.mails.filter((sent) => sent.includes('found-twice'))).to.have.length(1);
    expect(await server!.mailWith('twice@board.example', 'first-rule: ')).to.include('- ratio: ');
    expect(await dueNotices()).to.deep.equal([0, 0]);
  });

  it('list all findings of an operator in one mail, each with when its evidence is public', async () => {
    const operator = await operatorWith('many-findings', 'many@board.example');
    await accounts.cases.open([
      { operator, rule: 'first-rule', severity: 'hold', boardVersion: 1 },
      { operator, rule: 'no-input', severity: 'exclude', boardVersion: 1 },
      { operator, rule: 'second-rule', severity: 'hold', boardVersion: 1 },
    ]);
    await mail();
    const text = await server!.mailWith('many@board.example', 'first-rule: ');
    const public72 = readableMinute(world.now + 3 * DAY_MS);
    expect(text).to.include(`72 hours after the finding: on ${public72}.`);
    expect(text).to.match(/no-input: .*\s+Effect: excluded from the boards\. The evidence is public\./);
    expect(text).to.match(/- first-rule: .*\r?\n- second-rule: .*\s+Effect: not numbered on the boards\./);
    expect(text).to.match(/Effect: not numbered[^]*What to do: [^]*an answer[^]*no-input: /);
    expect(text).to.match(/no-input: [^]*What to do: [^]*Otherwise appeal at your account/);
    expect(server!.mails.filter((sent) => sent.includes('many-findings'))).to.have.length(1);
    const mailed = (await accounts.cases.ofOperator(operator)).map(({ notified_at }) => notified_at?.getTime());
    expect(mailed).to.deep.equal([world.now, world.now, world.now]);
  });

  it('are sent once more when the finding is gone for a day', async () => {
    const operator = await operatorWith('fading-row', 'fading@board.example');
    await flag(operator);
    await mail();
    await accounts.cases.recordFindings([], { operators: [operator] });
    await mail();
    const sent = () => server!.mails.filter((text) => text.includes('fading-row'));
    expect(sent()).to.have.length(1);
    world.now += DAY_MS;
    for (let run = 0; run < 2; run += 1) await mail();
    await server!.mailWith('fading@board.example', 'Closed: the present counts no longer cross the bound.');
    expect(sent()).to.have.length(2);
  });

  it('say after a void finding that the others still apply, to both sides', async () => {
    const moderator = await operatorWith('void-moderator', null);
    await accounts.setModerator(moderator, true);
    const reporter = await operatorWith('void-reader', 'void-reader@board.example');
    const operator = await operatorWith('void-row', 'void-row@board.example');
    await flag(operator);
    await mail();
    await accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 1 });
    const request = { id: `${operator}/reported`, by: moderator, action: 'void', reason: 'Explained.' } as const;
    const seen = { decided: '0', appeal_at: '0', answer_at: '0', rules: 'reported' };
    await accounts.cases.decide({ ...request, counts: '', seen, client: null }, async () => undefined);
    await mail();
    for (const address of ['void-row@board.example', 'void-reader@board.example']) {
      const text = await server!.mailWith(address, 'Reason: Explained.');
      expect(text).to.include('Other findings still apply.').and.not.include('What to do');
    }
  });

  it('are one about a decision of an appeal, with all of its cases', async () => {
    const moderator = await operatorWith('appeal-moderator', null);
    await accounts.setModerator(moderator, true);
    const operator = await operatorWith('appealing-row', 'appealing@board.example');
    const rules = ['no-input', 'output-beyond-response'] as const;
    await accounts.cases.open(rules.map((rule) => ({ operator, rule, severity: 'exclude', boardVersion: 1 })));
    await mail();
    const [first] = await accounts.cases.ofOperator(operator);
    await accounts.cases.appeal(first!, 'A merged log.', '1 2');
    const found = (await accounts.cases.find(first!._id))!;
    const seen = seenOf(found, await accounts.cases.ofOperator(operator), () => []);
    const request = { id: found._id, by: moderator, action: 'void', reason: 'It was merged.', seen } as const;
    await accounts.cases.decide({ ...request, counts: '', client: null }, async () => undefined);
    for (let run = 0; run < 2; run += 1) await mail();
    const text = await server!.mailWith('appealing@board.example', 'Reason: It was merged.');
    expect(text).to.match(/- no-input: [^]*- output-beyond-response: /);
    expect(text.match(/Reason: /g)).to.have.length(1);
    expect(server!.mails.filter((sent) => sent.includes('appealing-row'))).to.have.length(2);
  });

  it('tell both sides of a decision that maintenance completed, without who reported or decided', async () => {
    const moderator = await operatorWith('careful-moderator', null);
    await accounts.setModerator(moderator, true);
    const reporter = await operatorWith('watchful-reader', 'reader@board.example');
    const operator = await operatorWith('reported-row', 'reported@board.example');
    await accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 1 });
    await mail();
    expect(server!.mails.filter((text) => text.includes('reported-row'))).to.deep.equal([]);
    const request = {
      id: `${operator}/reported`,
      by: moderator,
      action: 'exclude',
      reason: 'It doubles hourly.',
    } as const;
    const seen = { decided: '0', appeal_at: '0', answer_at: '0', rules: 'reported' };
    await accounts.cases.decide({ ...request, counts: '', seen, client: null }, stopped).catch(() => undefined);
    const billing = createBilling({ connection: world.connection, clock: () => world.now });
    await maintainAccounts({ accounts, billing, ranking: world.ranking });
    await mail();
    const answers = [
      await server!.mailWith('reported@board.example', 'It doubles hourly.'),
      await server!.mailWith('reader@board.example', 'It doubles hourly.'),
    ];
    for (const text of answers) expect(text).to.include('reported-row').and.not.include('careful-moderator');
    expect(answers[0]).to.not.include('watchful-reader');
    expect(await dueNotices()).to.deep.equal([0, 0]);
  });

  it('reach the others when one is refused for good, for a time, or by a policy, and wait for a server that refuses or is silent', async () => {
    const names = ['gone', 'full', 'barred', 'plain'] as const;
    const reporters = await Promise.all(
      names.map((name) => operatorWith(`${name}-reporter`, `r-${name}@board.example`)),
    );
    const operators = await Promise.all(names.map((name) => operatorWith(`${name}-row`, `${name}@board.example`)));
    const moderator = await operatorWith('fair-moderator', null);
    await accounts.setModerator(moderator, true);
    for (const [index, operator] of operators.entries()) {
      const id = `${operator}/reported`;
      await accounts.cases.report({ reporter: reporters[index]!, operator, reason: 'counts', boardVersion: 1 });
      const seen = { decided: '0', appeal_at: '0', answer_at: '0', rules: 'reported' };
      const request = { id, by: moderator, action: 'exclude', reason: 'It doubles.', seen, counts: '' } as const;
      await accounts.cases.decide({ ...request, client: null }, async () => undefined);
    }
    for (const prefix of ['', 'r-']) {
      refusals.set(`${prefix}gone@board.example`, '550 5.1.1 no such mailbox');
      refusals.set(`${prefix}full@board.example`, '452 4.2.2 mailbox full');
      refusals.set(`${prefix}barred@board.example`, '550 5.7.1 your address is on a list');
    }
    const before = server!.mails.length;
    const sentTo = () => server!.mails.slice(before).map((text) => /^To: (\S+)@/m.exec(text)?.[1]);
    for (const error of [
      { command: 'MAIL FROM', responseCode: 550 },
      { code: 'ETIMEDOUT', command: 'CONN' },
    ]) {
      await mail({ send: async () => Promise.reject(Object.assign(new Error('no'), error)) });
      expect(await dueNotices(), 'nothing is given up').to.deep.equal([names.length, names.length]);
    }
    await mail();
    expect([sentTo(), await dueNotices()]).to.deep.equal([
      ['plain', 'r-plain'],
      [1, 1],
    ]);
    refusals.clear();
    await mail();
    expect([sentTo().slice(2), await dueNotices()]).to.deep.equal([
      ['full', 'r-full'],
      [0, 0],
    ]);
  });
});
