import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { openSqlite } from '../../../../cli/src/files/sqlite.ts';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import { storePath } from '../../../../cli/src/store/open-store.ts';
import { runsOf } from '../../../support/long-run.ts';
import { builtCli } from '../../support/built-cli.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { runCli } from '../../support/run-cli.ts';
import { scanSource } from '../../support/scan-source.ts';
import { useStore } from '../../support/stores.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const LONG_AGO = new Date('2026-05-01T10:00:00Z');
const FILES = 20;
const MESSAGES = runsOf(3_000, 60_000);

/** Whether the buckets are the sums of the usages, and each alias is of a usage; SQLite's own check, too. */
const CHECKS = {
  damage: "SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok'",
  buckets: `
    SELECT file, sum(messages) AS messages, sum(output) AS output FROM buckets GROUP BY file
    EXCEPT SELECT file, sum(messages), sum(output) FROM usages GROUP BY file`,
  usages: `
    SELECT file, sum(messages), sum(output) FROM usages GROUP BY file
    EXCEPT SELECT file, sum(messages), sum(output) FROM buckets GROUP BY file`,
  aliases: 'SELECT key FROM aliases WHERE usage NOT IN (SELECT key FROM usages)',
  files: 'SELECT key FROM usages WHERE file NOT IN (SELECT id FROM files) OR origin NOT IN (SELECT id FROM origins)',
};

describe('a store whose run was killed', function () {
  this.timeout(3_600_000);
  const home = useFolder();
  const settings = (): string => join(home(), 'settings');
  const logs = (): string => join(home(), '.claude/projects/p');

  beforeEach(async () => {
    for (let file = 0; file < FILES; file += 1) {
      // Each message is in two files.
      const lines = Array.from({ length: (2 * MESSAGES) / FILES }, (_, line) => {
        return assistantLine({ id: `m${((file * MESSAGES) / FILES + line) % MESSAGES}`, request: 'r' });
      });
      const path = await writeLog(logs(), `${file}.jsonl`, lines);
      await utimes(path, LONG_AGO, LONG_AGO);
    }
  });

  /** Starts a run and kills it after a time, if it did not end before. */
  const killAfter = async (milliseconds: number): Promise<void> => {
    const args = [await builtCli(), 'sources', '--json', '--config-dir', settings()];
    const child = spawn(process.execPath, args, { env: { HOME: home(), UPSILON_KEYCHAIN: 'off' }, stdio: 'ignore' });
    const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds);
    await once(child, 'exit');
    clearTimeout(timer);
  };
  const check = async (): Promise<void> => {
    // As the next run does: under the tool's lock, whose holder has died.
    await useStore(settings(), () => undefined);
    const database = await openSqlite(storePath(settings()));
    for (const [name, sql] of Object.entries(CHECKS)) expect(database.all(sql), name).to.deep.equal([]);
    database.close();
  };

  // The long form kills 100 to 300 times.
  it('is opened and completed by the next run, whatever the moment', async () => {
    const startedAt = performance.now();
    await killAfter(60_000);
    const whole = performance.now() - startedAt;
    const moments = fc.array(fc.double({ min: 0, max: 1.1, noNaN: true }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(moments, async (list) => {
        await rm(settings(), { recursive: true, force: true });
        for (const moment of list) {
          await killAfter(moment * whole);
          await check();
        }
        const { totals, messages } = await useStore(settings(), (store) => scanSource(claudeCode, [logs()], store));
        expect(messages).to.equal(MESSAGES);
        expect(totals).to.deep.equal({
          input: 10 * MESSAGES,
          output: 20 * MESSAGES,
          cache_read: 30 * MESSAGES,
          cache_write: 40 * MESSAGES,
        });
      }),
      { numRuns: runsOf(4, 100) },
    );
  });

  it('is not disturbed by a run at the same time: they wait for each other', async () => {
    const runs = [1, 2].map(() => runCli(home(), ['recount', '--json', '--config-dir', settings()]));
    for (const { exit, stderr } of await Promise.all(runs))
      expect({ exit, stderr }).to.deep.equal({ exit: 0, stderr: '' });
    await check();
    expect(await useStore(settings(), ({ epoch }) => epoch)).to.equal(2);
  });
});
