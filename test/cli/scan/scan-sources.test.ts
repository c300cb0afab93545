import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import { findLogs } from '../../../cli/src/scan/find-logs.ts';
import { readInWorker } from '../../../cli/src/scan/read-in-worker.ts';
import { scanSources } from '../../../cli/src/scan/scan-sources.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { LINUX } from '../support/scan-source.ts';
import { emptyStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const KIB = 1024;

describe('the progress of a scan', () => {
  const folder = useFolder();

  /** A long log and a short one, which Claude Code's source and pi's both read. */
  const writeLogs = async () => {
    const line = assistantLine({ id: 'a', request: 'r', text: 'x'.repeat(64 * KIB) });
    const paths = [
      await writeLog(
        folder(),
        'long.jsonl',
        Array.from({ length: 48 }, () => line),
      ),
      await writeLog(folder(), 'short.jsonl', [assistantLine({ id: 'b', request: 'r' })]),
    ];
    const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size));
    const found = await findLogs(readSettings({ sourceDir: [folder()] }, LINUX), LINUX);
    expect(found.filter(({ files }) => files.length > 0).map(({ source }) => source.platform)).to.deep.equal([
      'claude-code',
      'pi',
    ]);
    return { found, bytes: sizes.reduce((sum, size) => sum + size, 0) };
  };

  it('counts a file once that several sources read, and is reported within a long file', async () => {
    const { found, bytes } = await writeLogs();
    const reports: Array<readonly [done: number, all: number]> = [];
    const store = await emptyStore();
    const context = { store, now: () => Date.now() + 3_600_000, isParallel: false };
    await scanSources(found, context, (...report) => reports.push(report));
    expect(new Set(reports.map(([, all]) => all))).to.deep.equal(new Set([bytes]));
    const done = reports.map(([now]) => now);
    expect(done).to.deep.equal(done.toSorted((left, right) => left - right));
    expect(done.at(-1)).to.equal(bytes);
    const steps = done.map((now, index) => now - (done[index - 1] ?? 0));
    expect(Math.max(...steps)).to.be.at.most(512 * KIB);
    const again: number[] = [];
    await scanSources(found, context, (now) => again.push(now));
    expect(again).to.deep.equal([bytes]);
  });

  it('is reported where no scan worker can start, as in a tool that is run from its sources', async () => {
    const { found, bytes } = await writeLogs();
    const files = found.flatMap((each) => each.files);
    const reports: number[] = [];
    const context = {
      store: await emptyStore(),
      now: Date.now,
      isParallel: true,
      progress: (read: number) => void reports.push(read),
    };
    await readInWorker(files, context, new Map());
    expect(reports.filter((read) => read > 0).length).to.be.greaterThan(8);
    expect(reports.reduce((sum, read) => sum + read, 0)).to.equal(2 * bytes);
  });
});
