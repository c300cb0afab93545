import { join } from 'node:path';
import type { Command } from '../command-context.ts';
import { readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject, objectOf } from '../json.ts';
import { openPrices } from '../views/prices.ts';
import { dayText, localDay } from '../views/time-zone.ts';
import { blocksAt, summarizeToday, type Today, todayLine } from '../views/today.ts';
import { readQuery, readSeconds, scanBuckets, type ViewOptions } from './usage-view.ts';

const DEFAULT_MAX_AGE_SECONDS = 60;

/** What the last look for logs found. */
interface LastLook {
  /** In seconds. */
  readonly at: number;
  /** The options and prices that it depends on. */
  readonly about: string;
  readonly today: Today;
}

/**
 * One short line for a prompt or a status line: the usage of the day and the present blocks. Until the last look at the logs is
 * older than `--max-age`, it neither scans nor opens the store. Sends nothing.
 */
export const statuslineCommand: Command<ViewOptions & { readonly maxAge?: string }> = async (context) => {
  const { screen, settings, options } = context;
  const query = readQuery('daily', context);
  const maxAge = readSeconds('--max-age', options.maxAge, DEFAULT_MAX_AGE_SECONDS, 0);
  const prices = await openPrices(settings.configDir);
  const now = Date.now() / 1000;
  const path = join(settings.configDir, 'statusline.json');
  const about = JSON.stringify([dayText(localDay(now, query.zone)), query.zone.name, query.platforms, [...prices.own]]);
  const last = await readPrivateJson(path).catch(() => null);
  let today: Today;
  if (isLastLook(last) && last.about === about && Math.abs(now - last.at) < maxAge) ({ today } = last);
  else {
    today = summarizeToday(await scanBuckets(context), query, prices, now);
    // On a read-only file system each look is the first.
    await writePrivateJson(path, { at: now, about, today }).catch(() => undefined);
  }
  screen.print(todayLine(today, now));
  screen.result({ ...today, blocks: blocksAt(today, now), timezone: query.zone.name });
  return 'ok';
};

function isLastLook(value: unknown): value is LastLook {
  const { at, about, today } = objectOf(value);
  return typeof at === 'number' && typeof about === 'string' && isObject(today);
}
