import type { Environment } from '../../../cli/src/environment.ts';
import { findFiles } from '../../../cli/src/scan/find-files.ts';
import { statLogFile } from '../../../cli/src/scan/read-log-file.ts';
import { scanFiles } from '../../../cli/src/scan/scan-sources.ts';
import type { Source } from '../../../cli/src/sources/source.ts';
import { usageByPlatform } from '../../../cli/src/store/buckets.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { emptyStore } from './stores.ts';

/** An environment with nothing set. */
export const LINUX: Environment = {
  os: 'linux',
  command: 'upsilon',
  home: '/home/nova',
  variable: () => undefined,
  site: null,
  keychain: false,
  display: false,
  noColor: false,
};

/** An environment in which these variables are set. */
export function withVariables(env: Environment, variables: Readonly<Record<string, string>>): Environment {
  return { ...env, variable: (name) => variables[name] };
}

const NOTHING = {
  totals: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
  messages: 0,
  kept: 0,
  placeholders: 0,
};

/** Scans folders with one source, into a new store or a given one, as the tool does. */
export async function scanSource(source: Source, places: readonly string[], given?: UsageStore) {
  const store = given ?? (await emptyStore());
  const found = findFiles(places, (path) => source.isLog(path));
  const context = { store, now: Date.now, isParallel: false, progress: () => undefined };
  const looked = found.files.map((path) => statLogFile(source, path)).filter((file) => file !== null);
  const scanned = await scanFiles(looked, context);
  const outcomes = looked.map((file) => scanned.get(file)!);
  const unreadable = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'unreadable' ? [{ path: looked[index]!.path, reason: outcome.reason }] : [],
  );
  const entries = outcomes.flatMap((outcome) => (outcome.kind === 'unreadable' ? [] : outcome.entry));
  const present = new Set(entries.map(({ id }) => id));
  const { totals, messages, kept, placeholders } =
    usageByPlatform(store.buckets(), present).get(source.platform) ?? NOTHING;
  const records = entries.reduce((sum, entry) => sum + entry.records, 0);
  const skipped: Record<string, number> = {};
  for (const entry of entries) {
    for (const [reason, lines] of Object.entries(entry.skipped)) skipped[reason] = (skipped[reason] ?? 0) + lines;
  }
  return {
    totals: { ...totals },
    messages,
    kept,
    placeholders,
    repeats: records - (messages - kept),
    files: entries.length,
    bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    changed: outcomes.filter(({ kind }) => kind === 'read').length,
    skipped,
    places: found.places,
    unreadable: [...found.unreadable, ...unreadable],
  };
}

export type Scanned = Awaited<ReturnType<typeof scanSource>>;
