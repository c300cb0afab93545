import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { createPrivateJson, damaged, readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';

const LEDGER_VERSION = 1;
const STREAM_ID_BYTES = 16;

/** What a service takes for a stream id. */
const STREAM_PATTERN = /^[A-Za-z0-9_-]{8,64}$/;

/** What this machine knows of its own past: the stream it reports under, and the highest totals it has submitted. */
export interface Ledger {
  /** Random, made once, signed with every snapshot: two machines of an operator never overwrite each other. */
  readonly stream: string;
  /** Recounts so far. */
  readonly epoch: number;
  readonly platforms: ReadonlyMap<string, Counts>;
}

/** The ledger's file inside the settings folder. */
export function ledgerPath(configDir: string): string {
  return join(configDir, 'ledger.json');
}

/** The ledger as it stands; null when there is none yet. Throws a `files` error when it is damaged. */
export async function readLedger(configDir: string): Promise<Ledger | null> {
  const path = ledgerPath(configDir);
  const value = await readPrivateJson(path);
  if (value === undefined) return null;
  const ledger = parseLedger(value);
  if (ledger === null) throw damaged(path);
  return ledger;
}

/** The ledger, made first if there is none. */
export async function openLedger(configDir: string): Promise<Ledger> {
  const known = await readLedger(configDir);
  if (known !== null) return known;
  const fresh: Ledger = { stream: randomBytes(STREAM_ID_BYTES).toString('base64url'), epoch: 0, platforms: new Map() };
  await createPrivateJson(ledgerPath(configDir), serialize(fresh));
  // Another run may have been faster: whichever ledger stands in the file is the one.
  return (await readLedger(configDir)) ?? fresh;
}

/** Keeps totals of a platform, per field the higher of these and those in the file. */
export async function rememberTotals(configDir: string, platform: string, totals: Counts): Promise<void> {
  const ledger = await openLedger(configDir);
  const platforms = new Map(ledger.platforms).set(platform, higherOf(ledger.platforms.get(platform), totals).totals);
  await writePrivateJson(ledgerPath(configDir), serialize({ ...ledger, platforms }));
}

/** The per-field maximum of what was known and what a scan shows, and the fields in which the scan shows less. */
export function higherOf(
  known: Counts | undefined,
  scanned: Counts,
): { readonly totals: Counts; readonly below: ReadonlyArray<keyof Counts> } {
  if (known === undefined) return { totals: scanned, below: [] };
  const higher = (field: keyof Counts): number => Math.max(known[field], scanned[field]);
  return {
    totals: {
      input: higher('input'),
      output: higher('output'),
      cache_read: higher('cache_read'),
      cache_write: higher('cache_write'),
    },
    below: COUNT_FIELDS.filter((field) => scanned[field] < known[field]),
  };
}

function serialize(ledger: Ledger): unknown {
  const { stream, epoch, platforms } = ledger;
  return { version: LEDGER_VERSION, stream, epoch, platforms: Object.fromEntries(platforms) };
}

function parseLedger(value: unknown): Ledger | null {
  if (!isObject(value) || value['version'] !== LEDGER_VERSION) return null;
  const { stream, epoch, platforms } = value;
  if (typeof stream !== 'string' || !STREAM_PATTERN.test(stream)) return null;
  if (typeof epoch !== 'number' || !Number.isInteger(epoch) || epoch < 0) return null;
  if (!isObject(platforms)) return null;
  const parsed = new Map<string, Counts>();
  for (const [platform, counts] of Object.entries(platforms)) {
    if (!isCounts(counts)) return null;
    parsed.set(platform, counts);
  }
  return { stream, epoch, platforms: parsed };
}

function isCounts(value: unknown): value is Counts {
  if (!isObject(value)) return false;
  return COUNT_FIELDS.every((field) => {
    const count = value[field];
    return typeof count === 'number' && count >= 0 && count <= MAX_COUNT;
  });
}
