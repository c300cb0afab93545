import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { COUNT_FIELDS } from '../../../engine/contract/signing/index.ts';
import { withLock } from '../files/lock.ts';
import { damagedFileError, readPrivateJson, writePrivateJson } from '../files/private-files.ts';
import { isObject, objectOf } from '../json.ts';
import type { MetricSums } from './day-sums.ts';

const VERSION = 1;

/** The metrics of this machine, while the user has them collected. */
export interface CollectedMetrics extends MetricSums {
  /** Random; another one when the user ended collecting and began again. */
  readonly id: string;
  /** The port of the receiver. */
  readonly port: number;
  /** When the last metrics of tokens arrived, in milliseconds since the epoch; null before the first. */
  readonly received_at: number | null;
}

function metricsPath(configDir: string): string {
  return join(configDir, 'otel.json');
}

/** What was collected; null while collecting is off. Throws a `files` error when the file is damaged. */
export async function readMetrics(configDir: string): Promise<CollectedMetrics | null> {
  const value = await readPrivateJson(metricsPath(configDir));
  if (value === undefined) return null;
  if (!isCollected(value)) throw damagedFileError(metricsPath(configDir));
  return value;
}

/** Changes what was collected, under a lock; null from `change`, or while collecting is off: writes nothing. */
export function updateMetrics(
  configDir: string,
  change: (known: CollectedMetrics | null) => CollectedMetrics | null,
): Promise<void> {
  return withLock(join(configDir, 'otel.lock'), async () => {
    const changed = change(await readMetrics(configDir));
    if (changed !== null) await writePrivateJson(metricsPath(configDir), { version: VERSION, ...changed });
  });
}

/** Ends collecting and deletes what was collected, under the lock: a receiver must not write it again. */
export function deleteMetrics(configDir: string): Promise<void> {
  return withLock(join(configDir, 'otel.lock'), () => rm(metricsPath(configDir), { force: true }));
}

function isCollected(value: unknown): value is CollectedMetrics {
  const { version, id, port, received_at, days, series } = objectOf(value);
  if (version !== VERSION || typeof id !== 'string' || typeof port !== 'number' || !isObject(days) || !isObject(series))
    return false;
  if (received_at !== null && typeof received_at !== 'number') return false;
  const sums = Object.values(days).flatMap((platforms) => (isObject(platforms) ? Object.values(platforms) : [null]));
  return sums.every(isSum) && Object.values(series).every(isSeries);
}

function isSum(sum: unknown): boolean {
  return COUNT_FIELDS.every((field) => typeof objectOf(sum)[field] === 'number');
}

function isSeries(last: unknown): boolean {
  return Array.isArray(last) && last.every((each) => typeof each === 'number');
}
