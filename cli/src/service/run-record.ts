import { join } from 'node:path';
import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { readPrivateList, writePrivateJson } from '../files/private-files.ts';
import { hasShape, objectOf, type Shaped } from '../json.ts';

/** The longest time without a run because of failures, in milliseconds. */
const MAX_BACKOFF_MS = DAY_MS;

/** How much earlier than a whole number of hours a run may be: the next one of the schedule may come a moment early. */
const SLACK_MS = HOUR_MS / 2;

const RECORD = { base_url: 'string', failures: 'number', failing_since: 'number', next_at: 'number' } as const;

/** What became of the background runs for a service. Times are in milliseconds since the epoch, 0 for none. */
export interface RunRecord extends Shaped<typeof RECORD> {
  readonly succeeded_at: number;
  /** The last failure; null after a success. */
  readonly problem: string | null;
}

/** The record of a service without any run. */
function emptyRecord(baseUrl: string): RunRecord {
  return { base_url: baseUrl, failures: 0, failing_since: 0, next_at: 0, succeeded_at: 0, problem: null };
}

export function afterSuccess({ base_url }: RunRecord, now: number): RunRecord {
  return { ...emptyRecord(base_url), succeeded_at: now };
}

/** The record after a failure: the first is retried an hour later, and each further one after twice the time, a day at most. */
export function afterFailure(record: RunRecord, problem: string, now: number): RunRecord {
  const failures = record.failures + 1;
  const pause = Math.min(MAX_BACKOFF_MS, HOUR_MS * 2 ** (failures - 1)) - SLACK_MS;
  const failing_since = record.failures === 0 ? now : record.failing_since;
  return { ...record, failures, failing_since, next_at: now + pause, problem };
}

export async function readRunRecord(configDir: string, baseUrl: string): Promise<RunRecord> {
  return (await readAll(configDir)).find(({ base_url }) => base_url === baseUrl) ?? emptyRecord(baseUrl);
}

export async function writeRunRecord(configDir: string, record: RunRecord): Promise<void> {
  const others = (await readAll(configDir)).filter(({ base_url }) => base_url !== record.base_url);
  await writePrivateJson(recordsPath(configDir), { version: 1, runs: [...others, record] });
}

function recordsPath(configDir: string): string {
  return join(configDir, 'service-runs.json');
}

function readAll(configDir: string): Promise<readonly RunRecord[]> {
  return readPrivateList(recordsPath(configDir), 'runs', isRecord);
}

function isRecord(value: unknown): value is RunRecord {
  const { succeeded_at, problem } = objectOf(value);
  return (
    hasShape(value, RECORD) && typeof succeeded_at === 'number' && (problem === null || typeof problem === 'string')
  );
}
