import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { z } from 'zod';
import { freePort } from '../../../ops/local/free-port.ts';
import { openQueues, type Queues } from '../../../ops/runtime/queues/index.ts';
import { openBlockingRedis } from '../../../ops/runtime/stores/index.ts';
import { eventually } from '../../support/eventually.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { type RunningService, runService } from '../../support/running-service.ts';
import { makeDeviceKey, makeDeviceProof, makeSubmission } from '../../support/signing.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { findOpenssl } from '../../support/test-certificate.ts';
import { startAlertmanager, startProbedProxy } from './alerting.ts';
import { isQuiet, type Prometheus, startPrometheus } from './prometheus.ts';
import { ALERTMANAGER, BLACKBOX, MONITORING, PROMETHEUS } from './tools.ts';

const openssl = await findOpenssl();

/** A minute of the rules lasts two seconds here. */
const FASTER = 30;
/** Time limit for an alert, in milliseconds: the shortened durations are half a minute at most. */
const WITHIN_MS = 90_000;
/** Duration of a lease that is renewed by a holder that does not commit, in milliseconds. */
const LEASED_MS = 30_000;
const RENEWED_EVERY_MS = 1_000;

const DASHBOARDS = join(MONITORING, 'dashboards');
const DASHBOARD = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
});

