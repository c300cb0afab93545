import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { claudeCode } from '../../../../cli/src/sources/claude-code.ts';
import { MAX_LINE_BYTES } from '../../../../cli/src/sources/read-lines.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import type { Scanned } from '../../support/scan-source.ts';
import { scanSource } from '../../support/scan-source.ts';
import { emptyStore } from '../../support/stores.ts';
import { useFolder } from '../../support/temporary-folder.ts';

const ONCE = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
const TWICE = { input: 20, output: 40, cache_read: 60, cache_write: 80 };
const NONE = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

describe('counting Claude Code logs', () => {
  const folder = useFolder();

  const scanLines = async (...lines: readonly string[]): Promise<Scanned> => {
    await writeLog(folder(), 'session.jsonl', lines);
    return await scanSource(claudeCode, [folder()]);
  };

  it('counts a message once over files and folders of any depth', async () => {
    const line = assistantLine({ id: 'a', request: 'r' });
    await writeLog(folder(), 'project/session.jsonl', [line]);
    await writeLog(folder(), 'project/session/subagents/agent-1.jsonl', [line]);
    await writeLog(folder(), 'elsewhere/session.jsonl', [line, assistantLine({ id: 'b', request: 'r2' })]);
    const scan = await scanSource(claudeCode, [folder()]);
    expect(scan.totals).to.deep.equal(TWICE);
    expect(scan).to.include({ messages: 2, repeats: 2, files: 3 });
  });

  it('takes the maximum of each field of a rewritten stream, whichever line comes last', async () => {
    const { totals } = await scanLines(
      assistantLine({ id: 'a', request: 'r', output: 1, cacheRead: 500 }),
      assistantLine({ id: 'a', request: 'r', output: 300 }),
      assistantLine({ id: 'a', request: 'r', output: 2, cacheRead: 0 }),
    );
    expect(totals).to.deep.equal({ input: 10, output: 300, cache_read: 500, cache_write: 40 });
  });

  it('adds the requests of one message id', async () => {
    const { totals, messages } = await scanLines(
      assistantLine({ id: 'a', request: 'r1' }),
      assistantLine({ id: 'a', request: 'r2' }),
    );
    expect(totals).to.deep.equal(TWICE);
    expect(messages).to.equal(2);
  });

  it('falls back to the message id where the request id is missing', async () => {
    const line = assistantLine({ id: 'a' });
    expect((await scanLines(line, line, assistantLine({ id: 'b' }))).totals).to.deep.equal(TWICE);
  });

  it('joins a line without request id to the message that has one', async () => {
    const { totals, messages } = await scanLines(
      assistantLine({ id: 'a', output: 25 }),
      assistantLine({ id: 'a', request: 'r' }),
    );
    expect(totals).to.deep.equal({ ...ONCE, output: 25 });
    expect(messages).to.equal(1);
  });

  it('counts a sidechain replay under another request id once, before or after its original', async () => {
    const original = assistantLine({ id: 'a', request: 'r' });
    const replay = assistantLine({ id: 'a', request: 'replayed', sidechain: true });
    expect((await scanLines(original, replay)).totals).to.deep.equal(ONCE);
    expect((await scanLines(replay, original)).totals).to.deep.equal(ONCE);
  });

  it("takes the main thread's counts where a sub-agent's log has others, before or after", async () => {
    const original = assistantLine({ id: 'a', request: 'r' });
    const partial = assistantLine({ id: 'a', request: 'r', output: 1 });
    const more = { output: 900, cacheRead: 9000, cacheWrite: 0 };
    for (const name of ['1.jsonl', 'session/subagents/agent-1.jsonl', 'z.jsonl']) {
      for (const sidechain of [true, !name.includes('agent-')]) {
        for (const request of ['r', 'replayed', undefined]) {
          const replay = assistantLine({ id: 'a', ...(request === undefined ? {} : { request }), sidechain, ...more });
          await writeLog(folder(), name, [replay, replay]);
          expect((await scanLines(partial, original)).totals).to.deep.equal(ONCE);
        }
      }
      await rm(join(folder(), name));
    }
  });

  it("counts a growing message of a sub-agent's log once, where the main thread has no record of it", async () => {
    const lines = [1, 20, 300].map((output) => assistantLine({ id: 's', request: 'q', sidechain: true, output }));
    await writeLog(folder(), 'session/subagents/agent-1.jsonl', lines);
    await writeLog(folder(), 'session/subagents/agent-2.jsonl', lines.toReversed());
    const scan = await scanLines();
    expect(scan.totals).to.deep.equal({ ...ONCE, output: 300 });
    expect(scan.messages).to.equal(1);
  });

  it("counts a sub-agent's own messages", async () => {
    const { totals } = await scanLines(
      assistantLine({ id: 'a', request: 'r' }),
      assistantLine({ id: 's', request: 'q', sidechain: true }),
    );
    expect(totals).to.deep.equal(TWICE);
  });

  it('counts parts of a usage once by their place, and reports those of unknown types', async () => {
    const part = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 };
    const iterations = [
      { ...part, type: 'message' },
      { ...part, type: 'oracle' },
      { ...part, type: 'oracle', input_tokens: -1 },
    ];
    const line = assistantLine({ id: 'a', request: 'r' }).replace(
      '"output_tokens":20',
      `$&,"iterations":${JSON.stringify(iterations)}`,
    );
    const { totals, messages, skipped } = await scanLines(line, line);
    expect(totals).to.deep.equal(TWICE);
    expect(messages).to.equal(2);
    expect(skipped).to.include({ unknown_type: 4, invalid_counts: 2 });
  });

  it('skips messages that the tool wrote itself', async () => {
    const { totals, skipped } = await scanLines(assistantLine({ id: 'a', request: 'r', model: '<synthetic>' }));
    expect(totals).to.deep.equal(NONE);
    expect(skipped['synthetic']).to.equal(1);
  });

  it('counts missing cache counts as 0', async () => {
    const { totals } = await scanLines(
      assistantLine({ id: 'a', request: 'r', cacheRead: undefined, cacheWrite: null }),
    );
    expect(totals).to.deep.equal({ ...ONCE, cache_read: 0, cache_write: 0 });
  });

  it('counts cache writes once where they are also split by their lifetime', async () => {
    const split = '"cache_creation":{"ephemeral_5m_input_tokens":15,"ephemeral_1h_input_tokens":25},"output_tokens"';
    const line = assistantLine({ id: 'a', request: 'r' }).replace('"output_tokens"', split);
    expect((await scanLines(line)).totals).to.deep.equal(ONCE);
  });

  it('keeps what a log contained before it was rewritten with less', async () => {
    const store = await emptyStore();
    const first = assistantLine({ id: 'a', request: 'r' });
    await writeLog(folder(), 'session.jsonl', [first, assistantLine({ id: 'b', request: 'r2' })]);
    await scanSource(claudeCode, [folder()], store);
    await writeLog(folder(), 'session.jsonl', [assistantLine({ id: 'a', request: 'r', output: 2 })]);
    expect((await scanSource(claudeCode, [folder()], store)).totals).to.deep.equal(TWICE);
  });

  it("dates a record whose time the store cannot hold to its file's last modification", async () => {
    const store = await emptyStore();
    const line = assistantLine({ id: 'a', request: 'r' }).replace('2026-05-01T', '2226-05-01T');
    const path = await writeLog(folder(), 'session.jsonl', [line]);
    await utimes(path, 1_777_000_000, 1_777_000_000);
    await scanSource(claudeCode, [folder()], store);
    expect(store.buckets().map(({ time }) => time)).to.deep.equal([1_777_000_000 - (1_777_000_000 % 900)]);
  });

  it('identifies a line without message id by its request, else by its uuid, and skips one with neither', async () => {
    const byRequest = assistantLine({ request: 'r' });
    const byUuid = assistantLine({ uuid: 'u' });
    const { totals, skipped } = await scanLines(byRequest, byRequest, byUuid, byUuid, assistantLine({}));
    expect(totals).to.deep.equal(TWICE);
    expect(skipped['no_identity']).to.equal(1);
  });

  it('counts only the usage of assistant messages', async () => {
    const usage = { input_tokens: 5, output_tokens: 5 };
    const { totals, skipped } = await scanLines(
      JSON.stringify({ type: 'user', message: { id: 'a', role: 'assistant', usage } }),
      JSON.stringify({ type: 'assistant', usage }),
      JSON.stringify({ type: 'user', toolUseResult: { type: 'assistant', usage } }),
      JSON.stringify({ type: 'progress', data: { message: { type: 'assistant', message: { id: 'a', usage } } } }),
      JSON.stringify({ metric: 'assistant', usage }),
    );
    expect(totals).to.deep.equal(NONE);
    expect(skipped['not_json']).to.equal(0);
  });

  it('counts a message that follows another object, and whose content looks like a usage or the end of the line', async () => {
    const text = '],"stop_reason":null,"usage":{"input_tokens":7},"message":{"role":"user"';
    const line = JSON.parse(assistantLine({ id: 'a', request: 'r', text }));
    const input = { content: ['x'], stop_reason: null, usage: { input_tokens: 7, output_tokens: 7 } };
    line.message.content.push({ type: 'tool_use', input });
    const { totals } = await scanLines(JSON.stringify({ toolUseResult: { id: 'm', content: ['x'] }, ...line }));
    expect(totals).to.deep.equal(ONCE);
  });

  it('reports lines that are not JSON and counts the rest', async () => {
    const { totals, skipped } = await scanLines(
      'plain text',
      '[1, 2]',
      '{"type":"assistant","message":{"usage":{"input_tokens":1,}}}',
      '',
      '   ',
      assistantLine({ id: 'a', request: 'r' }),
    );
    expect(totals).to.deep.equal(ONCE);
    expect(skipped['not_json']).to.equal(3);
  });

  it('tolerates a last line that is cut off, wherever the cut is', async () => {
    const whole = assistantLine({ id: 'a', request: 'r' });
    const next = assistantLine({ id: 'b', request: 'r2', text: 'été ✨' });
    for (let cut = 1; cut < Buffer.byteLength(next); cut += 7) {
      const bytes = Buffer.concat([Buffer.from(`${whole}\n`), Buffer.from(next).subarray(0, cut)]);
      await writeFile(join(folder(), 'session.jsonl'), bytes);
      const { totals, skipped } = await scanSource(claudeCode, [folder()]);
      expect(totals, `cut at ${cut}`).to.deep.equal(ONCE);
      expect(skipped['truncated'], `cut at ${cut}`).to.equal(1);
    }
  });

  it('counts a whole last line that only lacks its line end', async () => {
    await writeFile(join(folder(), 'session.jsonl'), assistantLine({ id: 'a', request: 'r' }));
    expect((await scanSource(claudeCode, [folder()])).totals).to.deep.equal(ONCE);
  });

  it('skips and reports a line above the limit, and continues after it', async () => {
    const huge = assistantLine({ id: 'h', request: 'h', text: 'x'.repeat(MAX_LINE_BYTES) });
    const { totals, skipped } = await scanLines(
      assistantLine({ id: 'a', request: 'r' }),
      huge,
      assistantLine({ id: 'b', request: 'r' }),
    );
    expect(totals).to.deep.equal(TWICE);
    expect(skipped['too_long']).to.equal(1);
  });

  it('handles cyclic links, and reads a file once, however many links lead to it', async () => {
    await writeLog(folder(), 'logs/session.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await symlink(folder(), join(folder(), 'logs', 'back'));
    await symlink(join(folder(), 'logs', 'session.jsonl'), join(folder(), 'again.jsonl'));
    await symlink(join(folder(), 'self.jsonl'), join(folder(), 'self.jsonl'));
    await symlink(join(folder(), 'gone'), join(folder(), 'dead.jsonl'));
    const scan = await scanSource(claudeCode, [folder(), join(folder(), 'logs'), join(folder(), 'logs', 'back')]);
    expect(scan.totals).to.deep.equal(ONCE);
    expect(scan).to.include({ files: 1, repeats: 0 });
    expect(scan.unreadable).to.deep.equal([]);
  });

  it('follows no link out of the folder, and reports it', async () => {
    const log = join(folder(), 'elsewhere', 'session.jsonl');
    await writeLog(folder(), 'logs/session.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await writeLog(folder(), 'elsewhere/session.jsonl', [assistantLine({ id: 'b', request: 'r' })]);
    const links = { root: '/', folder: join(folder(), 'elsewhere'), 'file.jsonl': log, other: '/etc/hostname' };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder(), 'logs', name));
    const scan = await scanSource(claudeCode, [join(folder(), 'logs')]);
    expect(scan.totals).to.deep.equal(ONCE);
    expect(scan.unreadable.map(({ path, reason }) => [path, reason])).to.have.deep.members(
      ['root', 'folder', 'file.jsonl'].map((name) => [join(folder(), 'logs', name), 'LINK_OUTSIDE']),
    );
    expect((await scanSource(claudeCode, [join(folder(), 'logs', 'folder')])).totals, 'given itself').to.deep.equal(
      ONCE,
    );
  });

  it('reports a file that cannot be read and counts the others', async () => {
    await writeLog(folder(), 'good.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    const bad = join(folder(), 'bad.jsonl');
    if (process.getuid?.() === 0) {
      // Root may read everything; its own memory map at address 0 is what even root cannot.
      await symlink('/proc/self/mem', bad);
    } else {
      await writeFile(bad, 'secret');
      await chmod(bad, 0);
    }
    const scan = await scanSource(claudeCode, [folder()]);
    expect(scan.totals).to.deep.equal(ONCE);
    expect(scan.unreadable).to.have.length(1);
  });

  it('reports for each place whether it exists', async () => {
    await mkdir(join(folder(), 'empty'));
    const { places, files } = await scanSource(claudeCode, [join(folder(), 'empty'), join(folder(), 'absent')]);
    expect(places.map(({ found }) => found)).to.deep.equal([true, false]);
    expect(files).to.equal(0);
  });

  it('counts messages with a placeholder for input', async () => {
    const { placeholders } = await scanLines(
      assistantLine({ id: 'a', request: 'r', input: 0 }),
      assistantLine({ id: 'b', request: 'r', input: 1 }),
      assistantLine({ id: 'c', request: 'r', input: 2 }),
      assistantLine({ id: 'd', request: 'r', input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }),
    );
    expect(placeholders).to.equal(2);
  });
});
