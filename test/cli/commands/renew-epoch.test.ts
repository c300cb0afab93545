import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { openSessions } from '../../../cli/src/auth/sessions.ts';
import { readLedger } from '../../../cli/src/ledger/ledger.ts';
import { storePath } from '../../../cli/src/store/open-store.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import {
  applySamples,
  emptyState,
  hourOf,
  type OperatorState,
  streamCounts,
} from '../../../engine/ranking/core/operator-state/index.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { type PlannedSubmission, signedHeader, unsigned } from '../support/parsing.ts';
import {
  acceptAll,
  type RecordedRequest,
  type RecordingService,
  type Reply,
  startService,
} from '../support/recording-service.ts';
import { type CliRun, useWarmCli } from '../support/run-cli.ts';
import { damageStore } from '../support/stores.ts';
import { contentsOf, useFolder } from '../support/temporary-folder.ts';

const DAY_MS = 86_400_000;

describe('a submission after a backup was restored', () => {
  const home = useFolder();
  const runCli = useWarmCli();
  const started = Date.now();
  let service: RecordingService;
  /** What the service has, by the engine; and its clock, which every submission moves on by an hour. */
  let state: OperatorState;
  let hour: number;

  beforeEach(async () => {
    hour = hourOf(started) - 10;
    state = emptyState(hour);
    service = await startService((request) => streamsOf(request) ?? appended(request));
  });
  afterEach(() => service[Symbol.asyncDispose]());

  function streamsOf({ path }: RecordedRequest) {
    const stream = /\/streams\?stream=(.*)$/.exec(path)?.[1];
    if (stream === undefined) return null;
    const streams = streamCounts(state, hour, stream).active.map(({ ledger, platform, epoch, counts, hour: last }) => {
      const last_grew_at = new Date((last! + 1) * 3_600_000).toISOString();
      return { stream: ledger, platform, epoch, ...counts, last_grew_at };
    });
    return { status: 200, body: { limit: 64, streams, retired: [] } };
  }

  function appended(request: RecordedRequest) {
    if (request.path.endsWith('/snapshots')) {
      const counts: Counts & { readonly platform: string } = JSON.parse(request.body);
      const { stream: ledger, epoch, as_of } = signedHeader(request.body);
      const sample = {
        ledger,
        epoch,
        platform: counts.platform,
        counts,
        hour: as_of === undefined ? hour : hourOf(as_of * 1000),
      };
      state = applySamples(state, [sample], hour).operatorState;
    }
    return acceptAll()(request);
  }

  const settings = (): string => join(home(), '.config/upsilon');
  const run = (...args: readonly string[]): Promise<CliRun> =>
    runCli(home(), args, {
      UPSILON_BASE_URL: service.baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
      UPSILON_CODENAME: 'test-lantern',
    });
  const snapshots = (): readonly string[] =>
    service.requests.filter(({ path }) => path.endsWith('/snapshots')).map(({ body }) => body);
  /** Submits, an hour later than the last time; returns the epochs of the snapshots. */
  const submit = async (): Promise<ReadonlySet<number>> => {
    hour += 1;
    const before = snapshots().length;
    expect(await run()).to.include({ exit: 0, stderr: '' });
    const sent = snapshots().slice(before);
    return new Set(sent.map((body) => signedHeader(body).epoch));
  };
  /** As if another settings folder with the same ledger had submitted in a later epoch. */
  const renewElsewhere = (): void => {
    const { ledger, platform } = state.streams[0]!;
    const counts = { input: 1, output: 9, cache_read: 1, cache_write: 1 };
    const sample = { ledger, platform, epoch: 4, hour, counts };
    state = applySamples(state, [sample], hour).operatorState;
  };
  /** The service from now on, which replies to `GET /streams` in this way. */
  const serveStreams = async (reply: Reply): Promise<void> => {
    await service[Symbol.asyncDispose]();
    const own = join(settings(), 'ledger.json');
    const known = await readFile(own, 'utf8');
    const former = service.baseUrl;
    service = await startService((request) => (isOfStreams(request) ? reply : appended(request)));
    await writeFile(own, known.replaceAll(former, service.baseUrl));
  };
  /** A log of days ago, with a response a day. */
  const log = (name: string, daysAgo: number, days: number, output: number) => {
    const lines = Array.from({ length: days }, (_, day) => {
      const line: object = JSON.parse(assistantLine({ id: `${name}${day}`, request: 'r', input: output, output }));
      return JSON.stringify({ ...line, timestamp: new Date(started - (daysAgo - day) * DAY_MS).toISOString() });
    });
    return writeLog(home(), `.claude/projects/p/${name}.jsonl`, lines);
  };
  const outputOf = (each: OperatorState): number => streamCounts(each, hour).active[0]!.counts.output;

  it('begins a new epoch where old usage comes back, so that it is at its dates', async () => {
    await log('recent', 6, 3, 100_000);
    expect(await submit()).to.deep.equal(new Set([0]));
    await log('recent', 6, 3, 200_000);
    expect(await submit()).to.deep.equal(new Set([0]));
    await log('old', 80, 60, 1_000_000);
    expect(await submit()).to.deep.equal(new Set([1]));
    expect(outputOf(state)).to.equal(60_600_000);
  });

  it('begins an epoch after those that the service knows', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    renewElsewhere();
    // Nothing grew: nothing is asked.
    expect(await submit()).to.deep.equal(new Set([0]));
    await log('recent', 6, 3, 200_000);
    expect(await submit()).to.deep.equal(new Set([5]));
    expect(outputOf(state)).to.equal(600_000);
    expect(await submit()).to.deep.equal(new Set([5]));
  });

  it('keeps the epoch where the settings folder lost usage, and where the service does not show its streams', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    const { ledger, platform, counts } = streamCounts(state, hour).active[0]!;
    const more = { ...counts, output: 90_000_000 };
    state = applySamples(state, [{ ledger, platform, epoch: 0, hour, counts: more }], hour).operatorState;
    await log('recent', 6, 3, 200_000);
    expect(await submit()).to.deep.equal(new Set([0]));
    await serveStreams({ status: 403, body: { code: 'token_scope' } });
    await log('old', 80, 60, 1_000_000);
    expect(await submit()).to.deep.equal(new Set([0]));
  });

  it('begins a new epoch where usage comes back that is older than a stream that was retired', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    hour += 24 * 10;
    expect(streamCounts(state, hour).active).to.deep.equal([]);
    await log('old', 80, 60, 1_000_000);
    expect(await submit()).to.deep.equal(new Set([1]));
    hour += 24 * 10;
    renewElsewhere();
    await log('recent', 6, 3, 200_000);
    expect(await submit()).to.deep.equal(new Set([5]));
  });

  it('submits nothing while the service fails to show its streams', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    await log('old', 80, 60, 1_000_000);
    // A longer wait than the tool honours.
    await serveStreams({ status: 429, headers: { 'retry-after': '600' } });
    expect(await run()).to.include({ exit: 4 });
    await serveStreams({ status: 503, headers: { 'retry-after': '600' } });
    expect(await run()).to.include({ exit: 4 });
    // The response of a proxy has no code.
    await serveStreams({ status: 403 });
    expect(await run()).to.include({ exit: 3 });
    expect(snapshots()).to.deep.equal([]);
    expect(await readLedger(settings())).to.include({ epoch: 0 });
  });

  it('shows a new epoch in a dry run as it is submitted then, and writes nothing', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    await log('old', 80, 60, 1_000_000);
    for (const [begin, epoch, reason, text] of [
      [() => undefined, 1, 'late', 'Much of the usage here is older than the last submission'],
      [renewElsewhere, 5, 'later', 'The service has a later epoch of this machine'],
    ] as const) {
      begin();
      const before = await contentsOf(settings());
      const { requests, new_epoch }: PlannedSubmission = JSON.parse((await run('--dry-run', '--json')).stdout);
      expect(new_epoch).to.include({ epoch, reason });
      expect((await run('--dry-run')).stdout).to.include(text);
      expect(await contentsOf(settings())).to.deep.equal(before);
      const former = snapshots().length;
      hour += 1;
      expect((await run()).stdout).to.include(text);
      expect(requests.map(({ body }) => unsigned(body))).to.deep.equal(snapshots().slice(former).map(unsigned));
      await log('more', 2, 1, 5);
    }
  });

  it('does not renew a sign-in or repeat requests in a dry run, and says that the epoch is not known', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    await log('recent', 6, 3, 200_000);
    await serveStreams({ status: 503 });
    const { exit, stdout } = await run('--dry-run');
    expect(exit).to.equal(0);
    expect(stdout).to.include('a submission may begin a new epoch');
    expect(service.requests.filter(isOfStreams)).to.have.length(1);
    const { baseUrl } = service;
    const tokens = { access_token: 'expired', expires_at: 1, refresh_token: 'refreshing' };
    const token_endpoint = `${baseUrl}/token`;
    const session = { base_url: baseUrl, codename: 'test-lantern', issuer: baseUrl, resource: baseUrl, token_endpoint };
    await openSessions(settings(), false).save({ ...session, revocation_endpoint: null }, tokens);
    const before = service.requests.length;
    const expired = await runCli(home(), ['--dry-run'], { UPSILON_BASE_URL: baseUrl });
    expect(expired).to.include({ exit: 0 });
    expect(expired.stdout).to.include('the sign-in has to be renewed').and.include('may begin a new epoch');
    const paths = service.requests.slice(before).map(({ path }) => path);
    expect(paths.filter((path) => /streams|token/.test(path))).to.deep.equal([]);
  });

  const damage = async (): Promise<void> => {
    await damageStore(storePath(settings()));
  };
  const damageAfterScan = async (): Promise<void> => {
    await run('sources');
    await damage();
  };
  const replaceDamaged = async (): Promise<void> => {
    await damage();
    await run('sources');
  };
  const acceptLoss = async (): Promise<void> => {
    await rm(`${storePath(settings())}.damaged`);
    await run('recount');
  };
  const lose = (): Promise<void> => rm(storePath(settings()));

  for (const [when, prepare, code, advice, accept] of [
    ['its store is damaged', damageAfterScan, 'file_damaged', 'delete the damaged copy.', ['recount', '--logs-only']],
    ['its damaged store was replaced', replaceDamaged, 'file_damaged', 'delete the damaged copy.', acceptLoss],
    ['it lost counts', lose, 'counts_incomplete', 'upsilon recount', ['recount']],
  ] as const) {
    it(`begins no epoch where ${when}, which would replace the complete totals`, async () => {
      const LONG_AGO = new Date(started - 300 * DAY_MS);
      await log('recent', 6, 3, 100_000);
      const gone = await log('gone', 5, 1, 300);
      await submit();
      renewElsewhere();
      await rm(gone);
      await utimes(await log('recent', 6, 3, 200_000), LONG_AGO, LONG_AGO);
      await prepare();
      const before = snapshots().length;
      expect(await run('--dry-run')).to.include({ exit: 8 });
      for (const time of ['at first', 'again']) {
        const { exit, stdout } = await run('--json');
        expect(exit, time).to.equal(8);
        expect(JSON.parse(stdout), time).to.have.nested.property('error.code', code);
        expect(stdout).to.include(`${advice}"`);
      }
      expect(snapshots()).to.have.length(before);
      expect(await readLedger(settings())).to.include({ epoch: 0 });
      await (typeof accept === 'function' ? accept() : run(...accept));
      expect(await submit()).to.deep.equal(new Set([5]));
    });
  }

  it('does not begin the epoch of a recount after which the store was damaged', async () => {
    await log('recent', 6, 3, 100_000);
    const gone = await log('gone', 5, 1, 300);
    await submit();
    await rm(gone);
    await run('recount');
    await log('recent', 6, 3, 200_000);
    await damage();
    const before = snapshots().length;
    for (const time of ['at first', 'again']) {
      const { exit, stdout } = await run('--json');
      expect(exit, time).to.equal(8);
      expect(JSON.parse(stdout), time).to.have.nested.property('error.code', 'file_damaged');
    }
    expect(snapshots()).to.have.length(before);
    await rm(`${storePath(settings())}.damaged`);
    expect(await submit()).to.deep.equal(new Set([1]));
    // Within the epoch, damage stops no submission: the service keeps the higher totals.
    const also = await log('also', 5, 1, 300);
    await submit();
    const submitted = outputOf(state);
    await rm(also);
    await log('recent', 6, 2, 200_000);
    await replaceDamaged();
    const { exit, stderr } = await run();
    expect(exit).to.equal(0);
    expect(stderr).to.include('are lower than those submitted before').and.include('Within an epoch the service keeps');
    expect(outputOf(state)).to.equal(submitted);
  });

  it('begins an epoch after that of the ledger where a store of a former one was restored', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    const backup = await readFile(storePath(settings()));
    await run('recount');
    expect(await submit()).to.deep.equal(new Set([1]));
    await writeFile(storePath(settings()), backup);
    await log('recent', 6, 3, 200_000);
    expect((await run('--dry-run')).stdout).to.include('usage.db is of a former epoch');
    expect(await submit()).to.deep.equal(new Set([2]));
    await log('recent', 6, 3, 300_000);
    expect(await submit()).to.deep.equal(new Set([2]));
  });

  it('begins none where that store lacks what the service has, also before the epoch was submitted', async () => {
    await log('recent', 6, 3, 100_000);
    await run('sources');
    const backup = await readFile(storePath(settings()));
    const gone = await log('gone', 5, 1, 300);
    await submit();
    await rm(gone);
    await run('recount');
    await writeFile(storePath(settings()), backup);
    const before = snapshots().length;
    const { exit, stdout } = await run('--json');
    expect(exit).to.equal(8);
    expect(JSON.parse(stdout)).to.have.nested.property('error.code', 'counts_incomplete');
    expect(snapshots()).to.have.length(before);
  });

  it('begins no epoch with lower totals than those that the service has, of any platform, before a recount', async () => {
    await log('recent', 6, 3, 100_000);
    await submit();
    const { ledger, platform, counts } = streamCounts(state, hour).active[0]!;
    for (const [of, output] of [
      [platform, 90_000_000],
      ['pi', 7_000_000],
    ] as const) {
      const former = structuredClone(state);
      const sample = { ledger, platform: of, epoch: 4, hour, counts: { ...counts, output } };
      state = applySamples(state, [sample], hour).operatorState;
      await log('recent', 6, 3, output / 100);
      const { exit, stdout } = await run('--platform', platform, '--json');
      expect(exit, of).to.equal(8);
      expect(JSON.parse(stdout)).to.have.nested.property('error.code', 'counts_incomplete');
      state = former;
    }
    const more = { ledger, platform, epoch: 4, hour, counts: { ...counts, output: 90_000_000 } };
    state = applySamples(state, [more], hour).operatorState;
    await run('recount');
    expect(await submit()).to.deep.equal(new Set([5]));
  });
});

function isOfStreams({ path }: RecordedRequest): boolean {
  return path.includes('/streams');
}
