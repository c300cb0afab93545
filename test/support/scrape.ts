/** A metric as a process exposes it in the Prometheus text format. */
export interface ExposedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Names of the labels that its samples have, in alphabetical order; `le` is left out. */
  readonly labels: readonly string[];
  /** Samples of it at this moment, those of buckets not counted. */
  readonly samples: number;
}

/** What a process exposes on its metrics port, by name. */
export async function scrape(port: number): Promise<ReadonlyMap<string, ExposedMetric>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const metrics = new Map<string, ExposedMetric>();
  for (const part of text.split(/^(?=# HELP )/m)) {
    const [, name = '', help = ''] = /^# HELP (\S+) (.*)$/m.exec(part) ?? [];
    const type = /^# TYPE \S+ (\S+)$/m.exec(part)?.[1];
    if (type === undefined) continue;
    const lines = part
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#') && !/^\S*_bucket\{/.test(line));
    const labels = new Set(
      lines.flatMap((line) => [...line.matchAll(/[{,]([a-z_]+)="/g)].map(([, label = '']) => label)),
    );
    metrics.set(name, { name, type, help, labels: [...labels].sort(), samples: lines.length });
  }
  return metrics;
}