describe('the service under a real Prometheus', () => {
  if (PROMETHEUS === null || ALERTMANAGER === null || BLACKBOX === null) {
    leaveOut('prometheus', 'there is no Prometheus, Alertmanager or blackbox exporter on this machine');
    return;
  }
  if (openssl === null) return leaveOut('openssl', 'there is no openssl on this machine');
  const [program, manager] = [PROMETHEUS, ALERTMANAGER];
  const programs = { blackbox: BLACKBOX, openssl };
  const folder = useSuiteFolder();
  let service: RunningService;
  let prometheus: Prometheus;
  let alertmanager: Awaited<ReturnType<typeof startAlertmanager>>;
  let proxy: Awaited<ReturnType<typeof startProbedProxy>>;
  let queues: Queues;
  let users: Users;
  let close: () => Promise<void>;

  before(async () => {
    const metricsPort = await freePort(2);
    service = await runService({ metricsPort, settings: { VERDICT_WAIT_MS: '100' } });
    const targets = { 'upsilon-api': [metricsPort], 'upsilon-worker': [metricsPort + 1] };
    alertmanager = await startAlertmanager(manager, folder(), FASTER);
    proxy = await startProbedProxy(programs, folder(), new URL(service.baseUrl).origin);
    prometheus = await startPrometheus({
      program,
      folder: folder(),
      targets,
      faster: FASTER,
      alertmanagerPort: alertmanager.port,
      exporterPort: proxy.exporterPort,
      site: proxy.url,
    });
    const redis = openBlockingRedis(service.database.redisUrl, () => undefined);
    queues = openQueues(redis, service.database.prefix, () => undefined);
    users = await startUsers(service);
    close = async () => {
      await users.close();
      await queues.close();
      redis.disconnect();
    };
  });

  after(async () => {
    await close();
    await prometheus.close();
    await alertmanager.close();
    await proxy.close();
    await service[Symbol.asyncDispose]();
  });

  const fires = (...names: readonly string[]) =>
    prometheus.alerts((firing) => names.every((name) => firing.has(name)), WITHIN_MS);
  const quiet = () => prometheus.alerts(isQuiet, WITHIN_MS);

  /** Makes a fault, waits for its notification, ends the fault and waits until that is notified as well. */
  async function hears(receiver: string, alert: string, set: (faulty: boolean) => unknown): Promise<void> {
    const since = alertmanager.notified.length;
    await set(true);
    await alertmanager.hears({ receiver, alert, status: 'firing' }, since, WITHIN_MS);
    await set(false);
    await alertmanager.hears({ receiver, alert, status: 'resolved' }, since, WITHIN_MS);
  }

  it('returns data for every query of every dashboard', async () => {
    for (const name of readdirSync(DASHBOARDS)) {
      const { panels } = DASHBOARD.parse(JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')));
      expect(panels, name).to.not.be.empty;
      for (const { title, targets } of panels) {
        for (const { expr } of targets) {
          const expression = expr.replaceAll('$__rate_interval', '10s');
          await eventually(
            `data for ${name}, "${title}": ${expression}`,
            async () => {
              const values = await prometheus.query(expression);
              return values.some((value) => Number.isFinite(value));
            },
            WITHIN_MS,
          );
        }
      }
    }
  });

  it('fires no alert while everything works', quiet);

  it('notifies the receiver of the watchdog again and again', async () => {
    const [since, alive] = [alertmanager.notified.length, { receiver: 'watchdog', alert: 'UpsilonWatchdog' }];
    const wanted = { ...alive, status: 'firing' };
    const times = () => alertmanager.notified.slice(since).filter((each) => isDeepStrictEqual(each, wanted)).length;
    await eventually('three notifications', async () => times() >= 3, WITHIN_MS);
  });

  it('pages for snapshots that no board shows, until they are shown', async () => {
    await hears('pages', 'UpsilonSnapshotsUnshown', (faulty) =>
      faulty ? queues.ingest.pause() : queues.ingest.resume(),
    );
    await quiet();
  });

  it('notifies of a certificate that ends soon, until it is renewed', async () => {
    await hears('tickets', 'UpsilonCertificateExpiring', proxy.endsSoon);
    await quiet();
  });

  it('fires for a paused queue, a failed job, missing verdicts and a board of a newer program until they are fixed', async () => {
    const manifests = service.connection.collection<{ _id: string }>('board_manifests');
    await queues.ingest.pause();
    await queues.upkeep.add('advance-hour', { nonsense: true }, { jobId: 'nonsense' });
    await manifests.updateOne({ _id: 'manifest' }, { $set: { methodology: 9_999, generation: 'of-a-newer-program' } });
    await service.ranking.operators.amend(users.operator, { displayName: 'Another name' });
    await fires('UpsilonQueueWaiting', 'UpsilonJobsFailed', 'UpsilonVerdictsMissing', 'UpsilonBoardStale');

    await manifests.updateOne({ _id: 'manifest' }, { $set: { methodology: 1, generation: 'of-this-program' } });
    await (await queues.upkeep.getJob('nonsense'))?.remove();
    await queues.ingest.resume();
    await quiet();
  });

  it('fires for a stopped schedule and a lease that is never released until they are fixed', async () => {
    const leases = service.connection.collection<{ _id: string }>('leases');
    await queues.upkeep.pause();
    const hold = async (): Promise<void> => {
      const until = new Date(Date.now() + LEASED_MS);
      await leases.updateOne(
        { _id: 'committer' },
        { $set: { holder: 'who-commits-nothing', until } },
        { upsert: true },
      );
    };
    await hold();
    const renewing = setInterval(() => void hold().catch(() => undefined), RENEWED_EVERY_MS);
    await fires('UpsilonScheduleLate', 'UpsilonCommitterSilent').finally(() => clearInterval(renewing));

    await leases.deleteOne({ _id: 'committer' });
    await queues.upkeep.resume();
    await quiet();
  });
});

/** Clients that read and submit once a second. */
interface Users {
  readonly operator: number;
  close(): Promise<void>;
}

async function startUsers(service: RunningService): Promise<Users> {
  const { operator, token } = await service.operator('harbour-light');
  const key = makeDeviceKey();
  const seconds = (): number => Math.floor(service.now / 1_000);
  const proof = makeDeviceProof(key, { codename: 'harbour-light', iat: seconds() });
  await service.accounts.devices.enrol({ operator, codename: 'harbour-light', jwk: key.jwk, proof });
  let output = 0;
  async function act(): Promise<void> {
    service.now = Date.now();
    output += 1;
    const payload = { codename: 'harbour-light', input: 10, output, cache_read: 300, cache_write: 4 };
    await fetch(`${service.baseUrl}/leaderboard`);
    await fetch(`${service.baseUrl}/snapshots`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(makeSubmission(key, payload, { iat: seconds() })),
    });
  }
  let acting: Promise<unknown> = act();
  const timer = setInterval(() => {
    acting = acting.then(act).catch(() => undefined);
  }, 1_000);
  return {
    operator,
    async close() {
      clearInterval(timer);
      await acting;
    },
  };
}
