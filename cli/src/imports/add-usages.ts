import { COUNT_FIELDS } from '../../../engine/contract/signing/index.ts';
import { hasNoTokens } from '../sources/fields.ts';
import { IMPORT_SESSION, IMPORT_VERSION, skipCounts } from '../store/buckets.ts';
import { hashKeys, WHOLE_MESSAGE } from '../store/usage.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { shortModel } from '../views/prices.ts';
import { startOfDay, type TimeZone } from '../views/time-zone.ts';
import { usageRows } from '../views/usage-rows.ts';
import type { ReportedUsage } from './read-usage-report.ts';

const DAY_SECONDS = 86_400;

/**
 * Adds reported usages to the store, at noon of their local days, except on days on which logs of the same tool were counted: the
 * report contains these logs. Adding a report again changes nothing, and of two reports the maximum counts. Where logs of the day
 * are counted later, what was added counts no more (`withoutSuperseded`). Returns the added usages, each once.
 */
export function addUsages(
  store: UsageStore,
  usages: readonly ReportedUsage[],
  { path, bytes, zone }: { readonly path: string; readonly bytes: number; readonly zone: TimeZone },
): readonly ReportedUsage[] {
  const counted = new Set(
    usageRows(store.buckets(), { view: 'daily', by: 'platform', since: null, until: null, platforms: [], zone })
      .filter(({ isImported }) => !isImported)
      .map(({ period, part }) => `${period} ${part}`),
  );
  const added = largestOf(
    usages.filter(({ day, platform, counts }) => !counted.has(`${day} ${platform}`) && !hasNoTokens(counts)),
  );
  for (const platform of new Set(added.map((each) => each.platform))) {
    const own = added.filter((each) => each.platform === platform);
    const file = store.enter({
      path,
      platform,
      version: IMPORT_VERSION,
      fingerprint: '',
      bytes,
      records: own.length,
      skipped: skipCounts(),
    });
    const records = own.map(({ day, model, counts }) => {
      return {
        keys: hashKeys(platform, [`import ${day} ${nameOf(model)}`]),
        request: WHOLE_MESSAGE,
        counts,
        time: startOfDay(Date.parse(day) / 1000 / DAY_SECONDS, zone) + DAY_SECONDS / 2,
        origin: { model, project: null, session: IMPORT_SESSION },
      };
    });
    store.add(records, file);
  }
  return added;
}

/** One usage for each day, tool and model: a report may repeat an entry. The maximum of each count, as in the store. */
function largestOf(usages: readonly ReportedUsage[]): readonly ReportedUsage[] {
  const largest = new Map<string, ReportedUsage>();
  for (const usage of usages) {
    const key = `${usage.day} ${usage.platform} ${nameOf(usage.model)}`;
    const counts = { ...(largest.get(key)?.counts ?? usage.counts) };
    for (const field of COUNT_FIELDS) counts[field] = Math.max(counts[field], usage.counts[field]);
    largest.set(key, { ...usage, counts });
  }
  return [...largest.values()];
}

function nameOf(model: string | null): string {
  return model === null ? '' : shortModel(model);
}
