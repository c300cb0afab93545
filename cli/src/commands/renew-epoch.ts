import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import { countsIn } from '../coach/spans.ts';
import { hasShape, objectOf, type Shaped } from '../json.ts';
import { beginEpoch, findSubmission, type Ledger, nextEpoch } from '../ledger/ledger.ts';
import type { PlatformTotals } from '../ledger/platform-totals.ts';
import type { Client } from '../net/client.ts';
import type { Screen } from '../output/screen.ts';
import { moment } from '../sources/fields.ts';
import { type Bucket, usageSince } from '../store/buckets.ts';
import { requireWholeStore, withStore } from '../store/open-store.ts';
import type { ScannedUsage } from './scan-usage.ts';

/** What one agent at full speed can process in an hour: 400 output tokens a second, and contexts of a million tokens every 6 s. */
const AGENT_TOKENS_AN_HOUR: Counts = {
  input: 600_000_000,
  output: 1_500_000,
  cache_read: 600_000_000,
  cache_write: 600_000_000,
};

/** Usage of the last day before a submission may have been missing from it: logs can be written late. In seconds. */
const MAX_DELAY_SECONDS = 86_400;

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

/** Where the streams are read, and of whom. */
interface StreamReader {
  readonly client: Pick<Client, 'baseUrl' | 'get'>;
  readonly codename: string;
  readonly configDir: string;
}

const WHY_RENEWED = {
  later:
    'The service has a later epoch of this machine than this settings folder, as after a backup was restored. ' +
    'The submission begins the next one: it replaces the totals there, and submits past days again.',
  former:
    'usage.db is of a former epoch, as after an older backup of it was restored. ' +
    'The submission begins the next one: it replaces the totals at the service, and submits past days again.',
  late:
    'Much of the usage here is older than the last submission and not in it, as after a backup of logs was restored. ' +
    'The submission begins a new epoch: it submits past days again, so that this usage counts at its dates.',
} as const;

/**
 * The epoch that a submission has to begin, with the reason, also as text; null where it continues the ledger's epoch. Writes
 * nothing. There are three reasons, which restored backups cause:
 * - `later`: the service has a later epoch of this ledger, and would ignore totals of an earlier one.
 * - `former`: the store here is of an earlier epoch than the ledger, whose totals a recount may have corrected since.
 * - `late`: more usage than an agent processes in an hour is older than the last growth that the service knows, and not in its
 *   totals. In the same epoch it would count as the growth of one hour, which excludes the operator.
 * Throws a `files` error where the counts here are incomplete: the service would drop the complete totals of the former epoch. So it
 * does where this submission is the first of an epoch that a recount or an import began.
 */
export async function planEpoch(
  { client, codename, configDir }: StreamReader,
  ledger: Ledger,
  platforms: readonly PlatformTotals[],
  scanned: ScannedUsage,
) {
  const key = { base_url: client.baseUrl, codename };
  const known = ledger.submissions.filter((made) => made.base_url === key.base_url && made.codename === codename);
  const hasGrown = platforms.some(({ scan: { platform }, totals }) => {
    const counts = findSubmission(ledger, { ...key, platform })?.counts;
    return COUNT_FIELDS.some((field) => totals[field] !== counts?.[field]);
  });
  if (known.length === 0 || !hasGrown) return null;
  const ofFormerEpochs = new Set(known.filter(({ epoch }) => epoch !== ledger.epoch).map(({ platform }) => platform));
  if (platforms.some(({ scan }) => ofFormerEpochs.has(scan.platform))) await requireWholeStore(configDir);
  const streams = await fetchStreams(client, ledger.stream);
  const last = Math.max(ledger.epoch, ...streams.map(({ epoch }) => epoch));
  const isFormer = scanned.epoch < ledger.epoch;
  const isRenewed =
    last > ledger.epoch ||
    isFormer ||
    streams.some((stream) => stream.epoch === ledger.epoch && isLate(stream, scanned.buckets));
  if (!isRenewed) return null;
  await requireWholeStore(configDir);
  const replaced = isFormer ? streams : streams.filter(({ epoch }) => epoch === last);
  const isIncomplete =
    platforms.some(({ below }) => below.length > 0) ||
    // One that a recount began may lower totals.
    ((isFormer || ledger.submissions.some(({ epoch }) => epoch === ledger.epoch)) &&
      isLess(usageSince(scanned.buckets, 0), replaced));
  if (isIncomplete) throw incompleteError('submission');
  const reason: keyof typeof WHY_RENEWED = last > ledger.epoch ? 'later' : isFormer ? 'former' : 'late';
  return { epoch: nextEpoch({ epoch: last }, scanned), reason, text: WHY_RENEWED[reason] };
}

/** Whether any count of a platform is greater than its totals here, also of a platform that is not selected. */
export function isLess(
  totals: ReadonlyMap<string, Counts>,
  before: ReadonlyArray<Counts & { readonly platform: string }>,
): boolean {
  return before.some((known) =>
    COUNT_FIELDS.some((field) => (totals.get(known.platform)?.[field] ?? 0) < known[field]),
  );
}

/** Begins the epoch that `planEpoch` gives. Returns the ledger to submit. */
export async function renewEpoch(
  reader: StreamReader,
  ledger: Ledger,
  platforms: readonly PlatformTotals[],
  scanned: ScannedUsage,
  screen: Screen,
): Promise<Ledger> {
  const planned = await planEpoch(reader, ledger, platforms, scanned);
  if (planned === null) return ledger;
  const { epoch, text } = planned;
  screen.printWrapped(text);
  const use = { epoch, keep: true, isWhole: true, warn: screen.warning };
  await withStore(reader.configDir, use, async (store) => {
    store.epoch = Math.max(store.epoch, epoch);
  });
  return beginEpoch(reader.configDir, epoch);
}

export function incompleteError(what: 'submission' | 'import'): CliError {
  const message =
    `this ${what} has to begin a new epoch, but the totals here are lower than those that the service has: usage.db was ` +
    'lost, replaced or restored from an older backup';
  const hint = 'Restore a newer backup of it. To replace the totals by those of this machine, run: upsilon recount';
  return new CliError('files', 'counts_incomplete', message, hint);
}

/** The streams of this ledger, also those that did not grow for long; none for a token that can only submit. */
async function fetchStreams(client: StreamReader['client'], ledger: string): Promise<readonly KnownStream[]> {
  try {
    const { streams } = objectOf((await client.get(`/streams?stream=${ledger}`)).body);
    if (!Array.isArray(streams)) return [];
    return streams.flatMap((value: unknown) =>
      hasShape(value, STREAM) && value.stream === ledger
        ? [{ ...value, grewAt: moment(objectOf(value)['last_grew_at']) }]
        : [],
    );
  } catch (error) {
    if (error instanceof CliError && error.code === 'token_scope') return [];
    throw error;
  }
}

/**
 * Whether the usage here before a stream's last growth (less a day, for logs that are written late) exceeds the stream's totals by
 * more than an agent processes in an hour.
 */
function isLate({ grewAt, ...known }: KnownStream, buckets: readonly Bucket[]): boolean {
  if (grewAt === null) return false;
  const before = countsIn(buckets, [known.platform], { from: 0, to: grewAt / 1000 - MAX_DELAY_SECONDS });
  return COUNT_FIELDS.some((field) => before[field] - known[field] > AGENT_TOKENS_AN_HOUR[field]);
}
