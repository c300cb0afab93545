import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { addUsages } from '../imports/add-usages.ts';
import { type ReportedUsage, readUsageReport, type UsageReport } from '../imports/read-usage-report.ts';
import { parseJson } from '../json.ts';
import { beginEpoch, type Ledger, nextEpoch, readLedger } from '../ledger/ledger.ts';
import { printable } from '../net/problem.ts';
import { countsTable } from '../output/counts-table.ts';
import { plural } from '../output/screen.ts';
import { findLogs } from '../scan/find-logs.ts';
import { hasNoTokens } from '../sources/fields.ts';
import { usageSince } from '../store/buckets.ts';
import { withStore } from '../store/open-store.ts';
import { addUnder, type MutableCounts } from '../store/usage.ts';
import { dayText, localDay } from '../views/time-zone.ts';
import { incompleteError, isLess } from './renew-epoch.ts';
import { scanWithProgress } from './scan-usage.ts';
import { readQuery, type ViewOptions } from './usage-view.ts';

/** The largest report that is loaded, in bytes. */
const MAX_REPORT_BYTES = 64 * 1024 * 1024;

/** Adds a report of ccusage or tokscale to the counts, for days whose logs are gone. The next submission says that they are derived. */
export const importCommand: Command<ViewOptions & { readonly argument: string }> = async (context) => {
  const { settings, env, screen, options } = context;
  const { zone } = readQuery('daily', context);
  const path = resolve(options.argument);
  const { report, bytes } = await loadReport(path, dayText(localDay(Date.now() / 1000, zone)));
  const ledger = await readLedger(settings.configDir);
  const found = await findLogs({ ...settings, platforms: [] }, env);
  const wanted = report.usages.filter(
    ({ platform }) => settings.platforms.length === 0 || settings.platforms.includes(platform),
  );
  const use = { epoch: ledger?.epoch ?? 0, keep: !settings.dryRun, isWhole: true, warn: screen.warning };
  const { added, epoch } = await withStore(settings.configDir, use, async (store) => {
    const { buckets } = await scanWithProgress(found, screen, store);
    // What was scanned stays, also where the import is refused.
    store.commit();
    const made = addUsages(store, wanted, { path, bytes, zone });
    const isRedated = !settings.dryRun && isSubmitted(ledger, usageSince(buckets, 0), usageSince(store.buckets(), 0));
    if (isRedated) store.epoch = nextEpoch(ledger, store);
    return { added: made, epoch: isRedated ? store.epoch : null };
  });
  if (epoch !== null) await beginEpoch(settings.configDir, epoch);
  const days = new Set(added.map(({ day }) => day));
  const addedDays = new Set(added.map(({ day, platform }) => `${day} ${platform}`));
  const skipped = new Set(
    wanted
      .filter(({ counts }) => !hasNoTokens(counts))
      .map(({ day, platform }) => `${day} ${platform}`)
      .filter((each) => !addedDays.has(each)),
  );
  const totals = sumByPlatform(added);
  if (totals.length > 0) screen.print(countsTable(totals, screen.columns, screen.paint, 'Imported'));
  if (days.size === 0) screen.printWrapped(`There is nothing to import in this report of ${report.tool}.`);
  else {
    screen.printWrapped(
      `${settings.dryRun ? 'Would import' : 'Imported'} ${plural(days.size, 'day')} of ${zone.name} from a report of ${report.tool}. ` +
        'These counts are derived: the next submission says so.',
    );
  }
  if (skipped.size > 0) screen.printWrapped(`Skipped ${plural(skipped.size, 'day')} whose logs are counted here.`);
  for (const [name, entries] of report.leftOut) {
    screen.printWrapped(
      `Left out ${entriesText(entries)} of ${printable(name)}: ${report.tool} counts this tool in another way.`,
    );
  }
  if (report.invalid > 0)
    screen.printWrapped(`Left out ${entriesText(report.invalid)} without a possible day or with impossible counts.`);
  if (epoch !== null) {
    screen.printWrapped('The next submission replaces the former totals, and submits past days again (a new epoch).');
  }
  if (days.size > 0 && !settings.dryRun) screen.printWrapped('To take all imports back: upsilon recount --logs-only');
  screen.result({
    tool: report.tool,
    timezone: zone.name,
    days: [...days].sort(),
    skipped_days: skipped.size,
    left_out: Object.fromEntries(report.leftOut),
    invalid: report.invalid,
    totals: Object.fromEntries(totals.map(({ platform, totals: counts }) => [platform, counts])),
  });
  return added.length > 0 ? 'ok' : 'nothing';
};

function entriesText(count: number): string {
  return plural(count, 'entry').replace('entrys', 'entries');
}

/** Reads a report. Throws a usage error when it is none. */
async function loadReport(
  path: string,
  today: string,
): Promise<{ readonly report: UsageReport; readonly bytes: number }> {
  const hint =
    'Write one with one of:\n  ccusage daily --json --by-agent > report.json\n  tokscale graph --output report.json';
  try {
    // Not by its size: a pipe has none.
    const read = await buffer(createReadStream(path, { end: MAX_REPORT_BYTES }));
    const report = read.length > MAX_REPORT_BYTES ? null : readUsageReport(parseJson(read.toString()), today);
    if (report !== null) return { report, bytes: read.length };
  } catch (error) {
    throw new CliError('usage', 'report_invalid', `${path} cannot be read: ${reasonText(reasonOf(error))}`, hint);
  }
  const message = `${path} is not a daily report of ccusage or a graph of tokscale`;
  throw new CliError('usage', 'report_invalid', message, hint);
}

/**
 * Whether a platform whose totals an import raised was submitted before. The import then begins a new epoch, as a recount does: the next
 * submission has the imported days at their dates, and not as growth since the last one, which no agent could process. Throws a
 * `files` error where totals are still lower than those submitted, which the new epoch would replace.
 */
function isSubmitted(
  ledger: Ledger | null,
  former: ReadonlyMap<string, Counts>,
  totals: ReadonlyMap<string, Counts>,
): ledger is Ledger {
  const hasGrown = (platform: string): boolean =>
    COUNT_FIELDS.some((field) => (totals.get(platform)?.[field] ?? 0) > (former.get(platform)?.[field] ?? 0));
  const submissions = ledger?.submissions.filter(({ epoch }) => epoch === ledger.epoch) ?? [];
  if (!submissions.some(({ platform }) => hasGrown(platform))) return false;
  const submitted = submissions.flatMap(({ platform, counts }) => (counts === null ? [] : [{ platform, ...counts }]));
  if (isLess(totals, submitted)) throw incompleteError('import');
  return true;
}

function sumByPlatform(usages: readonly ReportedUsage[]) {
  const sums = new Map<string, MutableCounts>();
  for (const { platform, counts } of usages) addUnder(sums, platform, counts);
  return [...sums].map(([platform, totals]) => ({ platform, totals }));
}
