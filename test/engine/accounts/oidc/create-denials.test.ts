import { expect } from 'chai';
import { createAccounts, publicGrantId } from '../../../../engine/accounts/index.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../../engine/contract/signing/index.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { openAccounts } from '../open-accounts.ts';

describe('the deny-list', () => {
  const opened = useFixture(openAccounts);
  const other = useFixture(() => opened().another());

  it('takes effect in another process within 4 s, for tokens issued until then', async () => {
    const token = { subject: 'somebody', grant: null, issuedAt: opened().now };
    expect(await other().denials.denies(token)).to.equal(false);
    await opened().accounts.denials.denySubject('somebody');
    expect(await opened().accounts.denials.denies(token)).to.equal(true);
    opened().now += 4_000;
    expect(await other().denials.denies(token)).to.equal(true);
    opened().now += MAX_CLOCK_SKEW_MS;
    expect(await other().denials.denies({ ...token, issuedAt: opened().now })).to.equal(false);
    expect(await other().denials.denies({ ...token, subject: 'somebody-else' })).to.equal(false);
  });

  it('refuses what a process whose clock is ahead issued before', async () => {
    const token = { subject: 'ahead-issuer', grant: null, issuedAt: opened().now + MAX_CLOCK_SKEW_MS };
    expect(await opened().accounts.denials.denies(token)).to.equal(false);
    await opened().accounts.denials.denySubject('ahead-issuer');
    expect(await opened().accounts.denials.denies(token)).to.equal(true);
    expect(await opened().accounts.denials.denies({ ...token, issuedAt: token.issuedAt + 1 })).to.equal(false);
  });

  it('of a subject does not deny grants that the subject gives afterwards', async () => {
    const subject = 'signs-in-again';
    const { oidc, denials } = opened().accounts;
    const grant = async (id: string) => {
      await oidc.put({ model: 'Grant', id, payload: {}, subject, lifetimeSeconds: 3_600 });
      return { subject, grant: publicGrantId(id), issuedAt: opened().now + 1_000 };
    };
    const former = await grant('former-grant');
    await oidc.revokeSubject(subject);
    opened().now += 1_000;
    const later = await grant('later-grant');
    expect(await denials.denies(former)).to.equal(true);
    expect(await denials.denies(later)).to.equal(false);
    expect(await denials.denies({ ...later, issuedAt: opened().now - 1_000 })).to.equal(true);
    await oidc.revokeGrant('later-grant');
    expect(await denials.denies({ ...later, issuedAt: opened().now + MAX_CLOCK_SKEW_MS })).to.equal(true);
  });

  it('outlives a suspension: what was issued before stays refused', async () => {
    const account = await opened().accounts.create({ operator: 4_711 });
    const token = { subject: account.subject, grant: null, issuedAt: opened().now };
    await opened().accounts.suspend(4_711, true);
    opened().now += 4_000;
    await opened().accounts.suspend(4_711, false);
    opened().now += 4_000;
    expect(await other().denials.denies(token)).to.equal(true);
    opened().now += MAX_CLOCK_SKEW_MS;
    expect(await other().denials.denies({ ...token, issuedAt: opened().now })).to.equal(false);
  });

  it('follows a process whose clock is late', async () => {
    const token = { subject: 'late-clock', grant: null, issuedAt: opened().now - 60_000 };
    await other().denials.denies(token);
    opened().now -= 30_000;
    await opened().accounts.denials.denySubject('late-clock');
    opened().now += 34_000;
    expect(await other().denials.denies(token)).to.equal(true);
  });

  it('follows a process whose clock is late by more than the overlap of reads', async () => {
    const late = createAccounts({ connection: opened().connection, clock: () => opened().now - 600_000 });
    const token = { subject: 'very-late-clock', grant: null, issuedAt: opened().now - 3_600_000 };
    await opened().accounts.denials.denySubject('somebody-in-time');
    opened().now += 4_000;
    expect(await other().denials.denies(token)).to.equal(false);
    await late.denials.denySubject('very-late-clock');
    opened().now += 4_000;
    expect(await other().denials.denies(token)).to.equal(true);
  });

  it('holds for a process whose clock was ahead for a moment, by more than a denial is kept', async () => {
    let ahead = 0;
    const leaping = createAccounts({ connection: opened().connection, clock: () => opened().now + ahead });
    const token = { subject: 'before-the-leap', grant: null, issuedAt: opened().now };
    await opened().accounts.denials.denySubject('before-the-leap');
    opened().now += 3_600_000;
    await opened().accounts.denials.denySubject('somebody-later');
    expect(await leaping.denials.denies(token)).to.equal(true);
    ahead = 48 * 3_600_000;
    await leaping.denials.denies(token);
    ahead = 0;
    expect(await leaping.denials.denies(token)).to.equal(true);
  });

  it('is followed by a process whose clock is ahead', async () => {
    const ahead = createAccounts({ connection: opened().connection, clock: () => opened().now + 3_600_000 });
    const token = { subject: 'ahead-clock', grant: null, issuedAt: opened().now };
    await opened().accounts.denials.denySubject('somebody-before');
    expect(await ahead.denials.denies(token)).to.equal(false);
    await opened().accounts.denials.denySubject('ahead-clock');
    opened().now += 4_000;
    expect(await ahead.denials.denies(token)).to.equal(true);
  });

  it('fails closed when it cannot be read', async () => {
    const cut = await openAccounts();
    const token = { subject: 'anybody', grant: null, issuedAt: cut.now };
    expect(await cut.accounts.denials.denies(token)).to.equal(false);
    await cut.close();
    cut.now += 4_000;
    const outcome = await cut.accounts.denials.denies(token).catch((error: unknown) => error);
    expect(outcome)
      .to.be.an('error')
      .with.property('name')
      .that.matches(/^Mongo/);
  });
});
