import { join } from 'node:path';
import type { Chance } from './chance.ts';
import type { SessionResult } from './claude-session.ts';
import { addTotals, type Totals, zeroTotals } from './totals.ts';
import { writeLog } from './write-log.ts';

const TURNS = { least: 10, most: 120 };

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

/** Writes a Codex session, sometimes with a fork that repeats its first half. */
export async function writeCodexSession(home: string, chance: Chance, startedAt: number): Promise<SessionResult> {
  const id = chance.uuid();
  const totals = zeroTotals();
  const running = usage(0, 0, 0, 0);
  const lines = firstLines(id, null, startedAt);
  const history: object[] = [];
  let half = { ...running };
  let at = startedAt;
  const turns = chance.integer(TURNS.least, TURNS.most);
  for (let turn = 0; turn < turns; turn += 1) {
    at += chance.integer(5_000, 120_000);
    const items = [outputItem(chance, at), outputItem(chance, at + 10)];
    const event = tokenCount(chance, running, totals, at + 900);
    lines.push(...items, event);
    if (turn * 2 < turns) {
      history.push(event);
      half = { ...running };
    }
  }
  const bytes = await writeLog(rolloutPath(home, id, startedAt), lines);
  if (!chance.happens(FORKED_SHARE)) return { totals, bytes, files: 1 };
  const forked = await writeFork(home, chance, id, at + 60_000, { history, running: half, totals });
  return { totals, bytes: bytes + forked, files: 2 };
}

/** A fork that begins with its parent's events, unchanged, and continues from their totals. */
function writeFork(
  home: string,
  chance: Chance,
  parent: string,
  startedAt: number,
  state: { readonly history: readonly object[]; readonly running: CodexUsage; readonly totals: Totals },
): Promise<number> {
  const id = chance.uuid();
  const lines = [...firstLines(id, parent, startedAt), ...state.history];
  let at = startedAt;
  for (let turn = chance.integer(3, 30); turn > 0; turn -= 1) {
    at += chance.integer(5_000, 120_000);
    lines.push(outputItem(chance, at), tokenCount(chance, state.running, state.totals, at + 900));
  }
  return writeLog(rolloutPath(home, id, startedAt), lines);
}

function rolloutPath(home: string, id: string, startedAt: number): string {
  const [day = '', time = ''] = iso(startedAt).split('T');
  const name = `rollout-${day}T${time.slice(0, 8).replaceAll(':', '-')}-${id}.jsonl`;
  return join(home, '.codex', 'sessions', ...day.split('-'), name);
}

function firstLines(id: string, parent: string | null, at: number): object[] {
  const timestamp = iso(at);
  const cwd = '/srv/project';
  const forked = parent === null ? {} : { forked_from_id: parent };
  return [
    {
      timestamp,
      type: 'session_meta',
      payload: { id, ...forked, timestamp, cwd, originator: 'codex_cli_rs', cli_version: '0.154.0' },
    },
    { timestamp, type: 'turn_context', payload: { cwd, model: 'gpt-5.3-codex' } },
  ];
}

function outputItem(chance: Chance, at: number): object {
  return {
    timestamp: iso(at),
    type: 'response_item',
    payload: {
      type: 'function_call_output',
      call_id: `call_${chance.hex(24)}`,
      output: chance.text(chance.integer(300, 9_000)),
    },
  };
}

function tokenCount(chance: Chance, running: CodexUsage, totals: Totals, at: number): object {
  const cached = chance.integer(5_000, 90_000);
  const output = chance.integer(60, 2_500);
  const last = usage(cached + chance.integer(100, 6_000), cached, output, chance.integer(0, output));
  for (const field of USAGE_FIELDS) running[field] += last[field];
  addTotals(totals, { input: last.input_tokens - cached, output, cache_read: cached, cache_write: 0 });
  return {
    timestamp: iso(at),
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: { total_token_usage: { ...running }, last_token_usage: last, model_context_window: 272_000 },
      rate_limits: { primary: { used_percent: 7, window_minutes: 300, resets_at: 1_763_483_205 }, secondary: null },
    },
  };
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

function iso(at: number): string {
  return new Date(at).toISOString();
}
