import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../frame/bench.ts';
import {
  type BenchProcess,
  serviceEnvironment,
  startBenchApi,
  startBenchWorker,
  startProcess,
} from '../frame/service/start-service.ts';

/** Addresses of the measured service, chosen before it starts because tokens contain them. */
export interface ServiceSite {
  readonly baseUrl: string;
  /** URL of the api's metrics. */
  readonly metricsUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function chooseSite(context: BenchContext): Promise<ServiceSite> {
  const env = await serviceEnvironment(context);
  const origin = `http://127.0.0.1:${env['PORT']}`;
  const baseUrl = `${origin}/api/v1`;
  const urls = { BASE_URL: baseUrl, SITE_URL: origin, LOGIN_URL: origin, AUTH_URL: origin };
  return { baseUrl, metricsUrl: `http://127.0.0.1:${env['METRICS_PORT']}/metrics`, env: { ...env, ...urls } };
}

/** The processes of the measured service. They end with the bench. */
export interface Service {
  readonly api: BenchProcess;
  readonly worker: BenchProcess;
  stop(): Promise<void>;
}

/** Starts the service as the product runs it: compiled. */
export async function startService(context: BenchContext, { env }: ServiceSite): Promise<Service> {
  const worker = await startBenchWorker(context, env);
  return together(worker, await startBenchApi(context, env));
}

/** The service with profilers. */
export interface ProfiledService extends Service {
  /** Files to which each process writes its profile on SIGUSR2. */
  readonly profiles: { readonly api: string; readonly worker: string };
}

/** Starts the service with profilers, from its sources: stages are recognized by the files of functions. */
export async function startProfiledService(context: BenchContext, { env }: ServiceSite): Promise<ProfiledService> {
  const profiles = { api: profileOf(context, 'api'), worker: profileOf(context, 'worker') };
  const start = (role: keyof typeof PROFILED): Promise<BenchProcess> => {
    const entry = fileURLToPath(new URL(PROFILED[role], import.meta.url));
    return startProcess(context, role, entry, env, [profiles[role]]);
  };
  const worker = await start('worker');
  return { ...together(worker, await start('api')), profiles };
}

const PROFILED = { api: 'api-main.ts', worker: 'worker-main.ts' } as const;

const profileOf = ({ dataDir }: BenchContext, role: string): string => join(dataDir, `${role}.cpuprofile`);

function together(worker: BenchProcess, api: BenchProcess): Service {
  const stop = async (): Promise<void> => {
    await api.stop();
    await worker.stop();
  };
  return { api, worker, stop };
}
