import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { findFiles } from '../../../cli/src/scan/find-files.ts';
import { readInWorker } from '../../../cli/src/scan/read-in-worker.ts';
import { type LogFile, statLogFile } from '../../../cli/src/scan/read-log-file.ts';
import { scanFiles } from '../../../cli/src/scan/scan-sources.ts';
import type { FileOutcome } from '../../../cli/src/scan/store-writer.ts';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
import { usageByPlatform } from '../../../cli/src/store/buckets.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { builtCli } from '../support/built-cli.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { emptyStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

/** Long after the logs were written: none of them may change unseen. */
const NOW = Date.now() + 3_600_000;
const IDLE = () => undefined;

describe('reading logs in a scan worker', () => {
  const folder = useFolder();

  /** Writes sessions that share messages with one another, of which later ones know more. */
  const writeLogs = async (): Promise<void> => {
    for (let file = 0; file < 12; file += 1) {
      const lines = Array.from({ length: 30 }, (_, line) =>
        assistantLine({ id: `m${(file * 20 + line) % 200}`, request: `r${line % 3}`, output: file * 10 + line }),
      );
      await writeLog(folder(), `projects/p/${file}.jsonl`, lines);
    }
  };
  const look = (): readonly LogFile[] =>
    findFiles([folder()], (path) => claudeCode.isLog(path)).files.map((path) => statLogFile(claudeCode, path)!);

  it('counts the same as one thread, and records every file', async () => {
    await writeLogs();
    const files = look();
    const [alone, shared] = [await emptyStore(), await emptyStore()];
    const context = { now: () => NOW, isParallel: false, progress: IDLE };
    await scanFiles(files, { ...context, store: alone });
    const outcomes = await inWorkers(files, shared);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(files.map(() => 'read'));
    expect(usageOf(shared)).to.deep.equal(usageOf(alone));
    expect(usageOf(shared)!.messages).to.be.greaterThan(200);
    const known = await scanFiles(files, { ...context, store: shared });
    const again = files.map((file) => known.get(file)!);
    expect(again.map(({ kind }) => kind)).to.deep.equal(files.map(() => 'known'));
    for (const [index, outcome] of again.entries()) {
      expect(outcome.kind === 'known' ? outcome.entry.path : '').to.equal(files[index]!.path);
    }
  });

  it('adds to former counts, and reports what cannot be read', async () => {
    await writeLogs();
    const store = await emptyStore();
    await inWorkers(look(), store);
    const before = usageOf(store)!;
    await writeLog(folder(), 'projects/p/3.jsonl', [assistantLine({ id: 'new', request: 'r', input: 7 })]);
    await writeLog(folder(), 'projects/p/4.jsonl', [assistantLine({ id: 'new', request: 'r', input: 9 })]);
    const files = look();
    await rm(join(folder(), 'projects/p/5.jsonl'));
    const outcomes = await inWorkers(files, store);
    const failed = files.filter((_, index) => outcomes[index]!.kind === 'unreadable');
    expect(failed.map(({ path }) => path)).to.deep.equal([join(folder(), 'projects/p/5.jsonl')]);
    expect(usageOf(store)!.totals.input).to.equal(before.totals.input + 9);
    expect(store.files).to.have.property('size', 12);
  });

  it('reads every file in the scan worker, also with many records and a slow main thread', async () => {
    await writeLogs();
    const many = Array.from({ length: 20_000 }, (_, line) => assistantLine({ id: `many${line}`, request: 'r' }));
    await writeLog(folder(), 'projects/p/many.jsonl', many);
    const files = look();
    const [alone, shared] = [await emptyStore(), await emptyStore()];
    await scanFiles(files, { now: () => NOW, isParallel: false, progress: IDLE, store: alone });
    const notHere = { ...claudeCode, read: () => expect.fail('read in the main thread') };
    const read: number[] = [];
    const outcomes = await inWorkers(
      files.map((file) => ({ ...file, source: notHere })),
      shared,
      {
        program: await builtProgram(),
        progress: (bytes) => {
          read.push(bytes);
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
        },
      },
    );
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(files.map(() => 'read'));
    expect(usageOf(shared)).to.deep.equal(usageOf(alone));
    expect(usageOf(shared)!.messages).to.be.greaterThan(20_200);
    expect(shared.files).to.deep.equal(alone.files);
    expect(read.reduce((sum, bytes) => sum + bytes)).to.equal(files.reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('reads the files of a failed scan worker in the main thread', async () => {
    await writeLogs();
    const store = await emptyStore();
    // A platform without a source in the scan worker, which fails.
    const files = look().map((file) => ({ ...file, source: Object.assign({}, file.source, { platform: 'other' }) }));
    const outcomes = await inWorkers(files, store, { program: await builtProgram() });
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(files.map(() => 'read'));
    expect(usageByPlatform(store.buckets(), new Set()).get('other')!.messages).to.be.greaterThan(200);
  });
});

function usageOf(store: UsageStore) {
  const present = new Set([...store.files.values()].map(({ id }) => id));
  return usageByPlatform(store.buckets(), present).get('claude-code');
}

async function builtProgram(): Promise<URL> {
  return pathToFileURL(join(dirname(await builtCli()), 'scan-worker.js'));
}

/** The outcomes in the order of the files. Without a program the main thread reads. */
async function inWorkers(
  files: readonly LogFile[],
  store: UsageStore,
  { program, progress = IDLE }: { readonly program?: URL; readonly progress?: (bytes: number) => void } = {},
): Promise<readonly FileOutcome[]> {
  const outcomes = new Map<LogFile, FileOutcome>();
  await readInWorker(files, { store, now: () => NOW, isParallel: true, progress }, outcomes, program);
  return files.map((file) => outcomes.get(file)!);
}
