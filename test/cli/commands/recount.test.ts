import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { CliError } from '../../../cli/src/cli-error.ts';
import { type RecountOptions, recountCommand } from '../../../cli/src/commands/recount.ts';
import { openLedger, readLedger, rememberSubmission, updateLedger } from '../../../cli/src/ledger/ledger.ts';
import { openScreen, type Screen } from '../../../cli/src/output/screen.ts';
import { readSettings } from '../../../cli/src/settings.ts';
import { claudeCode } from '../../../cli/src/sources/claude-code.ts';
import { storePath } from '../../../cli/src/store/open-store.ts';
import { type Counts, MAX_COUNT, MAX_EPOCH } from '../../../engine/contract/signing/index.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { failureOf } from '../support/parsing.ts';
import { runCli } from '../support/run-cli.ts';
import { LINUX, scanSource } from '../support/scan-source.ts';
import { useStore } from '../support/stores.ts';
import { useFolder } from '../support/temporary-folder.ts';

const SUBMITTED = {
  base_url: 'https://upsilon.example/api/v1',
  codename: 'test-lantern',
  platform: 'codex',
  counts: { input: 1, output: 2, cache_read: 3, cache_write: 4 },
  backdated: null,
};

const COUNTS = { input: 10, output: 20, cache_read: 30, cache_write: 40 };

/** What `recount` prints, as far as these tests look at it. */
interface Printed {
  readonly epoch: number;
  readonly platforms: ReadonlyArray<{ readonly platform: string; readonly totals: Counts }>;
}

describe('recount', () => {
  const folder = useFolder();
  const logs = (): string => join(folder(), 'logs');

  beforeEach(() => mkdir(logs()));

  const recount = async (options: RecountOptions = {}): Promise<Printed> => {
    let printed: unknown;
    const screen: Screen = {
      ...openScreen({ json: true, color: false }),
      result: (value: unknown) => void (printed = value),
    };
    const settings = readSettings({ configDir: folder(), sourceDir: [logs()] }, LINUX);
    await recountCommand({ settings, env: { ...LINUX, home: folder() }, screen, options });
    return JSON.parse(JSON.stringify(printed));
  };
  const log = (name: string, id: string, output = 20, input = 10): Promise<string> =>
    writeLog(logs(), name, [assistantLine({ id, request: 'r', input, output })]);
  const scanAll = async (): Promise<void> => {
    await useStore(folder(), (store) => scanSource(claudeCode, [logs()], store));
  };
  const begin = async (ledger: number, store: number): Promise<void> => {
    await updateLedger(folder(), (known) => ({ ...known, epoch: ledger }));
    await useStore(folder(), (opened) => {
      opened.epoch = store;
    });
  };
  const epochs = async (): Promise<readonly unknown[]> => {
    return [(await readLedger(folder()))!.epoch, await useStore(folder(), ({ epoch }) => epoch)];
  };

  it('starts an unused epoch, in the store and the ledger', async () => {
    await begin(3, 3);
    expect(await recount()).to.include({ epoch: 4 });
    expect(await epochs()).to.deep.equal([4, 4]);
  });

  it('does not reuse the epoch of a recount that was killed between store and ledger', async () => {
    // The store of epoch 4 may hold other totals than will be counted now.
    await begin(3, 4);
    expect(await recount()).to.include({ epoch: 5 });
    expect(await epochs()).to.deep.equal([5, 5]);
  });

  it('does not reuse an epoch of the ledger when the store is older or missing', async () => {
    await begin(4, 2);
    expect(await recount()).to.include({ epoch: 5 });
    await updateLedger(folder(), (known) => ({ ...known, epoch: 8 }));
    await rm(storePath(folder()));
    expect(await recount()).to.include({ epoch: 9 });
    expect(await epochs()).to.deep.equal([9, 9]);
  });

  it('keeps the stream, and what was submitted in former epochs, which the service still has', async () => {
    await rememberSubmission(folder(), { ...SUBMITTED, epoch: 0 });
    const { stream } = await openLedger(folder());
    await recount();
    const submissions = [{ ...SUBMITTED, epoch: 0 }];
    expect(await readLedger(folder())).to.deep.equal({ stream, epoch: 1, submissions });
  });

  it('counts an existing log as it is now, and a deleted one as it was', async () => {
    await log('there.jsonl', 'a', 500);
    const gone = await log('gone.jsonl', 'b', 70);
    await scanAll();
    await rm(gone);
    // As a newer version would, which counts less of the same log.
    await log('there.jsonl', 'a', 20);
    const { platforms } = await recount();
    expect(platforms.find(({ platform }) => platform === 'claude-code')!.totals).to.include({ input: 20, output: 90 });
  });

  it('shows a tool whose logs are all gone, with what it keeps', async () => {
    const gone = await log('gone.jsonl', 'a');
    await scanAll();
    await rm(gone);
    const { platforms } = await recount();
    const kept = platforms.find(({ platform }) => platform === 'claude-code');
    expect(kept).to.deep.include({ messages: 1, kept: 1, files: 0, totals: COUNTS });
    const { stdout } = await runCli(folder(), ['recount', '--source-dir', logs(), '--config-dir', folder()]);
    expect(stdout)
      .to.match(/claude-code +10 +20 +30 +40/)
      .and.include('1 of them from logs that were deleted');
  });

  it('writes nothing where counts are impossible, and names the log; without them it keeps the rest', async () => {
    const gone = await log('gone.jsonl', 'a');
    await log('good.jsonl', 'b');
    const bad = await log('bad.jsonl', 'c', 20, MAX_COUNT);
    await scanAll();
    await rm(gone);
    const store = await readFile(storePath(folder()));
    for (const options of [{}, { logsOnly: true }]) {
      const failure = await failureOf(recount(options));
      expect(failure).to.include({ exit: 'refused', code: 'count_too_large' });
      expect(failure.message).to.include(bad);
    }
    expect(await readFile(storePath(folder()))).to.deep.equal(store);
    expect(await readLedger(folder())).to.include({ epoch: 0 });
    await writeFile(bad, '');
    const { platforms } = await recount();
    expect(platforms.find(({ platform }) => platform === 'claude-code')).to.deep.include({
      messages: 2,
      kept: 1,
      totals: { input: 20, output: 40, cache_read: 60, cache_write: 80 },
    });
  });

  it('refuses an epoch beyond what a snapshot can carry, and changes nothing', async () => {
    await begin(MAX_EPOCH - 1, MAX_EPOCH - 1);
    expect(await recount()).to.include({ epoch: MAX_EPOCH });
    const failure = await failureOf(recount());
    expect(failure).to.be.instanceOf(CliError).that.includes({ exit: 'refused', code: 'epoch_limit' });
    expect(failure.message).to.include(`no epoch follows ${MAX_EPOCH}`).and.include('restored backups');
    expect(await epochs()).to.deep.equal([MAX_EPOCH, MAX_EPOCH]);
  });
});
