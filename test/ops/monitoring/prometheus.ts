import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { eventually } from '../../support/eventually.ts';
import { runProgram, shortened } from './run-program.ts';
import { MONITORING } from './tools.ts';

const ALERTS = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }) })) }),
});
const RESULT = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }).optional(),
});

/** A real Prometheus that scrapes a service on this machine once a second, with the product's configuration and rules. */
export interface Prometheus {
  /** Waits until exactly the wanted alerts fire; the error lists those that do. */
  alerts(wanted: (firing: ReadonlySet<string>) => boolean, withinMs: number): Promise<void>;
  /** The current values of an expression. */
  query(expression: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Whether only the watchdog fires. */
export const isQuiet = (firing: ReadonlySet<string>): boolean => firing.size === 1 && firing.has('UpsilonWatchdog');

export interface PrometheusOptions {
  readonly program: string;
  /** For its files; the caller removes it after `close`. */
  readonly folder: string;
  /** Metrics ports by job: the first as a container of the compose file, the others as processes of `hosts.yml`. */
  readonly targets: Readonly<Record<string, readonly number[]>>;
  /** Factor by which the rules' durations, ranges and limits in seconds are shortened. */
  readonly faster: number;
  readonly alertmanagerPort: number;
  /** Of the blackbox exporter. */
  readonly exporterPort: number;
  /** The public address that is probed. */
  readonly site: string;
}

export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { program, folder, faster, site, targets } = options;
  await cp(join(MONITORING, 'rules'), join(folder, 'rules'), { recursive: true });
  for (const name of await readdir(join(folder, 'rules'))) {
    const file = join(folder, 'rules', name);
    await writeFile(file, shortened(await readFile(file, 'utf8'), faster));
  }
  const shipped = await readFile(join(MONITORING, 'prometheus.yml'), 'utf8');
  await writeFile(join(folder, 'prometheus.yml'), configOf(shipped, options));
  await writeFile(join(folder, 'sites.yml'), JSON.stringify([{ targets: [site] }]));
  const hosts = Object.entries(targets).map(([job, [, ...ports]]) => ({ targets: ports.map(local), labels: { job } }));
  await writeFile(join(folder, 'hosts.yml'), JSON.stringify(hosts));
  // Alertmanager is discovered after the first evaluation, whose alerts are sent again after the delay.
  const delay = '--rules.alert.resend-delay=2s';
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, delay];
  const running = await runProgram(program, args, { readyPath: '/-/ready' });
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${running.port}${path}`);
  async function firingNow(): Promise<ReadonlySet<string>> {
    const { data } = ALERTS.parse(await (await get('/api/v1/alerts')).json());
    return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
  }
  return {
    async alerts(wanted, withinMs) {
      let firing: ReadonlySet<string> = new Set();
      const look = async (): Promise<boolean> => wanted((firing = await firingNow()));
      await eventually('the wanted alerts', look, withinMs).catch((error: unknown) => {
        throw new Error(`firing: ${[...firing].join(', ') || 'none'}`, { cause: error });
      });
    },
    async query(expression) {
      const found = RESULT.parse(await (await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)).json());
      if (found.data === undefined) throw new Error(`${expression}: ${found.error ?? found.status}`);
      return found.data.result.map(({ value }) => Number(value[1]));
    },
    close: () => running.close(),
  };
}

const SHIPPED = z.looseObject({
  global: z.object({ scrape_interval: z.string(), evaluation_interval: z.string() }),
  scrape_configs: z.array(z.looseObject({ job_name: z.string(), dns_sd_configs: z.unknown().optional() })),
});

const local = (port: number): string => `127.0.0.1:${port}`;

/** The product's file with the addresses of this machine, and an interval of a second. */
function configOf(shipped: string, { targets, alertmanagerPort, exporterPort }: PrometheusOptions): string {
  const config = SHIPPED.parse(parse(shipped.replace('blackbox:9115', local(exporterPort))));
  const scrape_configs = config.scrape_configs.map(({ dns_sd_configs, ...job }) =>
    dns_sd_configs === undefined
      ? job
      : { ...job, static_configs: [{ targets: targets[job.job_name]!.slice(0, 1).map(local) }] },
  );
  const alertmanagers = [{ static_configs: [{ targets: [local(alertmanagerPort)] }] }];
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  return JSON.stringify({ ...config, global, alerting: { alertmanagers }, scrape_configs });
}
