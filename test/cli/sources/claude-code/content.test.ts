import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import type { UsageRecord } from '../../../../cli/src/sources/source.ts';
import { MAX_COUNT } from '../../../../engine/contract/signing/index.ts';
import { useFolder } from '../../support/temporary-folder.ts';

/** Texts with what ends strings and arrays, what follows a content, and what begins another one. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc
    .array(fc.constantFrom('"', '\\', ']', '}', '[', ',', '"content":[', '],"stop_reason":', '"usage":{', 'é', 'x'), {
      maxLength: 8,
    })
    .map((parts) => parts.join('')),
);
const name = fc.oneof(text, fc.constantFrom('content', 'stop_reason', 'usage', 'message', 'type', 'input_tokens'));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(7, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));
/** What messages contain: text or pieces. */
const content = fc.oneof(
  text,
  fc.array(fc.record({ type: fc.constantFrom('text', 'tool_use'), text, input: value }), { maxLength: 2 }),
);
const count = fc.oneof(
  { weight: 9, arbitrary: fc.nat({ max: 1_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 5.5, 1e21, -1) },
);
/** Of a usage. */
const PART = { input_tokens: 7, output_tokens: 8, cache_read_input_tokens: 9, cache_creation: { ephemeral_5m: 1 } };
const PART_COUNTS = { input: 7, output: 8, cache_read: 9, cache_write: 0 };
const rarely = fc.constantFrom(true, false, false, false);

/**
 * A line as versions 2.0 or 2.1 of Claude Code write it, with its names in this order, and with further usage; or with a result
 * first, the usage before another array, or less than all members.
 */
function entryOf(contents: fc.Arbitrary<unknown>) {
  const parts = fc.record({
    content: contents,
    cwd: fc.oneof(text, fc.constant('/srv/atlas')),
    id: fc.oneof(text, fc.constantFrom('1', '2')),
    sidechain: fc.boolean(),
    counts: fc.tuple(count, count, count, count),
    other: value,
    further: fc.constantFrom(
      {},
      { server_tool_use: { web_search_requests: 0 } },
      { iterations: [{ output_tokens: 1 }, { ...PART, type: 'message' }, { ...PART, type: 'advisor_message' }] },
      { iterations: [{ type: 'é}', model: 'other', ...PART }], speed: 'standard' },
    ),
    isRecent: fc.boolean(),
    isEarly: rarely,
    // The second is as long as the name of the message.
    result: fc.constantFrom('toolUseResult', 'details', '', '', ''),
    isShort: rarely,
  });
  return parts.map((of) => {
    const [input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens] = of.counts;
    const cache = { cache_creation_input_tokens, cache_read_input_tokens };
    const usage = { input_tokens, ...(of.isShort ? {} : cache), output_tokens };
    const session = { cwd: of.cwd, sessionId: 'session' };
    return {
      ...(of.isShort ? {} : { parentUuid: 'p1' }),
      ...(of.result === '' ? {} : { [of.result]: { model: 'other', id: 'm3', type: 'text', content: ['x'] } }),
      isSidechain: of.sidechain,
      ...(of.isRecent ? {} : session),
      message: {
        model: 'claude-sonnet-4-5',
        id: `m${of.id}`,
        role: 'assistant',
        content: of.content,
        ...(of.isEarly ? { usage, list: [1] } : {}),
        ...(of.isRecent ? { container: null } : {}),
        stop_reason: null,
        ...(of.isShort ? {} : { stop_sequence: null }),
        ...(of.isRecent ? { stop_details: null } : {}),
        ...(of.isEarly ? { other: of.other } : { usage: { ...usage, ...of.further, server: of.other } }),
      },
      ...(of.isRecent ? { apiBlockIndex: 0 } : {}),
      requestId: 'r1',
      type: 'assistant',
      uuid: 'u1',
      timestamp: '2026-05-01T10:00:00.000Z',
      ...(of.isRecent ? { userType: 'external', ...session, gitBranch: 'main' } : {}),
    };
  });
}

type Entry = ReturnType<typeof entryOf> extends fc.Arbitrary<infer Value> ? Value : never;

/** A part of a usage. */
interface Part {
  readonly output_tokens: number;
  readonly type?: string;
  readonly model?: string;
}

/** What the plainest reader finds in a line; nothing in one that is not JSON. */
function plainly(line: Buffer): readonly UsageRecord[] {
  let read: Entry;
  try {
    read = JSON.parse(line.toString().replace(/^[\0- ]+/, ''));
  } catch {
    return [];
  }
  const { input_tokens, output_tokens, ...cache } = read.message.usage!;
  const { cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = cache;
  const counts = [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens];
  if (!counts.every((each) => Number.isInteger(each) && each >= 0 && each <= MAX_COUNT)) return [];
  const record = {
    request: read.requestId,
    isCopy: read.isSidechain,
    at: Date.parse(read.timestamp),
  };
  const origin = { model: read.message.model, project: read.cwd || null, session: read.sessionId ?? null };
  const key = `message ${read.message.id}`;
  const usage: { readonly input_tokens: number; readonly iterations?: readonly Part[] } = read.message.usage!;
  const parts = usage.iterations ?? [];
  const others = parts.flatMap(({ type = 'message', model = origin.model }, index) =>
    type === 'message'
      ? []
      : { ...record, keys: [`${key} ${index} ${type}`], counts: PART_COUNTS, origin: { ...origin, model } },
  );
  return [
    {
      ...record,
      keys: [key],
      origin,
      counts: {
        input: input_tokens,
        output: output_tokens,
        cache_read: cache_read_input_tokens,
        cache_write: cache_creation_input_tokens,
      },
    },
    ...others,
  ];
}

describe('the content of messages of Claude Code', () => {
  const folder = useFolder();

  const read = async (lines: readonly Buffer[]): Promise<readonly UsageRecord[]> => {
    const path = join(folder(), 'session.jsonl');
    await writeFile(path, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
    const records: UsageRecord[] = [];
    await claudeCode.read(path, {
      advance: () => undefined,
      skip: () => undefined,
      add: (record) => void records.push(record),
    });
    return records;
  };

  it('changes no count, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entryOf(fc.oneof(content, value)), { minLength: 1, maxLength: 8 }), async (entries) => {
        const lines = entries.map((each) => Buffer.from(JSON.stringify(each)));
        expect(await read(lines)).to.deep.equal(lines.flatMap(plainly));
      }),
      { numRuns: 300 },
    );
  });

  it('passes nothing of a line that was cut off to the line after it, or after NUL bytes', async () => {
    const entry = entryOf(content);
    const cut = fc.record({ first: entry, second: entry, at: fc.nat(), to: fc.nat(), isHole: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(cut, { minLength: 1, maxLength: 8 }), async (cuts) => {
        const lines = cuts.map(({ first, second, at, to, isHole }) => {
          const [start, rest] = [first, second].map((each) => Buffer.from(JSON.stringify(each)));
          const begun = start!.subarray(0, at % start!.length);
          return Buffer.concat(isHole ? [begun, Buffer.alloc(9), rest!.subarray(to % rest!.length)] : [begun, rest!]);
        });
        expect(await read(lines)).to.deep.equal(lines.flatMap(plainly));
      }),
      { numRuns: 300 },
    );
  });

  it('sets no counts, though a tool was called with what looks like the end of the line', async () => {
    const usage = { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 9 };
    const input = { tags: ['a'], stop_reason: null, stop_sequence: null, usage: { ...usage, note: '{{' } };
    const [entry] = fc.sample(entryOf(fc.constant([{ type: 'tool_use', input }])), { numRuns: 1, seed: 7 });
    for (const stop_reason of [null, undefined]) {
      const line = Buffer.from(JSON.stringify({ ...entry, message: { ...entry!.message, stop_reason } }));
      expect(await read([line]), String(stop_reason)).to.deep.equal(plainly(line));
    }
  });

  it('is read of a message after a line with more members than a pattern can match', async () => {
    const [entry] = fc.sample(entryOf(fc.constant([])), { numRuns: 1, seed: 7 });
    const line = Buffer.from(JSON.stringify(entry));
    const long = Buffer.from(`{"message":{${'"a":"",'.repeat(2_100_000)}"content":[],"stop_reason":null}}`);
    expect(await read([long, line])).to.deep.equal(plainly(line));
  });
});
