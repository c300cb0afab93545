import { appendFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
import type { Source } from '../../../cli/src/sources/source.ts';
import { openStore, saveStore } from '../../../cli/src/store/open-store.ts';
import { usagePath } from '../../../cli/src/store/usage-file.ts';
import { emptyStore, type UsageStore } from '../../../cli/src/store/usage-store.ts';
import { addUpUsage, summarize } from '../../../cli/src/store/usage-summary.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { scanSource } from '../support/scan-source.ts';
import { useFolder } from '../support/temporary-folder.ts';

const ONCE = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
const TWICE = { input: 20, output: 40, cache_read: 60, cache_write: 80 };
const LONG_AGO = new Date('2026-05-01T10:00:00Z');

describe('the usage store', () => {
  const folder = useFolder();

  /** Writes a log with an old modification time. */
  const writeOldLog = async (name: string, ...ids: readonly string[]): Promise<string> => {
    const path = await writeLog(
      join(folder(), 'logs'),
      name,
      ids.map((id) => assistantLine({ id, request: 'r' })),
    );
    await utimes(path, LONG_AGO, LONG_AGO);
    return path;
  };
  const scan = (store: UsageStore, source: Source = claudeCode) => scanSource(source, [join(folder(), 'logs')], store);
  /** One run of the tool: opens the store, scans, saves it. */
  const runOnce = async (): Promise<Awaited<ReturnType<typeof scan>>> => {
    const opened = await openStore(folder(), 0);
    const scanned = await scan(opened.store);
    await saveStore(folder(), opened);
    return scanned;
  };

  it('reads a file once, and again when it has changed', async () => {
    const path = await writeOldLog('one.jsonl', 'a');
    await writeOldLog('two.jsonl', 'a');
    expect(await runOnce()).to.include({ changed: 2, messages: 1, repeats: 1 });
    expect(await runOnce()).to.include({ changed: 0, messages: 1, repeats: 1 });
    await appendFile(path, `${assistantLine({ id: 'b', request: 'r' })}\n`);
    const later = await runOnce();
    expect(later).to.include({ changed: 1, messages: 2 });
    expect(later.totals).to.deep.equal(TWICE);
  });

  it('reads a recently modified file again', async () => {
    const path = await writeOldLog('one.jsonl', 'a');
    await utimes(path, new Date(), new Date());
    expect(await runOnce()).to.include({ changed: 1 });
    expect(await runOnce()).to.include({ changed: 1 });
  });

  it('reads everything again by a newer version of a source', async () => {
    await writeOldLog('one.jsonl', 'a');
    const opened = await openStore(folder(), 0);
    await scan(opened.store);
    expect(await scan(opened.store, { ...claudeCode, version: claudeCode.version + 1 })).to.include({ changed: 1 });
  });

  it('keeps the counts of deleted logs, and adds new ones', async () => {
    const path = await writeOldLog('one.jsonl', 'a');
    await runOnce();
    await rm(path);
    await writeOldLog('two.jsonl', 'b');
    const later = await runOnce();
    expect(later.totals).to.deep.equal(TWICE);
    expect(later).to.include({ messages: 2, kept: 1, files: 1 });
  });

  it('loses nothing of concurrent runs', async () => {
    await writeOldLog('one.jsonl', 'a');
    const one = await openStore(folder(), 0);
    const other = await openStore(folder(), 0);
    await scan(one.store);
    await rm(join(folder(), 'logs', 'one.jsonl'));
    await writeOldLog('two.jsonl', 'b');
    await scan(other.store);
    await Promise.all([saveStore(folder(), one), saveStore(folder(), other)]);
    expect(totalsOf((await openStore(folder(), 0)).store)).to.deep.equal(TWICE);
    expect((await readdir(folder())).sort()).to.deep.equal(['logs', 'usage.bin']);
  });

  it('yields to a concurrent recount, and not to an older one', async () => {
    await writeOldLog('one.jsonl', 'a');
    const slow = await openStore(folder(), 0);
    await scan(slow.store);
    await saveStore(folder(), { store: emptyStore(1), damaged: null, checksum: null });
    await saveStore(folder(), slow);
    const recounted = (await openStore(folder(), 0)).store;
    expect(recounted).to.include({ epoch: 1 });
    // Counts by older rules do not come back into it.
    expect(recounted.files).to.deep.equal([]);
    expect(recounted.table.stored().rows.times).to.have.length(0);
    const newer = { ...slow.store, epoch: 2 };
    await saveStore(folder(), { store: newer, damaged: null, checksum: null });
    const { store } = await openStore(folder(), 0);
    expect(store.epoch).to.equal(2);
    expect(totalsOf(store)).to.deep.equal(ONCE);
  });

  it('yields to a new epoch of the same usage, as a submission begins it', async () => {
    await writeOldLog('one.jsonl', 'a');
    await runOnce();
    const slow = await openStore(folder(), 0);
    await saveStore(folder(), { ...slow, store: { ...slow.store, epoch: 1 } });
    await saveStore(folder(), slow);
    expect((await openStore(folder(), 0)).store.epoch).to.equal(1);
  });

  it('is recounted when any byte is damaged, and moved aside when the counts are saved', async () => {
    await writeOldLog('one.jsonl', 'a');
    await runOnce();
    const whole = await readFile(usagePath(folder()));
    const places = [0, 20, Math.floor(whole.length / 2), whole.length - 1];
    const broken = places.map((place) => {
      const copy = Buffer.from(whole);
      copy[place]! ^= 0x40;
      return copy;
    });
    const contents = [...broken, whole.subarray(0, 100), Buffer.alloc(0)];
    for (const [index, content] of contents.entries()) {
      await writeFile(usagePath(folder()), content);
      const opened = await openStore(folder(), 0);
      expect(opened.damaged).to.equal(usagePath(folder()));
      expect(opened.store.files).to.deep.equal([]);
      expect(await readFile(usagePath(folder()))).to.deep.equal(content);
      await saveStore(folder(), opened);
      // Those of earlier damage stay.
      const aside = `${usagePath(folder())}.damaged${index === 0 ? '' : `-${index + 1}`}`;
      expect(await readFile(aside)).to.deep.equal(content);
    }
  });
});

function totalsOf(store: UsageStore): object {
  return { ...addUpUsage(summarize(store), new Set()).get('claude-code')!.totals };
}
