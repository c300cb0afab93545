import { join } from 'node:path';
import { sum } from '../../frame/statistics.ts';
import type { Chance } from './chance.ts';
import { addTotals, type SessionResult, type Totals, writeLog, zeroTotals } from './write-log.ts';

/** The share of messages that also appear in a session that resumes this one, and of sessions with a sub-agent. */
const RESUMED_SHARE = 0.05;
const SUB_AGENT_SHARE = 0.3;

/** Members that every line of a session ends with. */
const TOOL = { userType: 'external', entrypoint: 'cli', version: '2.1.247', cwd: '/srv/project', gitBranch: 'main' };

/** Writes a Claude Code session, sometimes with a sub-agent, and sometimes with a resumed copy of its last messages. */
export async function writeClaudeSession(home: string, chance: Chance, startedAt: number): Promise<SessionResult> {
  const project = join(home, '.claude', 'projects', `-srv-project-${chance.integer(1, 40)}`);
  const sessionId = chance.uuid();
  const totals = zeroTotals();
  const main: object[] = [];
  const resumed: object[] = [];
  let at = startedAt;
  for (let turn = chance.integer(10, 120); turn > 0; turn -= 1) {
    at += chance.integer(5_000, 120_000);
    main.push(userLine(chance, sessionId, at));
    const lines = assistantLines(chance, sessionId, at + 2_000, totals, false);
    main.push(...lines);
    if (chance.happens(RESUMED_SHARE)) resumed.push(...lines);
  }
  const logs: [string, readonly object[]][] = [[`${sessionId}.jsonl`, main]];
  if (chance.happens(SUB_AGENT_SHARE)) {
    const turns = Array.from({ length: chance.integer(3, 20) }, () =>
      assistantLines(chance, sessionId, at, totals, true),
    );
    logs.push([join(sessionId, 'subagents', `agent-${chance.hex(8)}.jsonl`), turns.flat()]);
  }
  // A resumed session begins with lines of the one it continues.
  if (resumed.length > 0) logs.push([`${chance.uuid()}.jsonl`, resumed]);
  const bytes = await Promise.all(logs.map(([name, lines]) => writeLog(join(project, name), lines)));
  return { totals, bytes: sum(bytes), files: logs.length };
}

function userLine(chance: Chance, sessionId: string, at: number): object {
  const tool_use_id = `toolu_${chance.hex(22)}`;
  const content = chance.happens(0.3)
    ? chance.text(40, 600)
    : [{ type: 'tool_result', tool_use_id, content: chance.text(400, 14_000) }];
  const ids = { parentUuid: chance.uuid(), isSidechain: false, type: 'user' };
  const timestamp = new Date(at).toISOString();
  return { ...ids, message: { role: 'user', content }, uuid: chance.uuid(), timestamp, ...TOOL, sessionId };
}

/** The lines of one response: one per block, with the same ids and a growing output. */
function assistantLines(chance: Chance, sessionId: string, at: number, totals: Totals, isSidechain: boolean): object[] {
  const message = { model: 'claude-sonnet-4-5-20250929', id: `msg_01${chance.hex(22)}`, type: 'message' };
  const requestId = `req_011${chance.hex(21)}`;
  const counts = {
    input: chance.integer(3, 2_500),
    output: chance.integer(60, 2_500),
    cache_read: chance.integer(10_000, 140_000),
    cache_write: chance.integer(0, 9_000),
  };
  addTotals(totals, counts);
  const usage = {
    input_tokens: counts.input,
    cache_creation_input_tokens: counts.cache_write,
    cache_read_input_tokens: counts.cache_read,
    cache_creation: { ephemeral_5m_input_tokens: counts.cache_write, ephemeral_1h_input_tokens: 0 },
  };
  const blocks = chance.integer(1, 3);
  return Array.from({ length: blocks }, (_, block) => {
    const isLast = block === blocks - 1;
    const output_tokens = isLast ? counts.output : Math.min(counts.output, 1 + block);
    const id = `toolu_${chance.hex(22)}`;
    const content = isLast
      ? { type: 'tool_use', id, name: 'Edit', input: { text: chance.text(200, 5_000) } }
      : { type: 'text', text: chance.text(80, 1_500) };
    return {
      parentUuid: chance.uuid(),
      isSidechain,
      ...(isSidechain ? { agentId: sessionId.slice(0, 8) } : {}),
      message: {
        ...message,
        role: 'assistant',
        content: [content],
        stop_reason: null,
        usage: { ...usage, output_tokens, service_tier: 'standard', inference_geo: 'not_available' },
      },
      requestId,
      type: 'assistant',
      uuid: chance.uuid(),
      timestamp: new Date(at + block * 700).toISOString(),
      ...TOOL,
      sessionId,
    };
  });
}
