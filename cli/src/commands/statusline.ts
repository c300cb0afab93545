import { statSync, utimesSync } from 'node:fs';
import type { Command, CommandContext } from '../command-context.ts';
import type { TimeBuckets } from '../store/time-buckets.ts';
import { usagePath } from '../store/usage-file.ts';
import { readSummary } from '../store/usage-head.ts';
import { openPrices } from '../views/prices.ts';
import { summarizeToday, todayLine } from '../views/today.ts';
import { readQuery, readSeconds, scanBuckets, type ViewOptions } from './usage-view.ts';

const DEFAULT_MAX_AGE_SECONDS = 60;

/**
 * Prints one short line for a shell's prompt or a tool's status line: the usage of the day and of the present blocks. Tools ask for it
 * often, so it looks for new logs only when the last look is older than `--max-age`. Sends nothing.
 */
export const statuslineCommand: Command<ViewOptions & { readonly maxAge?: string }> = async (context) => {
  const { screen, settings, options } = context;
  const query = readQuery('daily', context);
  const maxAge = readSeconds('--max-age', options.maxAge, DEFAULT_MAX_AGE_SECONDS, 0);
  const prices = await openPrices(settings.configDir);
  const buckets = recentBuckets(context, maxAge) ?? (await lookForLogs(context));
  const today = summarizeToday(buckets, query, prices, Date.now() / 1000);
  screen.print(todayLine(today));
  const { models, ...rest } = today;
  screen.result({ ...rest, models: [...models.keys()], timezone: query.zone.name });
  return 'ok';
};

/** What is stored, when logs were looked for less than `maxAge` seconds ago; else null. */
function recentBuckets({ settings: { configDir } }: CommandContext, maxAge: number): TimeBuckets | null {
  const path = usagePath(configDir);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || Math.abs(Date.now() - found.mtimeMs) > maxAge * 1000) return null;
  return readSummary(path)?.buckets ?? null;
}

async function lookForLogs(context: CommandContext): Promise<TimeBuckets> {
  const buckets = await scanBuckets(context);
  const path = usagePath(context.settings.configDir);
  try {
    // A scan that finds nothing new does not write the store: its time says when logs were looked for.
    utimesSync(path, new Date(), new Date());
  } catch {
    // There is no store, or it is on a read-only file system.
  }
  return buckets;
}
