import { scanUsage } from '../commands/scan-usage.ts';
import type { Environment } from '../environment.ts';
import { joinWithLedger } from '../ledger/platform-totals.ts';
import { warningsOf } from '../output/scan-report.ts';
import type { Screen } from '../output/screen.ts';
import { usageSince } from '../scan/platform-usage.ts';
import { readSettings, type Settings } from '../settings.ts';
import { UNRANKABLE } from '../sources/unrankable.ts';
import type { JsonObject } from './remote-tools.ts';

/** The tool that is only here: the machine's own counts, which no service knows before they are submitted. */
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

/** Scans and answers the counts. Throws a `CliError` for input that is not valid. */
export async function callScanUsage(settings: Settings, env: Environment, screen: Screen, input: JsonObject) {
  const { platform, since } = input;
  const asked = readSettings(
    {
      platform: typeof platform === 'string' ? [platform] : undefined,
      since: typeof since === 'string' ? since : undefined,
    },
    env,
  );
  const wanted = { ...settings, platforms: asked.platforms, since: asked.since };
  const scanned = await scanUsage(wanted, env, screen, true);
  const platforms = joinWithLedger(scanned.scans, scanned.ledger, { baseUrl: settings.baseUrl, codename: null });
  const known = platforms.filter(({ scan }) => scan.messages > 0);
  const structured = {
    platforms: known.map(({ scan: { platform: name, title, standing, counting, totals, messages, files } }) => ({
      platform: name,
      title,
      standing,
      counting,
      totals,
      messages,
      files,
    })),
    ...(wanted.since === null
      ? {}
      : { since: Object.fromEntries(usageSince(await scanned.openUsages(), wanted.since)) }),
    warnings: [...scanned.warnings, ...warningsOf(platforms)],
    cannot_be_ranked: UNRANKABLE,
  };
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}
