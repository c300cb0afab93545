import { join } from 'node:path';
import type { Chance } from './chance.ts';
import { addTotals, type SessionResult, type Totals, writeLog, zeroTotals } from './write-log.ts';

/** The share of sessions that are forked with their history. */
const FORKED_SHARE = 0.1;

const USAGE_FIELDS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
  'total_tokens',
] as const;

/** Usage as Codex counts it: the input includes cached tokens, the output includes reasoning tokens. */
type CodexUsage = Record<(typeof USAGE_FIELDS)[number], number>;

/** Writes a Codex session, sometimes with a fork that begins with its first half, unchanged, and continues from its totals. */
export async function writeCodexSession(home: string, chance: Chance, startedAt: number): Promise<SessionResult> {
  const totals = zeroTotals();
  const running = usage(0, 0, 0, 0);
  const [id, forkId] = [chance.uuid(), chance.uuid()];
  const lines = firstLines(id, null, startedAt);
  const history: object[] = [];
  let half = running;
  let at = startedAt;
  const turns = chance.integer(10, 120);
  for (let turn = 0; turn < turns; turn += 1) {
    at += chance.integer(5_000, 120_000);
    const event = tokenCount(chance, running, totals, at + 900);
    lines.push(outputItem(chance, at), outputItem(chance, at + 10), event);
    if (turn * 2 >= turns) continue;
    history.push(event);
    half = { ...running };
  }
  const bytes = await writeLog(rolloutPath(home, id, startedAt), lines);
  if (!chance.happens(FORKED_SHARE)) return { totals, bytes, files: 1 };
  const forkedAt = at + 60_000;
  const fork = [...firstLines(forkId, id, forkedAt), ...history];
  // What a fork adds is later than its start: earlier events are its parent's.
  at = forkedAt;
  for (let turn = chance.integer(3, 30); turn > 0; turn -= 1) {
    at += chance.integer(5_000, 120_000);
    fork.push(outputItem(chance, at), tokenCount(chance, half, totals, at + 900));
  }
  return { totals, bytes: bytes + (await writeLog(rolloutPath(home, forkId, forkedAt), fork)), files: 2 };
}

function rolloutPath(home: string, id: string, startedAt: number): string {
  const [day = '', time = ''] = new Date(startedAt).toISOString().split('T');
  const name = `rollout-${day}T${time.slice(0, 8).replaceAll(':', '-')}-${id}.jsonl`;
  return join(home, '.codex', 'sessions', ...day.split('-'), name);
}

function lineOf(at: number, type: string, payload: object): object {
  return { timestamp: new Date(at).toISOString(), type, payload };
}

function firstLines(id: string, parent: string | null, at: number): object[] {
  const forked = parent === null ? {} : { forked_from_id: parent };
  const [timestamp, cwd] = [new Date(at).toISOString(), '/srv/project'];
  const tool = { originator: 'codex_cli_rs', cli_version: '0.154.0' };
  return [
    lineOf(at, 'session_meta', { id, ...forked, timestamp, cwd, ...tool }),
    lineOf(at, 'turn_context', { cwd, model: 'gpt-5.3-codex' }),
  ];
}

function outputItem(chance: Chance, at: number): object {
  const call_id = `call_${chance.hex(24)}`;
  return lineOf(at, 'response_item', { type: 'function_call_output', call_id, output: chance.text(300, 9_000) });
}

/** Adds the usage of one request to the totals of its session. */
function tokenCount(chance: Chance, running: CodexUsage, totals: Totals, at: number): object {
  const cached = chance.integer(5_000, 90_000);
  const [input, output] = [chance.integer(100, 6_000), chance.integer(60, 2_500)];
  const last = usage(cached + input, cached, output, chance.integer(0, output));
  for (const field of USAGE_FIELDS) running[field] += last[field];
  addTotals(totals, { input, output, cache_read: cached, cache_write: 0 });
  const info = { total_token_usage: { ...running }, last_token_usage: last, model_context_window: 272_000 };
  const primary = { used_percent: 7, window_minutes: 300, resets_at: 1_763_483_205 };
  return lineOf(at, 'event_msg', { type: 'token_count', info, rate_limits: { primary, secondary: null } });
}

function usage(input: number, cached: number, output: number, reasoning: number): CodexUsage {
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    cache_write_input_tokens: 0,
    output_tokens: output,
    reasoning_output_tokens: reasoning,
    total_tokens: input + output,
  };
}
