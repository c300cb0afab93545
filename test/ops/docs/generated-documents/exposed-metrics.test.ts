import { expect } from 'chai';
import { documentedMetrics } from '../../../../ops/docs/generated-documents.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { type RunningService, runService } from '../../../support/running-service.ts';
import { type ExposedMetric, scrape } from '../../../support/scrape.ts';

/** Limit of series per metric and process; a label with unbounded values would exceed it soon. */
const MAX_SERIES = 1_000;

describe('the metrics of running processes', () => {
  let service: RunningService;
  let api: ReadonlyMap<string, ExposedMetric>;
  let worker: ReadonlyMap<string, ExposedMetric>;

  before(async () => {
    const metricsPort = await freePort(2);
    service = await runService({ metricsPort });
    [api, worker] = await Promise.all([scrape(metricsPort), scrape(metricsPort + 1)]);
  });

  after(() => service[Symbol.asyncDispose]());

  it('are those of the document, in the processes that it names', () => {
    const names = [...new Set([...api.keys(), ...worker.keys()])].filter((name) => name.startsWith('upsilon_'));
    const exposed = names.map((name) => {
      const processes = [...(api.has(name) ? ['api'] : []), ...(worker.has(name) ? ['worker'] : [])].join(', ');
      return `${name} (${processes})`;
    });
    const documented = documentedMetrics().map(({ name, processes }) => `${name} (${processes})`);
    expect(exposed.toSorted()).to.deep.equal(documented.toSorted());
  });

  it('have the labels of the document', () => {
    for (const { name, labels } of documentedMetrics()) {
      for (const metric of [api.get(name), worker.get(name)]) {
        if (metric !== undefined && metric.samples > 0 && metric.labels.length > 0) {
          expect(metric.labels, name).to.deep.equal(labels.toSorted());
        }
      }
    }
  });

  it('have no series that grow with operators or clients', () => {
    for (const { name, samples } of [...api.values(), ...worker.values()]) {
      expect(samples, name).to.be.below(MAX_SERIES);
    }
  });
});
