import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { relianceText } from '../../../../cli/src/commands/status.ts';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import type { LogEntry } from '../../../../engine/ranking/index.ts';
import { runCli } from '../../../cli/support/run-cli.ts';
import { useFolder } from '../../../cli/support/temporary-folder.ts';
import { runsOf } from '../../../support/long-run.ts';
import { appendBatch, enrolDevice, submitBatch } from '../../../support/open-engine.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { makeDeviceKey, signSnapshot, type TestDeviceKey } from '../../../support/signing.ts';
import { type Answered, openTestApi, TEST_NOW, type TestOperator } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { type Page, verifyRow } from './second-verifier.ts';

const WHO = 'glass-house';
const SNAPSHOTS = runsOf(960, 5_000);
/** Longer than the log keeps entries. */
const DAYS = 140;
const A_BATCH = 40;

/** An operator that submitted from two devices for some months, of which one was revoked, with everything that can be left out. */
async function openWorld() {
  const test = await openTestApi();
  const random = seededRandom(runSeed());
  const who = await test.operator(WHO);
  const other = makeDeviceKey();
  await enrolDevice(test.accounts, who, other, test.now);
  await test.accounts.devices.rename(who.operator, other.kid, 'Laptop of a person');
  const row = rowOf(who, other);
  for (let sent = 0; sent < SNAPSHOTS; sent += A_BATCH) {
    test.now = TEST_NOW + Math.floor((sent / SNAPSHOTS) * DAYS * DAY_MS);
    await test.ranking.advanceHour();
    const entries = Array.from({ length: A_BATCH }, () =>
      row.next(test.now, random.integer(0, 60), random.integer(0, 9)),
    );
    await submitBatch(test.ranking, entries);
    if (row.revoked || sent < SNAPSHOTS / 2) continue;
    test.now += HOUR_MS;
    await test.accounts.devices.revoke(who.operator, other.kid);
    row.revoked = true;
  }
  test.now = TEST_NOW + DAYS * DAY_MS + 3 * HOUR_MS;
  await test.ranking.advanceHour();
  const rolledUp = await test.ranking.repair.retainLog();
  await test.ranking.rebuildBoard();
  await test.publish();
  return { test, who, row, other, rolledUp, close: () => test[Symbol.asyncDispose]() };
}

/** Makes snapshots of an operator: streams that grow, one of which begins a new epoch, and one that ended long ago. */
function rowOf(who: TestOperator, other: TestDeviceKey) {
  const totals = new Map<string, number[]>();
  let made = 0;
  const row = {
    revoked: false,
    next(at: number, hoursAgo: number, growth: number): LogEntry {
      made += 1;
      const isOther = made % 3 === 0 && !row.revoked;
      const isOld = made <= A_BATCH && made % 5 === 0;
      const stream = isOld ? { stream: 'ledger-old' } : made % 2 === 0 ? { stream: 'ledger-one' } : {};
      const platform = made % 2 === 0 ? { platform: 'codex' } : {};
      const epoch = made > SNAPSHOTS / 2 && made % 2 === 0 ? 1 : 0;
      const name = `${isOther} ${epoch} ${made % 2}`;
      const sum = (totals.get(name) ?? [0, 0, 0, 0]).map(
        (each, field) => each + growth * [10, 30, 90, 1][field]! + field,
      );
      totals.set(name, sum);
      const [input = 0, output = 0, cache_read = 0, cache_write = 0] = sum;
      const payload = { codename: WHO, input: input + 1_000, output, cache_read, cache_write, ...platform };
      return entryOf(who, isOther ? other : who.key, payload, {
        at,
        hoursAgo,
        ...stream,
        ...(epoch > 0 ? { epoch } : {}),
      });
    },
  };
  return row;
}

function entryOf(
  { operator }: TestOperator,
  key: TestDeviceKey,
  payload: LogEntry['payload'],
  { at, hoursAgo, ...more }: { readonly at: number; readonly hoursAgo: number; readonly [member: string]: unknown },
): LogEntry {
  const iat = Math.floor(at / 1_000);
  const { platform, ...counts } = payload;
  const signed = platform === undefined ? counts : { ...counts, platform };
  const header = { iat, as_of: iat - hoursAgo * 3_600, ...more };
  const signature = signSnapshot(key, signed, header);
  const { jti } = JSON.parse(Buffer.from(signature.split('.')[0]!, 'base64url').toString());
  return { operator, jti, receivedAt: at, payload, signature };
}

