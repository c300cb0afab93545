import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { freePort } from '../../../ops/local/free-port.ts';
import { type RunningService, runService } from '../../support/running-service.ts';
import { type ExposedMetric, scrape } from '../../support/scrape.ts';

const TABLE = new URL('../../../ops/docs/METRICS.md', import.meta.url);

/** Limit of series per metric and process; a label with unbounded values would exceed it soon. */
const MAX_SERIES = 1_000;

interface Row {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly processes: readonly string[];
  readonly meaning: string;
}

function documented(): Row[] {
  const rows = readFileSync(TABLE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| `upsilon_'));
  return rows.map((row) => {
    const [, name = '', type = '', labels = '', processes = '', meaning = ''] = row
      .split('|')
      .map((cell) => cell.trim());
    return { name: name.replaceAll('`', ''), type, labels: words(labels), processes: words(processes), meaning };
  });
}

const words = (text: string): string[] => [...text.matchAll(/[a-z_]+/g)].map(([word]) => word).sort();

describe('the table of metrics', () => {
  let service: RunningService;
  let api: ReadonlyMap<string, ExposedMetric>;
  let worker: ReadonlyMap<string, ExposedMetric>;

  before(async () => {
    const metricsPort = await freePort(2);
    service = await runService({ metricsPort });
    [api, worker] = await Promise.all([scrape(metricsPort), scrape(metricsPort + 1)]);
  });

  after(() => service[Symbol.asyncDispose]());

  it('contains the exposed metrics with their help texts', () => {
    const exposed = [...api, ...worker].filter(([name]) => name.startsWith('upsilon_'));
    const lines = new Set(
      exposed.map(([name, { type, help }]) => {
        const processes = [...(api.has(name) ? ['api'] : []), ...(worker.has(name) ? ['worker'] : [])].join(', ');
        return `${name} (${type}; ${processes}): ${help}`;
      }),
    );
    const rows = documented().map(
      ({ name, type, processes, meaning }) => `${name} (${type}; ${processes.join(', ')}): ${meaning}`,
    );
    expect(rows.toSorted()).to.deep.equal([...lines].sort());
  });

  it('lists every label', () => {
    for (const { name, labels } of documented()) {
      for (const metric of [api.get(name), worker.get(name)]) {
        if (metric !== undefined && metric.samples > 0 && metric.labels.length > 0) {
          expect(metric.labels, name).to.deep.equal(labels);
        }
      }
    }
  });

  it('uses no label that Prometheus adds to scraped metrics', () => {
    expect(documented().filter(({ labels }) => labels.includes('job') || labels.includes('instance'))).to.deep.equal(
      [],
    );
  });

  it('has no metric whose series grow with operators or clients', () => {
    for (const { name, samples } of [...api.values(), ...worker.values()]) {
      expect(samples, name).to.be.below(MAX_SERIES);
    }
  });

  it('counts with counters and uses base units', () => {
    for (const { name, type } of documented()) {
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name).to.not.match(/_(ms|milliseconds|kb|mb|minutes|hours)(_|$)/);
    }
  });
});
