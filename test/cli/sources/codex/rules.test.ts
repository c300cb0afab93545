import { expect } from 'chai';
import { sourcesOf } from '../../../../cli/src/sources/registry.ts';
import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { writeLog } from '../../support/log-lines.ts';
import { type Scanned, scanSource } from '../../support/scan-source.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const START = Date.parse('2026-05-01T10:00:00.000Z');
const SECOND = 1000;
const PARENT = '0a000000-0000-7000-8000-00000000000a';
const FORK = '0b000000-0000-7000-8000-00000000000b';

/** What a session has used so far, or a request: `input` includes what was cached. */
interface Used {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

const NOTHING: Used = { input: 0, cached: 0, output: 0 };
/** Three requests, of which no two sum up alike. */
const REQUESTS: readonly [Used, Used, Used] = [
  { input: 1000, cached: 0, output: 100 },
  { input: 1600, cached: 900, output: 150 },
  { input: 3400, cached: 2100, output: 350 },
];
const [FIRST, SECOND_REQUEST, THIRD] = REQUESTS;

describe("Codex's sessions", () => {
  const folder = useFolder();
  const [codex] = sourcesOf(['codex']);

  const write = (id: string, lines: readonly string[]): Promise<string> =>
    writeLog(folder(), `sessions/rollout-${id}.jsonl`, lines);
  const scan = (): Promise<Scanned> => scanSource(codex!, [folder()]);
  /** What is counted of the sessions in the folder, as the four counts. */
  const counted = async (): Promise<Counts> => (await scan()).totals;

  it('count what each request added', async () => {
    await write(PARENT, [meta(PARENT, START), ...eventsFrom(START + SECOND, REQUESTS)]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
  });

  it('count a fork that holds its history under the original times once, whether or not the parent is there', async () => {
    const [begun, ended] = [START + SECOND, START + 3600 * SECOND];
    const history = eventsFrom(begun, [FIRST, SECOND_REQUEST]);
    const own = tokenCount(ended + 90 * SECOND, sumOf(...REQUESTS), THIRD);
    await write(FORK, [meta(FORK, ended, { forked_from_id: PARENT }), meta(PARENT, START), ...history, own]);
    // The parent's file is gone: what the fork holds from before it began was the parent's, and is not the fork's.
    expect(await counted()).to.deep.equal(countsOf(THIRD));
    await write(PARENT, [meta(PARENT, START), ...history]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
  });

  it('count a sub-agent as they count a fork', async () => {
    const source = { subagent: { thread_spawn: { parent_thread_id: PARENT } } };
    const history = eventsFrom(START, [FIRST, SECOND_REQUEST]);
    const own = tokenCount(START + 900 * SECOND, sumOf(...REQUESTS), THIRD);
    await write(FORK, [meta(FORK, START + 600 * SECOND, { source }), ...history, own]);
    expect(await counted()).to.deep.equal(countsOf(THIRD));
  });

  it('count what a fork did at the very moment it began', async () => {
    const [one, two] = [tokenCount(START, FIRST, FIRST), tokenCount(START + 9 * SECOND, sumOf(FIRST, THIRD), THIRD)];
    await write(FORK, [meta(FORK, START, { forked_from_id: PARENT }), one, two]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, THIRD));
  });

  it('count what a fork did from the time on that its meta names, also where the line was written later', async () => {
    const begun = new Date(START).toISOString();
    const late = record(START + 60 * SECOND, 'session_meta', { id: FORK, timestamp: begun, forked_from_id: PARENT });
    const both = sumOf(FIRST, THIRD);
    await write(FORK, [
      late,
      tokenCount(START + 9 * SECOND, FIRST, FIRST),
      tokenCount(START + 99 * SECOND, both, THIRD),
    ]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, THIRD));
  });

  it('count what a session without a parent holds from before its own time', async () => {
    await write(PARENT, [meta(PARENT, START), tokenCount(START - 60 * SECOND, FIRST, FIRST)]);
    await write(FORK, [meta(FORK, START, { forked_from_id: FORK }), tokenCount(START - 50 * SECOND, THIRD, THIRD)]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, THIRD));
  });

  it('take events a second or less apart at the start of a fork for its history, and a single one for its own', async () => {
    const begun = START + 60 * SECOND;
    const begin = meta(FORK, begun, { forked_from_id: PARENT });
    const totals = [FIRST, sumOf(FIRST, SECOND_REQUEST), sumOf(...REQUESTS)];
    const burst = (pause: number): readonly string[] =>
      REQUESTS.map((last, index) => tokenCount(begun + index * pause, totals[index]!, last));
    await write(FORK, [begin, ...burst(1 * SECOND)]);
    expect(await counted()).to.deep.equal(countsOf());
    await write(FORK, [begin, ...burst(1 * SECOND + 1)]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
    await write(FORK, [begin, burst(0)[0]!]);
    expect(await counted()).to.deep.equal(countsOf(FIRST));
  });

  it('count events that follow each other quickly once a fork has shown that they are its own', async () => {
    const begun = START + 60 * SECOND;
    const totals = [FIRST, sumOf(FIRST, SECOND_REQUEST), sumOf(...REQUESTS)];
    const at = [begun, begun + 5 * SECOND, begun + 5 * SECOND + 10];
    const events = REQUESTS.map((last, index) => tokenCount(at[index]!, totals[index]!, last));
    await write(FORK, [meta(FORK, begun, { forked_from_id: PARENT }), ...events]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
  });

  it('count a history that was rewritten to the time of the fork once, beside its parent', async () => {
    const begun = START + 3600 * SECOND;
    const rewritten = eventsFrom(begun, [FIRST, SECOND_REQUEST], 20 * SECOND);
    await write(PARENT, [meta(PARENT, START), ...eventsFrom(START + SECOND, [FIRST, SECOND_REQUEST])]);
    await write(FORK, [meta(FORK, begun, { forked_from_id: PARENT }), ...rewritten]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, SECOND_REQUEST));
  });

  it('count a copy of a session once, and two sessions with equal counts twice', async () => {
    const lines = [meta(PARENT, START), ...eventsFrom(START + SECOND, REQUESTS)];
    await write(PARENT, lines);
    await writeLog(folder(), `archived_sessions/rollout-${PARENT}.jsonl`, lines);
    await write(FORK, [meta(FORK, START + 7200 * SECOND), ...eventsFrom(START + 7201 * SECOND, REQUESTS)]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS, ...REQUESTS));
  });

  it('count the growth of the total, the last request where it fell, and nothing of a total that comes again', async () => {
    const grown = sumOf(FIRST, THIRD);
    await write(PARENT, [
      meta(PARENT, START),
      tokenCount(START + 10 * SECOND, FIRST, FIRST),
      // A request went by without an event: the last one alone would be too little.
      tokenCount(START + 20 * SECOND, grown, NOTHING),
      tokenCount(START + 30 * SECOND, SECOND_REQUEST, SECOND_REQUEST),
      tokenCount(START + 40 * SECOND, grown, THIRD),
    ]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, THIRD, SECOND_REQUEST));
  });

