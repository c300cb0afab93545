import { setTimeout as pause } from 'node:timers/promises';
import type { AppendOutcome, LogEntry } from '../../../engine/ranking/index.ts';
import { Problem } from '../../http/problem.ts';
import type { ApiPorts, SnapshotLog, SnapshotQueue } from '../../ports.ts';
import type { GroupPace } from './group-pace.ts';

/** Writes the entries of requests that arrive together in one insert. */
export interface GroupWriter {
  /** Appends an entry with others. Rejects with storage_unavailable or backlog_full; then it was not acknowledged. */
  submit(entry: LogEntry): Promise<AppendOutcome>;
  /** Entries that wait for their turn. */
  waiting(): number;
  /** Refuses what comes from now on, and waits until everything taken was written and queued. */
  drain(): Promise<void>;
}

export interface GroupWriterOptions {
  readonly append: SnapshotLog['append'];
  readonly enqueue: SnapshotQueue['enqueue'];
  readonly pace: GroupPace;
  /** Entries written together at most. */
  readonly maxGroup: number;
  /** Entries that may wait while an insert is under way. */
  readonly maxWaiting: number;
  readonly metrics: Pick<ApiPorts['metrics']['ingest'], 'logged'>;
  /** Told when a group that is in the log could not be queued: its entries stay pending until they are found again. */
  readonly onEnqueueError: (group: string, error: unknown) => void;
}

interface Waiting {
  readonly entry: LogEntry;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (problem: Problem) => void;
}

/** Milliseconds that a drain waits for groups to be queued. */
const MAX_ENQUEUE_DRAIN_MS = 2_000;

/** Seconds after which a client whose entry found no room should try again. */
const RETRY_AFTER_SECONDS = 2;

/**
 * Makes a group writer. One insert is in flight at a time, and what arrives meanwhile is the next group: alone, an
 * entry waits for nothing, and under load groups grow by themselves, the more so as the pace lets them gather.
 */
export function createGroupWriter(options: GroupWriterOptions): GroupWriter {
  let queue: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let draining = false;
  const enqueues = new Set<Promise<void>>();

  const writeAll = async (): Promise<void> => {
    // One turn of the event loop lets the requests that were read together join the first group.
    await new Promise(setImmediate);
    while (queue.length > 0) {
      if (queue.length < options.maxGroup && !draining) await options.pace.turn();
      const group = queue.slice(0, options.maxGroup);
      queue = queue.slice(group.length);
      const stored = await appendGroup(group, options);
      if (stored === null) continue;
      options.pace.began(stored.group);
      track(enqueues, enqueueGroup(stored, options));
    }
    writing = null;
  };

  return {
    submit(entry) {
      if (draining) return Promise.reject(backlogFull('The service is stopping.'));
      if (queue.length >= options.maxWaiting)
        return Promise.reject(backlogFull('Too many snapshots wait to be written.'));
      const written = new Promise<AppendOutcome>((resolve, reject) => {
        queue.push({ entry, resolve, reject });
      });
      writing ??= writeAll();
      return written;
    },
    waiting: () => queue.length,
    async drain() {
      draining = true;
      await writing;
      // Without Redis a job may never be taken, and the group is found again later in any case.
      const patience = new AbortController();
      await Promise.race([Promise.all(enqueues), pause(MAX_ENQUEUE_DRAIN_MS, null, { signal: patience.signal })]);
      patience.abort();
    },
  };
}

/** The problem of a submission that finds no room. */
export function backlogFull(detail: string): Problem {
  return new Problem('backlog_full', { detail, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
}

/** The entries of one insert that are in the log now, under the group that it made. */
interface StoredGroup {
  readonly group: string;
  readonly entries: readonly LogEntry[];
}

/** Writes one group and tells everyone in it what became of their entry. Null when nothing new was stored. */
async function appendGroup(waiting: readonly Waiting[], options: GroupWriterOptions): Promise<StoredGroup | null> {
  const startedAt = performance.now();
  let outcomes: readonly AppendOutcome[] | null = null;
  let cause: unknown = null;
  try {
    outcomes = await options.append(waiting.map(({ entry }) => entry));
  } catch (error) {
    cause = error;
  }
  if (outcomes !== null) options.metrics.logged(waiting.length, (performance.now() - startedAt) / 1000);
  let group: string | null = null;
  const entries: LogEntry[] = [];
  waiting.forEach(({ entry, resolve, reject }, index) => {
    const outcome = outcomes?.[index];
    if (outcome === undefined) {
      reject(new Problem('storage_unavailable', { detail: 'The snapshot could not be logged.', cause }));
      return;
    }
    if (outcome.kind === 'stored') {
      group = outcome.group;
      entries.push(entry);
    }
    resolve(outcome);
  });
  return group === null ? null : { group, entries };
}

/** Queues a group. It is in the log, so a failure takes back nothing: it is reported, and found again later. */
async function enqueueGroup({ group, entries }: StoredGroup, options: GroupWriterOptions): Promise<void> {
  try {
    await options.enqueue(group, entries);
  } catch (error) {
    options.onEnqueueError(group, error);
  }
}

function track(running: Set<Promise<void>>, task: Promise<void>): void {
  running.add(task);
  void task.finally(() => running.delete(task));
}
