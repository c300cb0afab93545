import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS } from '../../../config/units.ts';
import { recordExport } from '../../../engine/mongo/index.ts';
import { JOBS } from '../../../ops/runtime/queues/catalog.ts';
import { enqueueBatch } from '../../../ops/runtime/queues/enqueue.ts';
import { jobOptions } from '../../../ops/runtime/queues/open-queues.ts';
import { FormBrowser } from '../../support/form-browser.ts';
import { openMailServer } from '../../support/mail-server.ts';
import type { ServiceProcess } from '../../support/service-processes.ts';
import type { DrillStage } from './drill-stage.ts';

/** A fault, and whom of the operators it is announced to. */
export interface Drill {
  readonly fault: string;
  readonly alert: string;
  readonly receiver: 'pages' | 'tickets';
  /** Causes the fault; returns what ends it. Null where this machine does not let it. */
  readonly cause: (stage: DrillStage) => Promise<(() => Promise<unknown>) | null>;
}

/** More than submissions are taken for. */
const BACKLOG = 50_001;
/** The share of the disk that is in use in the drill. */
const FULL = 0.9;

export const DRILLS: readonly Drill[] = [
  {
    fault: 'Redis is killed',
    alert: 'UpsilonStoreDown',
    receiver: 'pages',
    async cause({ engines: { redis } }) {
      await redis.kill();
      return () => redis.start();
    },
  },
  {
    fault: 'MongoDB is killed',
    alert: 'UpsilonStoreDown',
    receiver: 'pages',
    async cause({ engines: { mongo } }) {
      await mongo.kill();
      return () => mongo.start();
    },
  },
  {
    fault: 'all workers hang',
    alert: 'UpsilonServiceDown',
    receiver: 'pages',
    cause: async ({ service }) => freeze(service.workers),
  },
  {
    fault: 'one worker of two hangs',
    alert: 'UpsilonProcessDown',
    receiver: 'tickets',
    cause: async ({ service }) => freeze(service.workers.slice(1)),
  },
  {
    fault: 'one api process of two hangs',
    alert: 'UpsilonProcessDown',
    receiver: 'tickets',
    cause: async ({ service }) => freeze(service.apis.slice(1)),
  },
  {
    fault: 'the disk is 90 % full',
    alert: 'UpsilonDiskFilling',
    receiver: 'pages',
    async cause({ disk: { folder, isSmall } }) {
      if (!isSmall) return null;
      const { blocks, bavail, bsize } = await statfs(folder);
      const file = join(folder, 'filler');
      await writeFile(file, Buffer.alloc(Math.floor(blocks * bsize * FULL) - (blocks - bavail) * bsize));
      return () => rm(file);
    },
  },
  {
    fault: 'the clock of a process is 5 s ahead',
    alert: 'UpsilonClockOff',
    receiver: 'tickets',
    async cause({ service }) {
      process.kill(service.apis[1]!.pid, 'SIGUSR2');
      return async () => process.kill(service.apis[1]!.pid, 'SIGUSR2');
    },
  },
  {
    fault: '50,001 snapshots wait',
    alert: 'UpsilonSubmissionsRefused',
    receiver: 'pages',
    async cause({ connection, work }) {
      const snapshots = connection.collection<{ _id: string; batch: string }>('snapshots');
      const batch = 'zzzzzzzzz-of-the-drill';
      await work.queues.ingest.pause();
      const ids = Array.from({ length: BACKLOG }, (_, index) => ({ _id: `0.drill-${index}`, batch }));
      await snapshots.insertMany(ids);
      await enqueueBatch(work.queues, batch);
      return async () => {
        await (await work.queues.ingest.getJob(batch))?.remove();
        await snapshots.deleteMany({ batch });
        await work.queues.ingest.resume();
      };
    },
  },
  {
    fault: 'a schedule has a payload that fails',
    alert: 'UpsilonScheduleLate',
    receiver: 'pages',
    async cause({ work }) {
      const name = 'reconcile-log';
      const every = JOBS[name].everyMs ?? 0;
      const schedule = (data: object) =>
        work.queues.upkeep.upsertJobScheduler(name, { every }, { name, data, opts: jobOptions(name) });
      await schedule({ of: 'a release that is not this one' });
      return () => schedule({});
    },
  },
  {
    fault: 'the last export is three days old',
    alert: 'UpsilonBackupOld',
    receiver: 'tickets',
    async cause({ connection }) {
      await recordExport(connection, Date.now() - 3 * DAY_MS);
      return () => recordExport(connection, Date.now());
    },
  },
  {
    fault: 'the mail server refuses connections',
    alert: 'UpsilonMailsFailing',
    receiver: 'tickets',
    async cause({ service, mailPort }) {
      const login = `${service.issuer}/login`;
      for (let index = 0; index < 4; index++) {
        const browser = new FormBrowser();
        await browser.submit(await browser.get(login), '/login/email', { email: `drill-${index}@example.com` });
      }
      return async () => (await openMailServer(mailPort)).close();
    },
  },
];

/** Stops processes without ending them. */
function freeze(processes: readonly ServiceProcess[]): () => Promise<void> {
  for (const { pid } of processes) process.kill(pid, 'SIGSTOP');
  return async () => {
    for (const { pid } of processes) process.kill(pid, 'SIGCONT');
  };
}
