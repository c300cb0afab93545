import { join } from 'node:path';
import { COUNT_FIELDS, type Counts, MAX_COUNT, MAX_EPOCH } from '../../../engine/contract/signing/index.ts';
import { withLock } from '../files/lock.ts';
import { damagedFileError, readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject } from '../json.ts';

const LEDGER_VERSION = 2;
const STREAM_ID_BYTES = 16;

/** The stream ids that a service accepts. */
const STREAM_PATTERN = /^[A-Za-z0-9_-]{8,64}$/;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

/** What was submitted for a platform, to one service under one codename. */
export interface Submission {
  readonly base_url: string;
  readonly codename: string;
  readonly platform: string;
  readonly epoch: number;
  /** The last totals that were sent; null when none were yet. */
  readonly counts: Counts | null;
  /** The last past day (UTC) whose totals were submitted; null when none were. */
  readonly backdated: string | null;
}

/** The submissions of this settings folder. The counts are in the usage store. */
export interface Ledger {
  /** Random, created once, signed with every snapshot, so that two machines of an operator never overwrite each other. */
  readonly stream: string;
  /** Number of recounts. */
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

/** The stored ledger; null when there is none yet. Throws a `files` error when it is damaged. */
export async function readLedger(configDir: string): Promise<Ledger | null> {
  const path = ledgerPath(configDir);
  const value = await readPrivateJson(path);
  if (value === undefined) return null;
  const ledger = parseLedger(value);
  if (ledger === null) throw damagedFileError(path);
  return ledger;
}

/** Changes the ledger under its lock, and creates it if there is none. Returns the changed ledger. */
export function updateLedger(configDir: string, change: (ledger: Ledger) => Ledger): Promise<Ledger> {
  return withLock(ledgerLockPath(configDir), async () => {
    const known = await readLedger(configDir);
    const changed = change(known ?? (await freshLedger()));
    if (changed !== known) await writePrivateJson(ledgerPath(configDir), { version: LEDGER_VERSION, ...changed });
    return changed;
  });
}

/** The ledger, created if there is none. */
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

/** Records a submission in place of the previous one. Drops those of former epochs. */
export function rememberSubmission(configDir: string, made: Submission): Promise<Ledger> {
  return updateLedger(configDir, (ledger) => ({
    ...ledger,
    submissions: [...ledger.submissions.filter((known) => known.epoch === ledger.epoch && !isSame(known, made)), made],
  }));
}

type SubmissionKey = Pick<Submission, 'base_url' | 'codename' | 'platform' | 'epoch'>;

function isSame(left: SubmissionKey, right: SubmissionKey): boolean {
  return (
    left.base_url === right.base_url &&
    left.codename === right.codename &&
    left.platform === right.platform &&
    left.epoch === right.epoch
  );
}

async function freshLedger(): Promise<Ledger> {
  // Loaded on demand: most runs have a ledger.
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
