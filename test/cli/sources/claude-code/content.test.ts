import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import type { UsageRecord } from '../../../../cli/src/sources/source.ts';
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
const count = fc.nat({ max: 1_000_000 });

/** A line as Claude Code writes it, with its names in this order; or with a result first, and the usage before another array. */
function entryOf(contents: fc.Arbitrary<unknown>) {
  const parts = fc.record({
    content: contents,
    cwd: text,
    id: text,
    output: count,
    other: value,
    isEarly: fc.boolean(),
    isResult: fc.boolean(),
  });
  return parts.map(({ content: said, cwd, id, output, other, isEarly, isResult }) => ({
    ...(isResult ? { toolUseResult: { type: 'text', content: ['x'] } } : {}),
    isSidechain: false,
    cwd,
    sessionId: 'session',
    message: {
      model: 'claude-sonnet-4-5',
      id: `m${id}`,
      role: 'assistant',
      content: said,
      ...(isEarly ? { usage: { input_tokens: 1, output_tokens: output }, list: [1] } : {}),
      stop_reason: null,
      ...(isEarly ? { other } : { usage: { input_tokens: 1, output_tokens: output, server: other } }),
    },
    requestId: 'r1',
    type: 'assistant',
    timestamp: '2026-05-01T10:00:00.000Z',
  }));
}

type Entry = ReturnType<typeof entryOf> extends fc.Arbitrary<infer Value> ? Value : never;

/** What the plainest reader finds in a line: the id, the folder and the output; nothing in one that is not JSON. */
function plainly(line: Buffer): readonly string[] {
  let read: Entry;
  try {
    read = JSON.parse(line.toString().replace(/^[\0- ]+/, ''));
  } catch {
    return [];
  }
  const { message, cwd } = read;
  return [JSON.stringify([message.id, cwd || null, message.usage!.output_tokens])];
}

function found({ keys, origin, counts }: UsageRecord): string {
  return JSON.stringify([keys[0]!.replace('message ', ''), origin?.project ?? null, counts.output]);
}

describe('the content of messages of Claude Code', () => {
  const folder = useFolder();

  const read = async (lines: readonly Buffer[]): Promise<readonly string[]> => {
    const path = join(folder(), 'session.jsonl');
    await writeFile(path, Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
    const records: string[] = [];
    await claudeCode.read(path, {
      advance: () => undefined,
      skip: () => undefined,
      add: (record) => void records.push(found(record)),
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
});