/** Changes that tests make to pages. */
const first = (change: (page: Page) => unknown) => (copy: Page[]) => {
  change(copy[0]!);
  return copy;
};
const forge = ({ snapshots: [snapshot] }: Page) =>
  (snapshot!.payload = snapshot!.payload.replace('"output":', '"output":1'));

const withOutput = (page: Page) => ({
  ...page,
  windows: { ...page.windows, '7d': { ...page.windows['7d'], output: Number(page.windows['7d']!['output']) + 1 } },
});

describe('an open row', () => {
  const world = useFixture(openWorld);
  const home = useFolder();

  const ask = (query = '', codename = WHO): Promise<Answered> =>
    world().test.get(`/api/v1/operators/${codename}/snapshots${query}`);
  const setOpen = (open: boolean) => world().test.ranking.operators.amend(world().who.operator, { open });

  async function walk(): Promise<Page[]> {
    const pages: Page[] = [];
    for (let query = ''; ; ) {
      const { status, text, headers } = await ask(query);
      expect(status).to.equal(200);
      expect(headers.get('cache-control')).to.equal('no-store');
      const page: Page = JSON.parse(text);
      pages.push(page);
      if (page.next === null) return pages;
      query = `?before=${page.next}`;
    }
  }

  /** What the tool says of these pages, from a file. */
  async function offline(pages: unknown) {
    const file = join(home(), 'row.json');
    await writeFile(file, JSON.stringify(pages));
    const nowhere = { UPSILON_BASE_URL: 'http://127.0.0.1:9/api/v1' };
    const { exit, stdout } = await runCli(home(), ['verify', WHO, '--from', file, '--json'], nowhere);
    return { exit, ...JSON.parse(stdout) };
  }

  it('is closed until its operator opens it, and says so in the row', async () => {
    expect((await ask()).json).to.include({ status: 404, code: 'row_not_open' });
    const profile = () => world().test.get(`/api/v1/operators/${WHO}`);
    const page = async () => (await world().test.get(`/operators/${WHO}`, { accept: 'text/markdown' })).text;
    expect((await profile()).json).to.include({ open: false });
    expect(await page()).to.not.include('/developers/open-rows');
    await setOpen(true);
    await world().test.publish();
    expect((await profile()).json).to.include({ open: true });
    expect(await page()).to.include('/developers/open-rows');
    expect(relianceText((await profile()).json!, '')).to.include('The row is open');
    const { json } = await world().test.get('/api/v1/leaderboard?include=held');
    expect(JSON.stringify(json)).to.include('"open":true').and.not.include('"open":false');
  });

  it('is verified and recomputed by an implementation that was made from the documents, and by the tool', async () => {
    const pages = await walk();
    expect(pages.length).to.be.above(1);
    const hasOurWord = pages.map(({ by_our_word }) => by_our_word !== null);
    expect(hasOurWord, 'on the last page alone').to.deep.equal(pages.map((_, at) => at === pages.length - 1));
    const { verified, signed, faults } = verifyRow(pages);
    expect(faults).to.deep.equal([]);
    expect(world().rolledUp).to.be.above(100);
    expect(verified).to.equal(SNAPSHOTS - world().rolledUp);
    expect(signed).to.include.members(['7d', '30d', '90d']).and.not.include('all_time');
    const file = join(home(), 'saved.json');
    const baseUrl = `${world().test.origin}/api/v1`;
    const run = await runCli(home(), ['verify', WHO, '--save', file], { UPSILON_BASE_URL: baseUrl });
    expect(run.stderr).to.equal('');
    expect(run.exit).to.equal(0);
    expect(run.stdout)
      .to.include('All time: ')
      .and.include("in part by the service's word")
      .and.include('Not checked:');
    const again = await offline(JSON.parse(await readFile(file, 'utf8')));
    expect(again).to.deep.include({ exit: 0, snapshots: verified, keys: 2, faults: [] });
    expect(again.left_out).to.equal(0);
  });

  it('shows what was changed in it, and which page is missing', async () => {
    const pages = await walk();
    const changed = async (change: (copy: Page[]) => Page[], fault: RegExp, second: string) => {
      const kept = change(structuredClone(pages));
      const { exit, faults } = await offline(kept);
      expect(exit).to.equal(1);
      expect(faults.join('\n')).to.match(fault);
      expect(verifyRow(kept).faults.join('\n')).to.include(second);
    };
    await changed(first(forge), /signature does not fit/, 'signature');
    await changed(
      first(({ keys }) => (keys[0]!.x = makeDeviceKey().x)),
      /id is that of another key/,
      'key',
    );
    await changed((copy) => copy.slice(1), /a page is missing/, 'page');
    await changed((copy) => copy.slice(0, -1), /a page is missing/, 'page');
    await changed(
      first(({ windows }) => (windows['all_time']!['input']! += 1)),
      /row changed/,
      'changed',
    );
    await changed((copy) => copy.map(withOutput), /7 days/, '7d');
    await changed((copy) => copy.map((page) => ({ ...page, by_our_word: null })), /All time/, 'all_time');
    expect((await offline([{ codename: WHO }])).error.code).to.equal('answer_unreadable');
  });

  it('has what a revoked device signed before, and nothing that came after', async () => {
    const { other } = world();
    const pages = await walk();
    const revokedAt = pages[0]!.keys.find(({ kid }) => kid === other.kid)!.revoked_at;
    expect(revokedAt).to.be.a('string');
    const moved = pages.map((page) => ({
      ...page,
      keys: page.keys.map((key) =>
        key.kid === other.kid ? { ...key, revoked_at: new Date(TEST_NOW).toISOString() } : key,
      ),
    }));
    expect(verifyRow(moved).faults).to.include('revoked');
    expect((await offline(moved)).faults.join('\n')).to.include('after its key was revoked');
  });

  it('counts what it leaves out, and shows nothing private', async () => {
    const { test, who, row } = world();
    const voided = row.next(test.now, 0, 5);
    await submitBatch(test.ranking, [voided]);
    expect((await test.ranking.repair.void(who.operator, { jti: voided.jti })).kind).to.equal('voided');
    await submitBatch(test.ranking, [{ ...row.next(test.now, 0, 5), payload: { ...voided.payload, output: 7 } }]);
    await appendBatch(test.ranking, [row.next(test.now, 0, 0)]);
    const pages = await walk();
    expect(pages.reduce((total, { left_out }) => total + left_out, 0)).to.equal(3);
    expect(verifyRow(pages).faults).to.deep.equal([]);
    const text = JSON.stringify(pages);
    expect(text).to.not.include('Laptop of a person').and.not.include(`"operator":${who.operator}`);
    expect(Object.keys(pages[0]!.keys[0]!)).to.have.members(['kid', 'x', 'created_at', 'revoked_at']);
  });

  it('ends at once when it is closed, hidden or suspended between two pages', async () => {
    const { test, who } = world();
    const { json } = await ask();
    const more = `?before=${String(json!['next'])}`;
    await setOpen(false);
    expect((await ask(more)).json).to.include({ status: 404, code: 'row_not_open' });
    const closed = await runCli(home(), ['verify', WHO, '--json'], { UPSILON_BASE_URL: `${test.origin}/api/v1` });
    expect(JSON.parse(closed.stdout).error.code).to.equal('row_not_open');
    await setOpen(true);
    for (const change of ['listed', 'suspended'] as const) {
      await test.ranking.operators.amend(who.operator, change === 'listed' ? { listed: false } : { suspended: true });
      expect((await ask(more)).json).to.include({ status: 404, code: 'operator_unknown' });
      await test.ranking.operators.amend(who.operator, change === 'listed' ? { listed: true } : { suspended: false });
    }
    expect((await test.ranking.operators.hide(who.operator, true)).kind).to.equal('changed');
    expect((await ask(more)).json).to.include({ status: 404, code: 'operator_unknown' });
    test.now += DAY_MS;
    await test.ranking.operators.hide(who.operator, false);
    expect((await ask(more)).status).to.equal(200);
  });

  it('is gone with its operator, also between two pages', async () => {
    const { test, who } = world();
    const { json } = await ask();
    await test.ranking.operators.erase(who.operator);
    for (const query of ['', `?before=${String(json!['next'])}`]) {
      expect((await ask(query)).json).to.include({ status: 404, code: 'operator_unknown' });
    }
  });
});
