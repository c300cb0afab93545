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
const NESTED = '0c000000-0000-7000-8000-00000000000c';

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
const OTHER: Used = { input: 2300, cached: 40, output: 70 };
const TINY: Used = { input: 13, cached: 7, output: 1 };

describe("Codex's sessions", () => {
  const folder = useFolder();
  const [codex] = sourcesOf(['codex']);

  const write = (id: string, lines: readonly string[]): Promise<string> =>
    writeLog(folder(), `sessions/rollout-${id}.jsonl`, lines);
  const scan = (): Promise<Scanned> => scanSource(codex!, [folder()]);
  /** What is counted of the sessions in the folder, as the four counts. */
  const counted = async (): Promise<Counts> => (await scan()).totals;

  const expectCounted = async (events: readonly string[], requests: readonly Used[]): Promise<void> => {
    await write(PARENT, [meta(PARENT, START), ...events]);
    expect(await counted(), events.join('\n')).to.deep.equal(countsOf(...requests));
  };

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

  it('count what a fork did after the clock was set back', async () => {
    const begun = START + 3600 * SECOND;
    const at = [begun + 5 * SECOND, begun + 9 * SECOND, begun - 600 * SECOND];
    const totals = [FIRST, sumOf(FIRST, SECOND_REQUEST), sumOf(...REQUESTS)];
    const events = REQUESTS.map((last, index) => tokenCount(at[index]!, totals[index]!, last));
    await write(FORK, [meta(FORK, begun, { forked_from_id: PARENT }), ...events]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
  });

  it('count what a sub-agent of a sub-agent did, beside replays of both in the same burst', async () => {
    const child = { subagent: { thread_spawn: { parent_thread_id: PARENT } } };
    const grandchild = { subagent: { thread_spawn: { parent_thread_id: FORK } } };
    const [begun, later] = [START + 600 * SECOND, START + 900 * SECOND];
    await write(PARENT, [meta(PARENT, START), tokenCount(START + SECOND, FIRST, FIRST)]);
    const replayed = [tokenCount(begun, FIRST, FIRST), tokenCount(begun, sumOf(FIRST, TINY), TINY)];
    const own = tokenCount(begun + 60 * SECOND, sumOf(FIRST, TINY, SECOND_REQUEST), SECOND_REQUEST);
    await write(FORK, [meta(FORK, begun, { source: child }), ...replayed, own]);
    const again = [
      tokenCount(later, FIRST, FIRST),
      tokenCount(later, sumOf(FIRST, TINY), TINY),
      tokenCount(later, sumOf(FIRST, TINY, SECOND_REQUEST), SECOND_REQUEST),
    ];
    const last = tokenCount(later + 60 * SECOND, sumOf(FIRST, TINY, SECOND_REQUEST, THIRD), THIRD);
    await write(NESTED, [meta(NESTED, later, { source: grandchild }), ...again, last]);
    expect(await counted()).to.deep.equal(countsOf(...REQUESTS));
  });

  it('count an input of 0 where more was cached, and either name of a cache write', async () => {
    for (const name of ['cache_write_input_tokens', 'cache_creation_input_tokens']) {
      const reported = { input_tokens: 50, cached_input_tokens: 30, [name]: 40, output_tokens: 5 };
      const info = { total_token_usage: reported, last_token_usage: reported };
      await write(PARENT, [meta(PARENT, START), record(START, 'event_msg', { type: 'token_count', info })]);
      expect(await counted()).to.deep.equal({ input: 0, output: 5, cache_read: 30, cache_write: 40 });
    }
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

  it('count on where a running total fell to zero, whether it starts again or continues', async () => {
    const [one, two, all] = [FIRST, sumOf(FIRST, SECOND_REQUEST), sumOf(...REQUESTS)];
    const zeros = [NOTHING, SECOND_REQUEST, null];
    for (const last of zeros) {
      const fallen = [inMinute(1, one, FIRST), inMinute(2, two, SECOND_REQUEST), inMinute(3, NOTHING, last)];
      // It continues: with the old total repeated first, and with a request that had no event.
      await expectCounted([...fallen, inMinute(4, all, THIRD)], REQUESTS);
      await expectCounted(
        [...fallen, inMinute(4, one, FIRST), inMinute(5, two, SECOND_REQUEST), inMinute(6, all, THIRD)],
        REQUESTS,
      );
      await expectCounted([...fallen, inMinute(4, sumOf(all, OTHER), OTHER)], [...REQUESTS, OTHER]);
      // It starts again, also beyond the former total, and with a request that had no event.
      await expectCounted(
        [...fallen, inMinute(4, THIRD, THIRD), inMinute(5, sumOf(THIRD, OTHER), OTHER)],
        [...REQUESTS, OTHER],
      );
      await expectCounted([...fallen, inMinute(4, sumOf(OTHER, TINY), TINY)], [FIRST, SECOND_REQUEST, OTHER, TINY]);
    }
    // The last request is a new one although the total is zero.
    await expectCounted(
      [inMinute(1, one, FIRST), inMinute(2, NOTHING, SECOND_REQUEST), inMinute(3, all, THIRD)],
      REQUESTS,
    );
  });

  it('count on where an event has no total, no counts or an impossible one', async () => {
    const [one, all] = [FIRST, sumOf(...REQUESTS)];
    const none = record(START + 120 * SECOND, 'event_msg', { type: 'token_count', info: null });
    await expectCounted(
      [inMinute(1, one, FIRST), none, inMinute(2, null, SECOND_REQUEST), inMinute(3, all, THIRD)],
      REQUESTS,
    );
    await expectCounted(
      [
        inMinute(1, one, FIRST),
        inMinute(2, null, SECOND_REQUEST),
        inMinute(3, null, THIRD),
        inMinute(4, sumOf(all, OTHER), OTHER),
      ],
      [...REQUESTS, OTHER],
    );
    await expectCounted([inMinute(1, one, null), none, inMinute(3, all, null)], REQUESTS);
    await expectCounted(
      [inMinute(1, one, FIRST), inMinute(2, { ...all, input: -1 }, THIRD), inMinute(3, all, THIRD)],
      REQUESTS,
    );
  });

  it('count each request once where totals are late, stale or those of two threads', async () => {
    const [one, two, all] = [FIRST, sumOf(FIRST, SECOND_REQUEST), sumOf(...REQUESTS)];
    const events = [inMinute(1, one, FIRST), inMinute(2, two, SECOND_REQUEST), inMinute(3, all, THIRD)];
    for (const order of [
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]) {
      await expectCounted(
        order.map((index) => events[index]!),
        REQUESTS,
      );
    }
    await expectCounted(
      [...events, inMinute(4, two, SECOND_REQUEST), inMinute(5, sumOf(all, OTHER), OTHER)],
      [...REQUESTS, OTHER],
    );
    const threads = [
      inMinute(1, one, FIRST),
      inMinute(2, OTHER, OTHER),
      inMinute(3, two, SECOND_REQUEST),
      inMinute(4, sumOf(OTHER, TINY), TINY),
    ];
    await expectCounted([...threads, inMinute(5, all, THIRD)], [...REQUESTS, OTHER, TINY]);
    // A request with a total of its own, which the running total then includes.
    await expectCounted(
      [...events, inMinute(4, OTHER, OTHER), inMinute(5, sumOf(all, OTHER, TINY), TINY)],
      [...REQUESTS, OTHER, TINY],
    );
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

/** The event of a minute. */
function inMinute(minute: number, total: Used | null, last: Used | null): string {
  return record(START + minute * 60 * SECOND, 'event_msg', eventPayload(total, last));
}

function eventPayload(total: Used | null, last: Used | null): object {
  const info = { total_token_usage: total && usage(total), last_token_usage: last && usage(last) };
  return { type: 'token_count', info };
}

function usage({ input, cached, output }: Used): object {
  return { input_tokens: input, cached_input_tokens: cached, output_tokens: output, reasoning_output_tokens: 0 };
}

function record(at: number, type: string, payload: object): string {
  return JSON.stringify({ timestamp: new Date(at).toISOString(), type, payload });
}
