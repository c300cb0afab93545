import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../bench.ts';
import { serviceEnvironment, startProcess } from '../frame/service/start-service.ts';

/** Where the measured service will be: known before it runs, because tokens name it. */
export interface ServiceSite {
  readonly baseUrl: string;
  /** Where the api tells its metrics. */
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

/** One process of the measured service. */
export interface ServiceProcess {
  readonly pid: number;
  /** Where SIGUSR2 makes it write its profile. */
  readonly profile: string;
  stop(): Promise<unknown>;
}

const ENTRIES = { api: 'api-main.ts', worker: 'worker-main.ts' } as const;

/** Starts the api or the worker; it ends with the bench. */
export async function startService(
  context: BenchContext,
  role: keyof typeof ENTRIES,
  { env }: ServiceSite,
): Promise<ServiceProcess> {
  const profile = join(context.dataDir, `${role}.cpuprofile`);
  const entry = fileURLToPath(new URL(ENTRIES[role], import.meta.url));
  const started = await startProcess(context, role, entry, env, [profile]);
  return { pid: started.pid, profile, stop: () => started.stop() };
}
