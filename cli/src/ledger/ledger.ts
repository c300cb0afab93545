import { join } from 'node:path';
import { COUNT_FIELDS, type Counts, MAX_COUNT, MAX_EPOCH } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import { withLock } from '../files/lock.ts';
import { damagedFileError, readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { hasShape, objectOf, type Shaped } from '../json.ts';

const LEDGER_VERSION = 2;
const STREAM_ID_BYTES = 16;

/** The stream ids that a service accepts. */
const STREAM_PATTERN = /^[A-Za-z0-9_-]{8,64}$/;
const DAY_PATTERN = /^\d{4}-\d{2}-\d{2}$/;

const SUBMISSION = { base_url: 'string', codename: 'string', platform: 'string', epoch: 'number' } as const;

/** What was submitted for a platform, to one service under one codename. */
export interface Submission extends Shaped<typeof SUBMISSION> {
  /** The last totals that were sent; null when none were yet. */
  readonly counts: Counts | null;
  /** The last past day (UTC) whose totals were submitted; null when none were. */
  readonly backdated: string | null;
  /** When `counts` were sent, in milliseconds since the epoch. */
  readonly at?: number;
}

/** The submissions of this settings folder. The counts are in the usage store. */
export interface Ledger {
  /** Random, created once, signed with every snapshot, so that two machines of an operator never overwrite each other. */
  readonly stream: string;
  /** Incremented by recounts, imports into platforms that were submitted, and submissions after a backup was restored. */
  readonly epoch: number;
  readonly submissions: readonly Submission[];
}

/** The ledger's file inside the settings folder. */
export function ledgerPath(configDir: string): string {
  return join(configDir, 'ledger.json');
}

/** The stored ledger; null when there is none yet. Throws a `files` error when it is damaged. */
export async function readLedger(configDir: string): Promise<Ledger | null> {
  const value = await readPrivateJson(ledgerPath(configDir));
  const ledger = parseLedger(value);
  if (ledger === null && value !== undefined) throw damagedFileError(ledgerPath(configDir));
  return ledger;
}

/** Changes the ledger under its lock, and creates it if there is none. Returns the changed ledger. */
export function updateLedger(configDir: string, change: (ledger: Ledger) => Ledger): Promise<Ledger> {
  return withLock(join(configDir, 'ledger.lock'), async () => {
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

/** The epoch after those of the ledger and of the usage store. Throws when there is none. */
export function nextEpoch(ledger: Pick<Ledger, 'epoch'>, store: Pick<Ledger, 'epoch'>): number {
  const epoch = Math.max(ledger.epoch, store.epoch) + 1;
  if (epoch <= MAX_EPOCH) return epoch;
  const message = `no epoch follows ${MAX_EPOCH}, the last one of a ledger: recounts, imports and restored backups began those before`;
  throw new CliError('refused', 'epoch_limit', message);
}

/** Begins an epoch that the store has begun: a ledger of the new epoch with the old counts would submit them again. */
export function beginEpoch(configDir: string, epoch: number): Promise<Ledger> {
  return updateLedger(configDir, (known) => ({ ...known, epoch: Math.max(known.epoch, epoch) }));
}

/** Throws when another run began a new epoch since the ledger `before` was read: what was counted then is of the former one. */
export function requireEpoch({ epoch }: Ledger, before: Ledger | null): void {
  if (epoch === (before?.epoch ?? 0)) return;
  throw new CliError('files', 'epoch_changed', 'another run of this tool began a new epoch', 'Run this again.');
}

/** What was submitted to this service under this codename in the ledger's epoch; null when nothing was. */
export function findSubmission(
  ledger: Ledger | null,
  wanted: Pick<Submission, 'base_url' | 'codename' | 'platform'>,
): Submission | null {
  return ledger?.submissions.find((known) => isSame(known, { ...wanted, epoch: ledger.epoch })) ?? null;
}

/** Records a submission in place of the previous one. Those of former epochs stay until then: the service has their totals. */
export function rememberSubmission(configDir: string, made: Submission): Promise<Ledger> {
  return updateLedger(configDir, (ledger) => ({
    ...ledger,
    submissions: [...ledger.submissions.filter((known) => !isSame({ ...known, epoch: made.epoch }, made)), made],
  }));
}

function isSame(left: Shaped<typeof SUBMISSION>, right: Shaped<typeof SUBMISSION>): boolean {
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
  const { version, stream, epoch, submissions } = objectOf(value);
  if (version !== LEDGER_VERSION || !isEpoch(epoch)) return null;
  if (typeof stream !== 'string' || !STREAM_PATTERN.test(stream)) return null;
  return Array.isArray(submissions) && submissions.every(isSubmission) ? { stream, epoch, submissions } : null;
}

function isEpoch(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_EPOCH;
}

function isSubmission(value: unknown): value is Submission {
  const { counts, backdated, at = 0 } = objectOf(value);
  if (!hasShape(value, SUBMISSION) || !isEpoch(value.epoch) || typeof at !== 'number') return false;
  if (backdated !== null && (typeof backdated !== 'string' || !DAY_PATTERN.test(backdated))) return false;
  return counts === null || COUNT_FIELDS.every((field) => isCount(objectOf(counts)[field]));
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT;
}
