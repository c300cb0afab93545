import { expect } from 'chai';
import { documentedMetrics } from '../../../../ops/docs/generated-documents.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { runService } from '../../../support/running-service.ts';
import { scrape } from '../../../support/scrape.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** Limit of series per metric and process; a label with unbounded values would exceed it soon. */
const MAX_SERIES = 1_000;

describe('the metrics of running processes', () => {
  const metricsPort = useFixture(() => freePort(2));
  useFixture(() => runService({ metricsPort: metricsPort() }));
  const api = useFixture(() => scrape(metricsPort()));
  const worker = useFixture(() => scrape(metricsPort() + 1));

  it('are those of the document, in the processes that it names', () => {
    const names = [...new Set([...api().keys(), ...worker().keys()])].filter((name) => name.startsWith('upsilon_'));
    const exposed = names.map((name) => {
      const processes = [...(api().has(name) ? ['api'] : []), ...(worker().has(name) ? ['worker'] : [])].join(', ');
      return `${name} (${processes})`;
    });
    const documented = documentedMetrics().map(({ name, processes }) => `${name} (${processes})`);
    expect(exposed.toSorted()).to.deep.equal(documented.toSorted());
  });

  it('have the labels of the document', () => {
    for (const { name, labels } of documentedMetrics()) {
      for (const metric of [api().get(name), worker().get(name)]) {
        if (metric !== undefined && metric.samples > 0 && metric.labels.length > 0) {
          expect(metric.labels, name).to.deep.equal(labels.toSorted());
        }
      }
    }
  });

  it('have no series that grow with operators or clients', () => {
    for (const { name, samples } of [...api().values(), ...worker().values()]) {
      expect(samples, name).to.be.below(MAX_SERIES);
    }
  });
});
