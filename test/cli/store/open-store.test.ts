import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openSqlite } from '../../../cli/src/files/sqlite.ts';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
import { usageByPlatform } from '../../../cli/src/store/buckets.ts';
import { type StoreUse, storeLockPath, storePath, withStore } from '../../../cli/src/store/open-store.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { runsOf } from '../../support/long-run.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { failureOf } from '../support/parsing.ts';
import { type Scanned, scanSource } from '../support/scan-source.ts';
import { damageStore, useStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ONCE = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
const TWICE = { input: 20, output: 40, cache_read: 60, cache_write: 80 };
const LONG_AGO = new Date('2026-05-01T10:00:00Z');

describe('the store of a settings folder', () => {
  const folder = useFolder();
  const path = (): string => storePath(folder());

  /** Writes a log with an old modification time. */
  const writeOldLog = async (name: string, ...ids: readonly string[]): Promise<string> => {
    const lines = ids.map((id) => assistantLine({ id, request: 'r' }));
    const log = await writeLog(join(folder(), 'logs'), name, lines);
    await utimes(log, LONG_AGO, LONG_AGO);
    return log;
  };
  const scan = (store: UsageStore) => scanSource(claudeCode, [join(folder(), 'logs')], store);
  /** One run of the tool: opens the store, scans, keeps what it counted. */
  const runOnce = (): Promise<Scanned> => useStore(folder(), scan);
  /** As `runOnce`, with other uses of the store. Returns what it warned of, too. */
  const runWith = async (use: Partial<StoreUse>) => {
    const warnings: string[] = [];
    const warn = (text: string): void => void warnings.push(text);
    const scanned = await withStore(folder(), { epoch: 0, keep: true, warn, ...use }, (store) => scan(store));
    return { warnings, messages: scanned.messages, changed: scanned.changed };
  };
  const totals = (): Promise<object> =>
    useStore(folder(), (store) => ({ ...usageByPlatform(store.buckets(), new Set()).get('claude-code')!.totals }));

  it('reads a file once, and again when it has changed', async () => {
    const log = await writeOldLog('one.jsonl', 'a');
    await writeOldLog('two.jsonl', 'a');
    expect(await runOnce()).to.include({ changed: 2, messages: 1, repeats: 1 });
    expect(await runOnce()).to.include({ changed: 0, messages: 1, repeats: 1 });
    await appendFile(log, `${assistantLine({ id: 'b', request: 'r' })}\n`);
    const later = await runOnce();
    expect(later).to.include({ changed: 1, messages: 2 });
    expect(later.totals).to.deep.equal(TWICE);
  });

  it('reads a recently modified file again', async () => {
    const log = await writeOldLog('one.jsonl', 'a');
    await utimes(log, new Date(), new Date());
    expect(await runOnce()).to.include({ changed: 1 });
    expect(await runOnce()).to.include({ changed: 1 });
  });

  it('keeps the counts of deleted logs, and adds new ones', async () => {
    const log = await writeOldLog('one.jsonl', 'a');
    await runOnce();
    await rm(log);
    await writeOldLog('two.jsonl', 'b');
    const later = await runOnce();
    expect(later.totals).to.deep.equal(TWICE);
    expect(later).to.include({ messages: 2, kept: 1, files: 1 });
  });

  it('is one file that only its owner can read, also while it is written', async () => {
    await writeOldLog('one.jsonl', 'a');
    await useStore(folder(), async (store) => {
      await scan(store);
      for (const file of [path(), `${path()}-wal`]) expect((await stat(file)).mode & 0o777, file).to.equal(0o600);
    });
    expect((await stat(path())).mode & 0o777).to.equal(0o600);
    expect((await readdir(folder())).sort()).to.deep.equal(['logs', 'usage.db']);
  });

  it('is used by one run at a time, which wait for each other and lose nothing', async () => {
    const open: string[] = [];
    const runs = ['a', 'b', 'c'].map((id) =>
      useStore(folder(), async (store) => {
        open.push(id);
        const log = await writeOldLog(`${id}.jsonl`, id);
        await scan(store);
        await rm(log);
        expect(open.at(-1)).to.equal(id);
      }),
    );
    await Promise.all(runs);
    expect(await totals()).to.deep.equal({ input: 30, output: 60, cache_read: 90, cache_write: 120 });
  });

  it('keeps nothing of an action that failed, but what it committed', async () => {
    await writeOldLog('one.jsonl', 'a');
    const failure = failureOf(
      useStore(folder(), async (store) => {
        await scan(store);
        store.commit();
        await writeOldLog('two.jsonl', 'b');
        await scan(store);
        store.epoch = 5;
        throw new Error('a failure');
      }),
    );
    expect((await failure).message).to.equal('a failure');
    expect(await totals()).to.deep.equal(ONCE);
    expect(await useStore(folder(), ({ epoch }) => epoch)).to.equal(0);
  });

  it('removes what a killed run left: the lock of the driver, and a store that was not complete', async () => {
    await writeOldLog('one.jsonl', 'a');
    await mkdir(`${path()}.lock`);
    await mkdir(`${path()}.new.lock`);
    await writeFile(`${path()}.new`, 'not complete');
    await writeFile(storeLockPath(folder()), '999999999 dead');
    expect(await runOnce()).to.include({ changed: 1 });
    await mkdir(`${path()}.lock`);
    expect(await runOnce()).to.include({ changed: 0 });
    expect((await readdir(folder())).sort()).to.deep.equal(['logs', 'usage.db']);
  });

  it('commits nothing once another run has broken its lock', async () => {
    await writeOldLog('one.jsonl', 'a');
    const failure = await failureOf(
      useStore(folder(), async (store) => {
        await scan(store);
        await writeFile(storeLockPath(folder()), `${process.pid} another-run`);
      }),
    );
    expect(failure.message).to.include('another run of this tool broke the lock');
    await rm(storeLockPath(folder()));
    expect(await runOnce()).to.include({ changed: 1 });
  });

  it('is copied where changes are not kept', async () => {
    await writeOldLog('one.jsonl', 'a');
    expect(await runWith({ keep: false })).to.deep.equal({ warnings: [], messages: 1, changed: 1 });
    expect(existsSync(path())).to.equal(false);
    await runOnce();
    await writeOldLog('two.jsonl', 'b');
    const before = await readFile(path());
    expect(await runWith({ keep: false })).to.deep.equal({ warnings: [], messages: 2, changed: 1 });
    // This process lives.
    await writeFile(storeLockPath(folder()), `${process.pid} this-test`);
    const { warnings, ...rest } = await runWith({ keep: 'where writable' });
    expect(rest).to.deep.equal({ messages: 2, changed: 1 });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include(`another run of this tool holds the lock ${storeLockPath(folder())}`);
    await rm(join(folder(), 'logs/two.jsonl'));
    expect(await runWith({ keep: 'where writable' })).to.deep.equal({ warnings: [], messages: 1, changed: 0 });
    expect(await readFile(path())).to.deep.equal(before);
  });

  it('is refused with one sentence when a newer version wrote it, and left as it is', async () => {
    await runOnce();
    const database = await openSqlite(path());
    database.exec('PRAGMA user_version = 2');
    database.close();
    const before = await readFile(path());
    for (const keep of [true, false, 'where writable'] as const) {
      const failure = await failureOf(runWith({ keep }));
      expect(failure).to.include({ exit: 'files', code: 'store_newer' });
      expect(failure.message).to.equal(`${path()} is of a newer version of this tool`);
    }
    expect(await readFile(path())).to.deep.equal(before);
  });

  it('is recounted when it is damaged, and moved aside', async () => {
    await writeOldLog('one.jsonl', 'a');
    await runOnce();
    const whole = await readFile(path());
    const other = join(folder(), 'other.db');
    const database = await openSqlite(other);
    database.exec('CREATE TABLE usages (key INTEGER)');
    database.close();
    const garbage = Buffer.alloc(whole.length, 'x');
    const contents = [
      await damageStore(path()),
      whole.subarray(0, 5000),
      garbage,
      Buffer.alloc(0),
      await readFile(other),
    ];
    for (const [index, content] of contents.entries()) {
      await writeFile(path(), content);
      expect((await runWith({ keep: false })).warnings[0]).to.include(`${path()} was damaged`);
      expect(await readFile(path())).to.deep.equal(content);
      const { warnings, ...rest } = await runWith({});
      expect(rest).to.deep.equal({ messages: 1, changed: 1 });
      expect(warnings).to.have.length(1);
      // Those of earlier damage stay.
      const aside = `${path()}.damaged${index === 0 ? '' : `-${index + 1}`}`;
      expect(await readFile(aside)).to.deep.equal(content);
      expect(await runWith({})).to.deep.equal({ warnings: [], messages: 1, changed: 0 });
    }
  });

  it('is read or recounted whatever bytes of it are damaged', async () => {
    await writeOldLog('one.jsonl', 'a', 'b', 'c');
    await runOnce();
    const whole = await readFile(path());
    const flips = fc.array(fc.tuple(fc.nat({ max: whole.length - 1 }), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(flips, async (list) => {
        const broken = Buffer.from(whole);
        for (const [place, bits] of list) broken[place]! ^= bits;
        await writeFile(path(), broken);
        const failure = await runWith({}).then(
          () => null,
          (error: unknown) => error,
        );
        // The number of the version may be among the bytes.
        if (failure !== null) expect(failure).to.include({ code: 'store_newer' });
        for (const name of await readdir(folder())) {
          if (name.includes('.damaged')) await rm(join(folder(), name));
        }
      }),
      { numRuns: runsOf(12, 1_000) },
    );
  });
});
