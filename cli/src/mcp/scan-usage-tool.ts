import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { scanUsage } from '../commands/scan-usage.ts';
import type { JsonObject } from '../json.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { warningsOf } from '../output/scan-report.ts';
import { readSettings } from '../settings.ts';
import { UNRANKABLE } from '../sources/registry.ts';
import { usageSince } from '../store/buckets.ts';

/** The local tool: this machine's counts, which the service has only after a submission. */
export const SCAN_USAGE = {
  name: 'scan_usage',
  title: 'Scan local usage',
  description:
    'Counts the tokens in the logs that AI tools keep on this machine: the four counts by platform, for all time and, ' +
    'if asked, since a day. Reads local files and sends nothing.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      platform: { type: 'string', description: 'Only this platform, for example claude-code.' },
      since: { type: 'string', description: 'Also the usage since this day (UTC), as YYYY-MM-DD.' },
    },
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
} as const;

function textIn(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new CliError('usage', 'settings_invalid', `the argument "${name}" is no text`);
}

/** Scans and returns the counts. Throws a `CliError` for invalid input. */
export async function callScanUsage({ settings, env, screen }: CommandContext, input: JsonObject) {
  const platform = textIn(input, 'platform');
  const unknown = Object.keys(input).find((name) => !(name in SCAN_USAGE.inputSchema.properties));
  if (unknown !== undefined) throw new CliError('usage', 'settings_invalid', `there is no argument "${unknown}"`);
  const { platforms: selected, since } = readSettings(
    { platform: platform === undefined ? undefined : [platform], since: textIn(input, 'since') },
    env,
  );
  const own = { ...settings, platforms: selected, since };
  const scanned = await scanUsage({ settings: own, env, screen }, 'where writable');
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { ...own, codename: null });
  const known = scanned.scans.filter(({ messages }) => messages > 0);
  const usage = since === null ? null : usageSince(scanned.buckets, since);
  const structuredContent = {
    platforms: known.map(({ platform: name, title, counting, totals, messages, files }) => {
      return { platform: name, title, counting, totals, messages, files };
    }),
    ...(usage === null ? {} : { since: Object.fromEntries(usage) }),
    warnings: [...scanned.warnings, ...warningsOf(platforms)],
    cannot_be_ranked: UNRANKABLE,
  };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}
