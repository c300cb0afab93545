import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import { hasShape, isObject, objectOf, type Shaped } from '../json.ts';
import { findSubmission, type Ledger, nextEpoch, updateLedger } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import type { Client } from '../net/client.ts';
import type { Screen } from '../output/screen.ts';
import { moment } from '../sources/fields.ts';
import { openStore, requireWhole, saveStore } from '../store/open-store.ts';
import { BUCKET_SECONDS, type TimeBuckets } from '../store/time-buckets.ts';
import type { ScannedUsage } from './scan-usage.ts';

/** Logs may come late by this much, in seconds. */
const MAX_DELAY_SECONDS = 86_400;

/** What one agent processes in an hour at most, by the methodology: later usage of more than this has to be at its dates. */
export const AGENT_HOUR: Counts = {
  input: 600_000_000,
  output: 1_500_000,
  cache_read: 600_000_000,
  cache_write: 600_000_000,
};

const STREAM = {
  stream: 'string',
  platform: 'string',
  epoch: 'number',
  input: 'number',
  output: 'number',
  cache_read: 'number',
  cache_write: 'number',
} as const;

/** What the service has of this ledger on a platform. */
interface KnownStream extends Shaped<typeof STREAM> {
  /** When it grew last, in milliseconds since the epoch; null without counts. */
  readonly grewAt: number | null;
}

/**
 * Begins a new epoch where the service knows of this ledger what the settings folder does not continue, because a backup of it or of
 * logs was restored: it has a later epoch, whose totals would stay for ever; or much of the usage is older than its last
 * growth and not in it, which would look like the work of an hour. Returns the ledger to submit.
 */
export async function renewEpoch(
  {
    client,
    codename,
    configDir,
    screen,
  }: {
    readonly client: Client;
    readonly codename: string;
    readonly configDir: string;
    readonly screen: Screen;
  },
  ledger: Ledger,
  platforms: readonly PlatformTotals[],
  scanned: ScannedUsage,
): Promise<Ledger> {
  const key = { base_url: client.baseUrl, codename };
  const isKnown = ledger.submissions.some((made) => made.base_url === key.base_url && made.codename === codename);
  const hasGrown = platforms.some(({ scan: { platform }, totals }) => {
    const counts = findSubmission(ledger, { ...key, platform })?.counts;
    return COUNT_FIELDS.some((field) => totals[field] !== counts?.[field]);
  });
  if (!isKnown || !hasGrown) return ledger;
  const streams = await fetchStreams(client, ledger.stream);
  const isOther = (known: KnownStream): boolean =>
    known.epoch > ledger.epoch || (known.epoch === ledger.epoch && isLate(known, scanned.openBuckets()));
  if (!streams.some(isOther)) return ledger;
  const opened = requireWhole(await openStore(configDir, ledger.epoch));
  const epoch = nextEpoch({ epoch: Math.max(ledger.epoch, ...streams.map((known) => known.epoch)) }, opened.store);
  screen.printWrapped(
    'The service has other totals of this machine than this settings folder continues, as after a backup was restored. ' +
      'This submission replaces them, and submits past days again (a new epoch).',
  );
  // Write the store first: a ledger of the new epoch with the old counts would submit them again.
  await saveStore(configDir, { ...opened, store: { ...opened.store, epoch } });
  return updateLedger(configDir, (known) => ({ ...known, epoch }));
}

/** The streams of this ledger; none where the service does not show them, as to a token that can only submit. */
async function fetchStreams(client: Client, ledger: string): Promise<readonly KnownStream[]> {
  try {
    const { streams } = objectOf((await client.get('/streams')).body);
    if (!Array.isArray(streams)) return [];
    return streams.flatMap((value: unknown) =>
      hasShape(value, STREAM) && isObject(value) && value.stream === ledger
        ? [{ ...value, grewAt: moment(objectOf(value)['last_grew_at']) }]
        : [],
    );
  } catch (error) {
    if (error instanceof CliError && error.exit === 'auth') return [];
    throw error;
  }
}

/** Whether more than an agent's hour of what is older than the last growth of a stream is not in it. */
function isLate(known: KnownStream, { platforms, columns: { counts, times, platforms: of } }: TimeBuckets): boolean {
  if (known.grewAt === null) return false;
  const until = (known.grewAt / 1000 - MAX_DELAY_SECONDS) / BUCKET_SECONDS;
  const platform = platforms.indexOf(known.platform);
  return COUNT_FIELDS.some((field, at) => {
    let before = 0;
    for (let row = 0; row < times.length; row += 1) {
      if (of[row] === platform && times[row]! < until) before += counts[row * COUNT_FIELDS.length + at]!;
    }
    return before - known[field] > AGENT_HOUR[field];
  });
}
