import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Connection, openMongo } from '../../../engine/mongo/index.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { type OwnEngines, startOwnEngines } from '../../faults/own-engines.ts';
import { type ServiceProcesses, startServiceProcesses } from '../../support/service-processes.ts';
import { enrolSteadySenders, type SteadyLoad, startSteadyLoad } from '../../support/steady-load.ts';
import { openTestQueues, type TestQueues } from '../../support/test-queues.ts';
import { startAlertmanager, startProbedProxy } from './alerting.ts';
import { startPrometheus } from './prometheus.ts';

const SENDERS = 8;
/** Between two snapshots of a sender: below its quota of a day for an hour. */
const SEND_EVERY_MS = 2_000;
/** Between two reads of the board: below the quota of one address. */
const READ_EVERY_MS = 1_500;
const READ_WITHIN_MS = 5_000;
/** From util-linux. */
const [MOUNT, UNMOUNT] = ['mount', 'umount'];
/** Size of the file system of the data, in bytes. */
const DISK_BYTES = 600 * 2 ** 20;

/** Sets the clock of a process five seconds ahead at a signal, and right again at the next. */
const SKEWED =
  'const now = Date.now; let by = 0; Date.now = () => now() + by; process.on("SIGUSR2", () => { by = by === 0 ? 5000 : 0; });';

/** A service of two processes of each kind with databases of its own, under a load and watched by the shipped files. */
export interface DrillStage {
  readonly engines: OwnEngines;
  readonly service: ServiceProcesses;
  readonly connection: Connection;
  readonly work: TestQueues;
  /** The folder of the data, on a small file system where this machine lets it be mounted. */
  readonly disk: { readonly folder: string; readonly isSmall: boolean };
  /** Where the service expects a mail server; none listens. */
  readonly mailPort: number;
  readonly load: SteadyLoad;
  /** Reads of the board by status; `none` where no answer came in time. */
  readonly reads: ReadonlyMap<string, number>;
  readonly prometheus: Awaited<ReturnType<typeof startPrometheus>>;
  readonly alertmanager: Awaited<ReturnType<typeof startAlertmanager>>;
  close(): Promise<void>;
}

export interface DrillPrograms {
  readonly prometheus: string;
  readonly alertmanager: string;
  readonly blackbox: string;
  readonly openssl: string;
}

export async function openDrillStage(programs: DrillPrograms, folder: string, faster: number): Promise<DrillStage> {
  const disk = await openDisk(join(folder, 'disk'));
  const engines = await startOwnEngines(join(disk.folder, 'data'));
  const { database } = engines;
  const mailPort = await freePort();
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SKEWED)}`,
  };
  const service = await startServiceProcesses({ ...database, apis: 2, workers: 2, settings });
  const connection = await openMongo(database.mongoUrl);
  const work = openTestQueues(database);
  const alertmanager = await startAlertmanager(programs.alertmanager, folder, faster);
  const proxy = await startProbedProxy(programs, folder, service.issuer);
  const prometheus = await startPrometheus({
    program: programs.prometheus,
    folder,
    targets: { 'upsilon-api': portsOf(service.apis), 'upsilon-worker': portsOf(service.workers) },
    faster,
    alertmanagerPort: alertmanager.port,
    exporterPort: proxy.exporterPort,
    site: proxy.url,
  });
  const load = startSteadyLoad(service.bases, await enrolSteadySenders(connection, SENDERS, service), SEND_EVERY_MS);
  const reader = startReader(service.bases);
  return {
    engines,
    service,
    connection,
    work,
    disk,
    mailPort,
    load,
    reads: reader.reads,
    prometheus,
    alertmanager,
    async close() {
      await Promise.all([load.stop(), reader.stop()]);
      await prometheus.close();
      await alertmanager.close();
      await proxy.close();
      await work.queues.close();
      work.redis.disconnect();
      await connection.close();
      await service.close();
      await engines.close();
      if (disk.isSmall) execFileSync(UNMOUNT, [disk.folder]);
    },
  };
}

function portsOf(processes: ServiceProcesses['apis']): number[] {
  return processes.map(({ details }) => Number(details['metricsPort']));
}

/** A folder on a file system of its own, or where that takes rights that the tests do not have, an ordinary one. */
async function openDisk(folder: string): Promise<DrillStage['disk']> {
  await mkdir(folder);
  let isSmall = true;
  try {
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    isSmall = false;
  }
  await mkdir(join(folder, 'data'));
  return { folder, isSmall };
}

function startReader(bases: readonly string[]) {
  const reads = new Map<string, number>();
  const stopping = new AbortController();
  async function keepReading(): Promise<void> {
    for (let turn = 0; !stopping.signal.aborted; turn++) {
      const url = `${bases[turn % bases.length]}/leaderboard`;
      const status = await fetch(url, { signal: AbortSignal.timeout(READ_WITHIN_MS) }).then(
        async (response) => (await response.text()) && String(response.status),
        () => 'none',
      );
      reads.set(status, (reads.get(status) ?? 0) + 1);
      await pause(READ_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const reading = keepReading();
  return {
    reads,
    async stop() {
      stopping.abort();
      await reading;
    },
  };
}
