import { join } from 'node:path';
import { sum } from '../../frame/statistics.ts';
import type { Chance } from './chance.ts';
import { addTotals, type Totals, zeroTotals } from './totals.ts';
import { writeLog } from './write-log.ts';

/** Range of turns per session. */
const TURNS = { least: 10, most: 120 };

/** The share of messages that also appear in a session that resumes this one. */
const RESUMED_SHARE = 0.05;

/** Counts and size of a written session. */
export interface SessionResult {
  readonly totals: Totals;
  readonly bytes: number;
  readonly files: number;
}

/** Writes a Claude Code session, sometimes with a sub-agent, and sometimes with a resumed copy of its last messages. */
export async function writeClaudeSession(home: string, chance: Chance, startedAt: number): Promise<SessionResult> {
  const project = join(home, '.claude', 'projects', `-srv-project-${chance.integer(1, 40)}`);
  const sessionId = chance.uuid();
  const totals = zeroTotals();
  const main: object[] = [];
  const kept: object[] = [];
  let at = startedAt;
  for (let turn = chance.integer(TURNS.least, TURNS.most); turn > 0; turn -= 1) {
    at += chance.integer(5_000, 120_000);
    main.push(userLine(chance, sessionId, at));
    const lines = assistantLines(chance, sessionId, at + 2_000, totals, false);
    main.push(...lines);
    if (chance.happens(RESUMED_SHARE)) kept.push(...lines);
  }
  const logs: [string, readonly object[]][] = [[`${sessionId}.jsonl`, main]];
  if (chance.happens(0.3)) {
    const name = join(sessionId, 'subagents', `agent-${chance.hex(8)}.jsonl`);
    const turns = Array.from({ length: chance.integer(3, 20) }, () =>
      assistantLines(chance, sessionId, at, totals, true),
    );
    logs.push([name, turns.flat()]);
  }
  // A resumed session begins with lines of the one it continues.
  if (kept.length > 0) logs.push([`${chance.uuid()}.jsonl`, kept]);
  const bytes = await Promise.all(logs.map(([name, lines]) => writeLog(join(project, name), lines)));
  return { totals, bytes: sum(bytes), files: logs.length };
}

function userLine(chance: Chance, sessionId: string, at: number): object {
  const isPrompt = chance.happens(0.3);
  return {
    parentUuid: chance.uuid(),
    isSidechain: false,
    type: 'user',
    message: {
      role: 'user',
      content: isPrompt
        ? chance.text(chance.integer(40, 600))
        : [
            {
              type: 'tool_result',
              tool_use_id: `toolu_${chance.hex(22)}`,
              content: chance.text(chance.integer(400, 14_000)),
            },
          ],
    },
    uuid: chance.uuid(),
    timestamp: new Date(at).toISOString(),
    ...membersOf(sessionId),
  };
}

/** The members that every line of a session ends with. */
function membersOf(sessionId: string): object {
  const tool = { userType: 'external', entrypoint: 'cli', version: '2.1.247' };
  return { ...tool, cwd: '/srv/project', sessionId, gitBranch: 'main' };
}

/** The lines of one response: one per block, with the same ids and a growing output. */
function assistantLines(chance: Chance, sessionId: string, at: number, totals: Totals, sidechain: boolean): object[] {
  const id = `msg_01${chance.hex(22)}`;
  const requestId = `req_011${chance.hex(21)}`;
  const model = 'claude-sonnet-4-5-20250929';
  const counts = {
    input: chance.integer(3, 2_500),
    output: chance.integer(60, 2_500),
    cache_read: chance.integer(10_000, 140_000),
    cache_write: chance.integer(0, 9_000),
  };
  addTotals(totals, counts);
  const blocks = chance.integer(1, 3);
  return Array.from({ length: blocks }, (_, block) => ({
    parentUuid: chance.uuid(),
    isSidechain: sidechain,
    ...(sidechain ? { agentId: sessionId.slice(0, 8) } : {}),
    message: {
      model,
      id,
      type: 'message',
      role: 'assistant',
      content: [
        block === blocks - 1
          ? {
              type: 'tool_use',
              id: `toolu_${chance.hex(22)}`,
              name: 'Edit',
              input: { text: chance.text(chance.integer(200, 5_000)) },
            }
          : { type: 'text', text: chance.text(chance.integer(80, 1_500)) },
      ],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: counts.input,
        cache_creation_input_tokens: counts.cache_write,
        cache_read_input_tokens: counts.cache_read,
        cache_creation: { ephemeral_5m_input_tokens: counts.cache_write, ephemeral_1h_input_tokens: 0 },
        output_tokens: block === blocks - 1 ? counts.output : Math.min(counts.output, 1 + block),
        service_tier: 'standard',
        inference_geo: 'not_available',
      },
      diagnostics: null,
    },
    requestId,
    type: 'assistant',
    uuid: chance.uuid(),
    timestamp: new Date(at + block * 700).toISOString(),
    ...membersOf(sessionId),
  }));
}
