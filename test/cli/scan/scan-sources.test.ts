import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { findFiles } from '../../../cli/src/scan/find-files.ts';
import { findLogs } from '../../../cli/src/scan/find-logs.ts';
import { statLogFile } from '../../../cli/src/scan/read-log-file.ts';
import { scanFiles, scanSources } from '../../../cli/src/scan/scan-sources.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
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
    const context = { store, now: () => Date.now() + 3_600_000 };
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
});

describe('scanning changed logs', () => {
  const folder = useFolder();

  it('adds to former counts, and reports what cannot be read', async () => {
    for (let file = 0; file < 4; file += 1) {
      const lines = Array.from({ length: 30 }, (_, line) => assistantLine({ id: `m${file}-${line}`, request: 'r' }));
      await writeLog(folder(), `projects/p/${file}.jsonl`, lines);
    }
    const context = { store: await emptyStore(), now: () => Date.now() + 3_600_000, progress: () => undefined };
    const look = () =>
      findFiles([folder()], (path) => claudeCode.isLog(path)).files.map((path) => statLogFile(claudeCode, path)!);
    const inputs = () => context.store.buckets().reduce((sum, { input }) => sum + input, 0);
    await scanFiles(look(), context);
    const before = inputs();
    for (const [file, input] of [7, 9].entries())
      await writeLog(folder(), `projects/p/${file}.jsonl`, [assistantLine({ id: 'new', request: 'r', input })]);
    const files = look();
    await rm(join(folder(), 'projects/p/2.jsonl'));
    const outcomes = await scanFiles(files, context);
    const kinds = files.map((file) => outcomes.get(file)!.kind);
    expect(kinds).to.deep.equal(['read', 'read', 'known', 'known']);
    expect(inputs()).to.equal(before + 9);
    await writeLog(folder(), 'projects/p/3.jsonl', [assistantLine({ id: 'gone', request: 'r' })]);
    const changed = look();
    await rm(join(folder(), 'projects/p/3.jsonl'));
    const failed = await scanFiles(changed, context);
    expect(changed.filter((file) => failed.get(file)!.kind === 'unreadable').map(({ path }) => path)).to.deep.equal([
      join(folder(), 'projects/p/3.jsonl'),
    ]);
    expect(context.store.files).to.have.property('size', 4);
  });
});
