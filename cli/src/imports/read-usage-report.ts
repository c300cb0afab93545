import type { Counts } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { fourCounts, isDay, required } from '../sources/fields.ts';

/** The usage of a model on a local day, as another tool reported it. */
export interface ReportedUsage {
  /** `2026-05-31`. */
  readonly day: string;
  readonly platform: string;
  readonly model: string | null;
  readonly counts: Counts;
}

/** A report of another tool. */
export interface UsageReport {
  readonly tool: 'ccusage' | 'tokscale';
  readonly usages: readonly ReportedUsage[];
  /** Of tools whose counts mean something else in the report than here, or whose name is unknown: by name, the number of entries. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Entries without a possible day or with impossible counts. */
  readonly invalid: number;
}

/** The tools' names in reports, without those whose input includes cached tokens or whose counts are incomplete. */
const PLATFORMS: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  codex: 'codex',
  kimi: 'kimi',
  pi: 'pi',
};

const FIRST_DAY = '2020-01-01';

/**
 * Reads `ccusage daily --json --by-agent` (also without `--by-agent`, for days of one tool, and the reports of versions that knew only
 * Claude Code), or `tokscale graph`. Null for anything else. Days after `today` are invalid.
 */
export function readUsageReport(value: unknown, today: string): UsageReport | null {
  if (!isObject(value)) return null;
  const { daily, contributions } = value;
  if (Array.isArray(contributions))
    return collect('tokscale', contributions.filter(isObject).flatMap(readContribution), today);
  return Array.isArray(daily) ? collect('ccusage', daily.filter(isObject).flatMap(readDay), today) : null;
}

/** An entry of a report before it is checked. */
interface Entry {
  readonly day: string | null;
  readonly name: string;
  readonly model: string | null;
  readonly counts: Counts | null;
}

function collect(tool: UsageReport['tool'], entries: readonly Entry[], today: string): UsageReport {
  const usages: ReportedUsage[] = [];
  const leftOut = new Map<string, number>();
  let invalid = 0;
  for (const { day, name, model, counts } of entries) {
    const platform = Object.hasOwn(PLATFORMS, name) ? PLATFORMS[name] : undefined;
    if (platform === undefined) leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
    else if (day === null || day > today || counts === null) invalid += 1;
    else usages.push({ day, platform, model, counts });
  }
  return { tool, usages, leftOut, invalid };
}

/** Of a day of ccusage: the models of its agents, which older versions did not name: they were of Claude Code. */
function readDay(row: JsonObject): readonly Entry[] {
  const { agents, agent, metadata } = row;
  const day = dayOf(row['period'] ?? row['date']);
  if (Array.isArray(agents))
    return agents.filter(isObject).flatMap((each) => readAgent(each, day, agentName(each['agent'])));
  const listed = isObject(metadata) && Array.isArray(metadata['agents']) ? metadata['agents'] : [];
  const name = agent === undefined ? 'claude' : listed.length === 1 ? agentName(listed[0]) : agentName(agent);
  return readAgent(row, day, name);
}

function readAgent(row: JsonObject, day: string | null, name: string): readonly Entry[] {
  const { modelBreakdowns } = row;
  const parts = Array.isArray(modelBreakdowns) && modelBreakdowns.length > 0 ? modelBreakdowns.filter(isObject) : [row];
  return parts.map((part) => {
    const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = part;
    const counts = fourCounts(required(inputTokens), required(outputTokens), cacheReadTokens, cacheCreationTokens);
    return { day, name, model: textOf(part['modelName']), counts };
  });
}

/** Of a day of tokscale: its clients, each with one model. Its output excludes reasoning. */
function readContribution(row: JsonObject): readonly Entry[] {
  const clients = Array.isArray(row['clients']) ? row['clients'].filter(isObject) : [];
  return clients.map((client) => {
    const tokens = isObject(client['tokens']) ? client['tokens'] : {};
    const read = fourCounts(
      required(tokens['input']),
      required(tokens['output']),
      tokens['cacheRead'],
      tokens['cacheWrite'],
    );
    const reasoning = fourCounts(0, tokens['reasoning'], 0, 0);
    const counts = read && reasoning && { ...read, output: read.output + reasoning.output };
    return { day: dayOf(row['date']), name: agentName(client['client']), model: textOf(client['modelId']), counts };
  });
}

function agentName(value: unknown): string {
  return textOf(value) ?? '(no name)';
}

/** A day of the calendar on which these tools can have been used; null for anything else. */
function dayOf(value: unknown): string | null {
  return typeof value === 'string' && isDay(value) && value >= FIRST_DAY ? value : null;
}
