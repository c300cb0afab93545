import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../../ops/local/free-port.ts';
import { eventually } from '../../support/eventually.ts';
import { MONITORING } from './tools.ts';

const READY_WITHIN_MS = 30_000;

const ALERTS = z.object({
  data: z.object({ alerts: z.array(z.object({ state: z.string(), labels: z.object({ alertname: z.string() }) })) }),
});
const RESULT = z.object({
  status: z.string(),
  error: z.string().optional(),
  data: z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) }).optional(),
});

/** A real Prometheus that scrapes a service on this machine once a second under the product's own rules. */
export interface Prometheus {
  /** Names of the firing alerts. */
  firing(): Promise<ReadonlySet<string>>;
  /** The current values of an expression. */
  query(expression: string): Promise<readonly number[]>;
  close(): Promise<void>;
}

export interface PrometheusOptions {
  readonly program: string;
  /** Metrics ports by job. */
  readonly targets: Readonly<Record<string, number>>;
  /** Factor by which the rules' durations, ranges and limits in seconds are shortened. */
  readonly faster: number;
}

export async function startPrometheus({ program, targets, faster }: PrometheusOptions): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'upsilon-prometheus-'));
  await cp(join(MONITORING, 'rules'), join(folder, 'rules'), { recursive: true });
  for (const name of await readdir(join(folder, 'rules'))) {
    const file = join(folder, 'rules', name);
    await writeFile(file, shortened(await readFile(file, 'utf8'), faster));
  }
  await writeFile(join(folder, 'prometheus.yml'), configOf(targets));
  const port = await freePort();
  const child = spawn(
    program,
    [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const get = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);
  await eventually('Prometheus', async () => (await get('/-/ready')).ok, READY_WITHIN_MS);
  return {
    async firing() {
      const { data } = ALERTS.parse(await (await get('/api/v1/alerts')).json());
      return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname));
    },
    async query(expression) {
      const found = RESULT.parse(await (await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)).json());
      if (found.data === undefined) throw new Error(`${expression}: ${found.error ?? found.status}`);
      return found.data.result.map(({ value }) => Number(value[1]));
    },
    async close() {
      child.kill('SIGTERM');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configOf(targets: PrometheusOptions['targets']): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules/*.yml'],
    scrape_configs: Object.entries(targets).map(([job_name, port]) => ({
      job_name,
      static_configs: [{ targets: [`127.0.0.1:${port}`] }],
    })),
  });
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/** Divides the rules' durations (`for`), ranges and limits marked with "# seconds" by a factor. */
function shortened(rules: string, faster: number): string {
  const short = (amount: string, unit: string): string =>
    `${(Number(amount) * UNIT_SECONDS[unit]! * 1_000) / faster}ms`;
  return rules
    .replaceAll(/\[(\d+)([smh])\]/g, (_, amount: string, unit: string) => `[${short(amount, unit)}]`)
    .replaceAll(/for: (\d+)([smh])$/gm, (_, amount: string, unit: string) => `for: ${short(amount, unit)}`)
    .replaceAll(/(\d+) # seconds/g, (_, seconds: string) => `${Number(seconds) / faster} # seconds`);
}
