import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { parseJson } from '../../../../cli/src/json.ts';
import { codex } from '../../../../cli/src/sources/codex.ts';
import type { SkipReason, UsageRecord } from '../../../../cli/src/sources/source.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const usual = fc.nat({ max: 1_000_000 });
const odd = fc.oneof(usual, fc.constantFrom(0, 1e15, 1e21, 0.5, -1, null));
/** As versions without and with cache writes write it. */
const usageOf = (count: fc.Arbitrary<number | null>) =>
  fc.tuple(count, count, count, count, fc.option(count)).map(([input, cached, output, reasoning, writes]) => ({
    input_tokens: input,
    cached_input_tokens: cached,
    ...(writes === null ? {} : { cache_write_input_tokens: writes }),
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: 9,
  }));
/** Mostly as Codex writes it. */
const usage = fc.oneof(
  { weight: 6, arbitrary: usageOf(usual) },
  { weight: 1, arbitrary: usageOf(odd) },
  { weight: 1, arbitrary: fc.constant(null) },
);
const limits = fc.constantFrom(null, {}, { primary: { used_percent: 7.5 }, secondary: null }, { a: { b: { c: {} } } });
const event = fc
  .record({ total: usage, last: usage, limits, second: fc.nat({ max: 59 }) })
  .map(({ total, last, limits: rate_limits, second }) => ({
    timestamp: new Date(Date.UTC(2026, 4, 1, 10, 0, second)).toISOString(),
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: { total_token_usage: total, last_token_usage: last, model_context_window: 272_000 },
      rate_limits,
    },
  }));

/** The same JSON with the members of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
}

describe('the usage events of Codex', () => {
  const folder = useFolder();

  const read = async (lines: readonly string[]): Promise<readonly (UsageRecord | SkipReason)[]> => {
    const path = join(folder(), 'rollout-1.jsonl');
    await writeFile(path, lines.map((line) => `${line}\n`).join(''));
    const found: (UsageRecord | SkipReason)[] = [];
    await codex.read(path, {
      advance: () => undefined,
      skip: (reason) => void found.push(reason),
      add: (record) => void found.push(record),
    });
    return found;
  };

  it('count the same in the order in which Codex writes their members and in another one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 8 }), async (events) => {
        const asWritten = await read(events.map((each) => JSON.stringify(each)));
        expect(asWritten).to.deep.equal(await read(events.map((each) => JSON.stringify(reversed(each)))));
      }),
      { numRuns: 300 },
    );
  });

  it('are skipped where they continue with another line after they were cut off, or contain NUL bytes', async () => {
    const damage = fc.constantFrom('cut', 'cut and hole', 'hole');
    await fc.assert(
      fc.asyncProperty(event, event, fc.nat(), damage, async (first, second, place, kind) => {
        const [start, other] = [JSON.stringify(first), JSON.stringify(second)];
        const at = 1 + (place % (start.length - 1));
        const rest = kind === 'hole' ? start.slice(at) : other;
        const line = `${start.slice(0, at)}${kind === 'cut' ? '' : '\0\0'}${rest}`;
        const isSkipped = (await read([line])).every((each) => each === 'not_json');
        // JSON itself decides, as a line can be cut off where the other one continues it.
        expect(isSkipped || parseJson(line) !== undefined, line).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });
});
