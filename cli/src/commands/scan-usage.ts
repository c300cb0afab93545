import { availableParallelism } from 'node:os';
import { setImmediate as giveWay } from 'node:timers/promises';
import type { Environment } from '../environment.ts';
import { type Ledger, readLedger } from '../ledger/ledger.ts';
import { openProgressBar } from '../output/progress-bar.ts';
import type { Screen } from '../output/screen.ts';
import { scanSources } from '../scan/scan-sources.ts';
import type { SourceScan } from '../scan/source-scan.ts';
import type { Settings } from '../settings.ts';
import { openStore, saveStore } from '../store/open-store.ts';
import type { UsageStore } from '../store/usage-file.ts';

/** How long files are read before others get their turn, in milliseconds: signals, and requests to a running server. */
const GIVE_WAY_MS = 50;

/** Threads that read logs at most: each takes some 20 MB, and a scan of 2 GB of logs is to stay under 150 MB. */
const MOST_LANES = 2;

/** What a scan found, joined with all that was counted before. */
export interface ScannedUsage {
  readonly scans: readonly SourceScan[];
  readonly store: UsageStore;
  /** Null: nothing was ever submitted or kept from this machine. */
  readonly ledger: Ledger | null;
  /** What went wrong with the tool's own files, as sentences. */
  readonly warnings: readonly string[];
}

/** Scans the sources that the settings name. `keep` says whether what was counted is written down, which a dry run does not. */
export async function scanUsage(
  settings: Settings,
  env: Environment,
  screen: Screen,
  keep: boolean,
): Promise<ScannedUsage> {
  const ledger = await readLedger(settings.configDir);
  const opened = await openStore(settings.configDir, ledger?.epoch ?? 0, keep);
  const scans = await scanWithProgress(settings, env, screen, opened.store);
  const isChanged = opened.checksum === null ? opened.store.files.length > 0 : scans.some((scan) => scan.changed > 0);
  if (keep && isChanged) await saveStore(settings.configDir, opened);
  const warnings =
    opened.damaged === null
      ? []
      : [
          `${opened.damaged} was damaged, so that all was counted anew from the logs that are left. What was only in it is ` +
            'lost here; the service keeps the totals that it knows.',
        ];
  return { scans, store: opened.store, ledger, warnings };
}

/** Scans into a store, with a bar where it takes long. */
export async function scanWithProgress(
  settings: Settings,
  env: Environment,
  screen: Screen,
  store: UsageStore,
): Promise<readonly SourceScan[]> {
  const bar = openProgressBar(screen, 'Scanning', Date.now);
  let gaveWayAt = Date.now();
  const scans = await scanSources(
    {
      sourceDirs: settings.sourceDirs,
      platforms: settings.platforms,
      env,
      now: Date.now,
      lanes: Math.min(MOST_LANES, availableParallelism()),
      onProgress: (done, all) => {
        bar.show(done, all, `of ${Math.ceil(all / 2 ** 20)} MB`);
        if (Date.now() - gaveWayAt < GIVE_WAY_MS) return;
        gaveWayAt = Date.now();
        return giveWay();
      },
    },
    store,
  );
  bar.end();
  return scans;
}
