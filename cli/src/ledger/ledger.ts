import { join } from 'node:path';
import { COUNT_FIELDS, type Counts, MAX_COUNT, MAX_EPOCH } from '../../../engine/contract/signing/index.ts';
import { withLock } from '../files/lock.ts';
import { damaged, readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';

const LEDGER_VERSION = 2;
const STREAM_ID_BYTES = 16;

/** What a service takes for a stream id. */
const STREAM_PATTERN = /^[A-Za-z0-9_-]{8,64}$/;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** What was submitted of a platform, to one service under one codename. */
export interface Submission {
  readonly base_url: string;
  readonly codename: string;
  readonly platform: string;
  readonly epoch: number;
  /** The last totals that were sent; null when none were yet. */
  readonly counts: Counts | null;
  /** The last day (UTC) whose totals were submitted after the fact; null when none were. */
  readonly backdated: string | null;
}

/** What this machine knows of its own reports. What it counted is in the store beside it. */
export interface Ledger {
  /** Random, made once, signed with every snapshot: two machines of an operator never overwrite each other. */
  readonly stream: string;
  /** Recounts so far. */
  readonly epoch: number;
  readonly submissions: readonly Submission[];
}

/** The ledger's file inside the settings folder. */
export function ledgerPath(configDir: string): string {
  return join(configDir, 'ledger.json');
}

/** The lock under which the ledger and the store are written. */
export function ledgerLockPath(configDir: string): string {
  return join(configDir, 'ledger.lock');
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

/** Changes the ledger, made first if there is none; runs at once wait for one another. Answers it as it is then. */
export function updateLedger(configDir: string, change: (ledger: Ledger) => Ledger): Promise<Ledger> {
  return withLock(ledgerLockPath(configDir), async () => {
    const known = await readLedger(configDir);
    const changed = change(known ?? (await freshLedger()));
    if (changed !== known) await writePrivateJson(ledgerPath(configDir), { version: LEDGER_VERSION, ...changed });
    return changed;
  });
}

/** The ledger, made first if there is none. */
export function openLedger(configDir: string): Promise<Ledger> {
  return updateLedger(configDir, (ledger) => ledger);
}

/** What was submitted to this service under this codename in the ledger's epoch; null when nothing was. */
export function findSubmission(
  ledger: Ledger | null,
  wanted: Pick<Submission, 'base_url' | 'codename' | 'platform'>,
): Submission | null {
  return ledger?.submissions.find((known) => isSame(known, { ...wanted, epoch: ledger.epoch })) ?? null;
}

/** Notes a submission in place of the one before it. Those of former epochs are forgotten. */
export function rememberSubmission(configDir: string, made: Submission): Promise<Ledger> {
  return updateLedger(configDir, (ledger) => ({
    ...ledger,
    submissions: [...ledger.submissions.filter((known) => known.epoch === ledger.epoch && !isSame(known, made)), made],
  }));
}

type SubmissionName = Pick<Submission, 'base_url' | 'codename' | 'platform' | 'epoch'>;

function isSame(left: SubmissionName, right: SubmissionName): boolean {
  return (
    left.base_url === right.base_url &&
    left.codename === right.codename &&
    left.platform === right.platform &&
    left.epoch === right.epoch
  );
}

async function freshLedger(): Promise<Ledger> {
  // Loaded only now: most runs have a ledger.
  const { randomBytes } = await import('node:crypto');
  return { stream: randomBytes(STREAM_ID_BYTES).toString('base64url'), epoch: 0, submissions: [] };
}

function parseLedger(value: unknown): Ledger | null {
  if (!isObject(value) || value['version'] !== LEDGER_VERSION) return null;
  const { stream, epoch, submissions } = value;
  if (typeof stream !== 'string' || !STREAM_PATTERN.test(stream) || !isEpoch(epoch)) return null;
  if (!Array.isArray(submissions) || !submissions.every(isSubmission)) return null;
  return { stream, epoch, submissions };
}

function isEpoch(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_EPOCH;
}

function isSubmission(value: unknown): value is Submission {
  if (!isObject(value)) return false;
  const { base_url, codename, platform, epoch, counts, backdated } = value;
  if (typeof base_url !== 'string' || typeof codename !== 'string' || typeof platform !== 'string') return false;
  if (backdated !== null && (typeof backdated !== 'string' || !DAY_PATTERN.test(backdated))) return false;
  return isEpoch(epoch) && (counts === null || isCounts(counts));
}

function isCounts(value: unknown): value is Counts {
  if (!isObject(value)) return false;
  return COUNT_FIELDS.every((field) => {
    const count = value[field];
    return typeof count === 'number' && count >= 0 && count <= MAX_COUNT;
  });
}