  it('count a request that compacted the context by its response, unless an event counted it', async () => {
    const response = (id: string, used: Used): string =>
      record(START + 5 * SECOND, 'token_usage_record', { response_id: id, usage: usage(used) });
    const compacted = (id: string): string => record(START + 6 * SECOND, 'compacted', { compaction_response_id: id });
    await write(PARENT, [meta(PARENT, START), response('resp_1', FIRST), compacted('resp_1'), compacted('resp_1')]);
    expect(await counted()).to.deep.equal(countsOf(FIRST));
    const event = tokenCount(START + 5 * SECOND, FIRST, FIRST);
    await write(PARENT, [meta(PARENT, START), response('resp_1', FIRST), event, compacted('resp_1')]);
    expect(await counted()).to.deep.equal(countsOf(FIRST));
    const other = tokenCount(START + 5 * SECOND, THIRD, THIRD);
    await write(PARENT, [meta(PARENT, START), response('resp_1', FIRST), other, compacted('resp_1')]);
    expect(await counted()).to.deep.equal(countsOf(FIRST, THIRD));
    // An event counts the response just before it, and no earlier one of equal counts.
    const later = tokenCount(START + 9 * SECOND, sumOf(THIRD, FIRST), FIRST);
    await write(PARENT, [meta(PARENT, START), response('resp_1', FIRST), other, later, compacted('resp_1')]);
    expect(await counted()).to.deep.equal(countsOf(THIRD, FIRST, FIRST));
  });

  it('skip and report an event without a key', async () => {
    const nameless = { type: 'event_msg', payload: eventPayload(FIRST, FIRST) };
    await write(PARENT, [JSON.stringify(nameless)]);
    const { totals, skipped } = await scan();
    expect(totals).to.deep.equal(countsOf());
    expect(skipped).to.include({ no_identity: 1 });
  });
});

function countsOf(...used: readonly Used[]): Counts {
  const { input, cached, output } = sumOf(...used);
  return { input: input - cached, output, cache_read: cached, cache_write: 0 };
}

function sumOf(...used: readonly Used[]): Used {
  return used.reduce(
    (sum, { input, cached, output }) => ({
      input: sum.input + input,
      cached: sum.cached + cached,
      output: sum.output + output,
    }),
    NOTHING,
  );
}

/** Events a minute apart (or `pause`), with a running total. */
function eventsFrom(begin: number, requests: readonly Used[], pause = 60 * SECOND): readonly string[] {
  return requests.map((last, index) => tokenCount(begin + index * pause, sumOf(...requests.slice(0, index + 1)), last));
}

function meta(id: string, at: number, more: object = {}): string {
  return record(at, 'session_meta', { id, timestamp: new Date(at).toISOString(), cwd: '/srv/atlas', ...more });
}

function tokenCount(at: number, total: Used, last: Used): string {
  return record(at, 'event_msg', eventPayload(total, last));
}

function eventPayload(total: Used, last: Used): object {
  return { type: 'token_count', info: { total_token_usage: usage(total), last_token_usage: usage(last) } };
}

function usage({ input, cached, output }: Used): object {
  return { input_tokens: input, cached_input_tokens: cached, output_tokens: output, reasoning_output_tokens: 0 };
}

function record(at: number, type: string, payload: object): string {
  return JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload });
}
