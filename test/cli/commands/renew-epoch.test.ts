import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { AGENT_HOUR } from '../../../cli/src/commands/renew-epoch.ts';
import { readLedger } from '../../../cli/src/ledger/ledger.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import { AGENT_TOKENS_AN_HOUR, RULE_SETS, statisticAt, statisticsOf } from '../../../engine/integrity/index.ts';
import {
  applySamples,
  emptyState,
  hourOf,
  type OperatorState,
  streamCounts,
} from '../../../engine/ranking/core/operator-state/index.ts';
import { assistantLine, writeLog } from '../support/log-lines.ts';
import { signedHeader } from '../support/parsing.ts';
import {
  acceptAll,
  type RecordedRequest,
  type RecordingService,
  type Reply,
  startService,
} from '../support/recording-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { useFolder } from '../support/temporary-folder.ts';

const DAY_MS = 86_400_000;

/** The bound of the rule that excludes. */
const MAX_AGENTS = [...RULE_SETS.values()].at(-1)!.bounds.find(({ rule }) => rule === 'too-many-agents')!.above;

describe('a submission after a backup was restored', function () {
  this.timeout(60_000);
  const home = useFolder();
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
    if (!path.endsWith('/streams')) return null;
    const streams = streamCounts(state, hour).active.map(({ ledger, platform, epoch, counts, hour: last }) => {
      return {
        stream: ledger,
        platform,
        epoch,
        ...counts,
        last_grew_at: new Date((last! + 1) * 3_600_000).toISOString(),
      };
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
    const { ledger, platform, counts } = streamCounts(state, hour).active[0]!;
    const sample = { ledger, platform, epoch: 4, hour, counts: { ...counts, output: 9 } };
    state = applySamples(state, [sample], hour).operatorState;
  };
  /** The service from now on, which replies to `GET /streams` in this way. */
  const serveStreams = async (reply: Reply): Promise<void> => {
    await service[Symbol.asyncDispose]();
    const own = join(settings(), 'ledger.json');
    const known = await readFile(own, 'utf8');
    const former = service.baseUrl;
    service = await startService((request) => (request.path.endsWith('/streams') ? reply : appended(request)));
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
  const agents = (): number => statisticsOf(state.totals)[statisticAt(0, 'agents')]!;
  const outputOf = (each: OperatorState): number => streamCounts(each, hour).active[0]!.counts.output;

  it('begins a new epoch where old usage comes back, so that it is at its dates', async () => {
    await log('recent', 6, 3, 100_000);
    expect(await submit()).to.deep.equal(new Set([0]));
    await log('recent', 6, 3, 200_000);
    expect(await submit()).to.deep.equal(new Set([0]));
    await log('old', 80, 60, 1_000_000);
    const without = structuredClone(state);
    expect(await submit()).to.deep.equal(new Set([1]));
    expect(outputOf(state)).to.equal(60_600_000);
    expect(agents()).to.be.below(1);
    const { ledger, platform, epoch, counts } = streamCounts(without, hour).active[0]!;
    const jump = { ledger, platform, epoch, hour, counts: { ...counts, output: outputOf(state) } };
    state = applySamples(without, [jump], hour).operatorState;
    expect(agents()).to.be.above(MAX_AGENTS);
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
    for (const status of [401, 403]) {
      await serveStreams({ status, body: { code: 'token_scope' } });
      await log('old', 80, 60, status * 10_000);
      expect(await submit()).to.deep.equal(new Set([0]));
    }
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
    expect(snapshots()).to.deep.equal([]);
    expect(await readLedger(settings())).to.include({ epoch: 0 });
  });

  it('takes the speed of an agent from the methodology', () => {
    expect(AGENT_HOUR).to.deep.equal(AGENT_TOKENS_AN_HOUR);
  });
});
