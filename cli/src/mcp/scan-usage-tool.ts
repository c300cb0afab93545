import { scanUsage } from '../commands/scan-usage.ts';
import type { Environment } from '../environment.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { warningsOf } from '../output/scan-report.ts';
import type { Screen } from '../output/screen.ts';
import { usageSince } from '../scan/platform-usage.ts';
import { readSettings, type Settings } from '../settings.ts';
import { UNRANKABLE } from '../sources/unrankable.ts';
import type { JsonObject } from './remote-tools.ts';

/** The local tool: this machine's counts, which the service has only after a submission. */
export const SCAN_USAGE: JsonObject & { readonly name: 'scan_usage' } = {
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
};

/** Scans and returns the counts. Throws a `CliError` for invalid input. */
export async function callScanUsage(settings: Settings, env: Environment, screen: Screen, input: JsonObject) {
  const { platform, since } = input;
  const selected = readSettings(
    {
      platform: typeof platform === 'string' ? [platform] : undefined,
      since: typeof since === 'string' ? since : undefined,
    },
    env,
  );
  const scanSettings = { ...settings, platforms: selected.platforms, since: selected.since };
  const scanned = await scanUsage(scanSettings, env, screen, true);
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { baseUrl: settings.baseUrl, codename: null });
  const known = platforms.filter(({ scan }) => scan.messages > 0);
  const structured = {
    platforms: known.map(({ scan: { platform: name, title, support, counting, totals, messages, files } }) => ({
      platform: name,
      title,
      support,
      counting,
      totals,
      messages,
      files,
    })),
    ...(scanSettings.since === null
      ? {}
      : { since: Object.fromEntries(usageSince(await scanned.openUsages(), scanSettings.since)) }),
    warnings: [...scanned.warnings, ...warningsOf(platforms)],
    cannot_be_ranked: UNRANKABLE,
  };
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}
