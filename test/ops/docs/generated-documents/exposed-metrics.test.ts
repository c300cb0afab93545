import { expect } from 'chai';
import { documentedMetrics } from '../../../../ops/docs/generated-documents.ts';
import { freePort } from '../../../../ops/local/free-port.ts';
import { eventually } from '../../../support/eventually.ts';
import { runService } from '../../../support/running-service.ts';
import { scrape } from '../../../support/scrape.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** Visitors with different names, and the series that a metric may gain meanwhile by what else happens. */
const VISITORS = 30;
const OTHERS = 10;

describe('the metrics of running processes', () => {
  const metricsPort = useFixture(() => freePort(2));
  const service = useFixture(() => runService({ metricsPort: metricsPort() }));
  const api = useFixture(() => scrape(metricsPort()));
  const worker = useFixture(() => scrape(metricsPort() + 1));

  const both = async () => [...(await scrape(metricsPort())).values(), ...(await scrape(metricsPort() + 1)).values()];

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

  it('have no series that grow with operators, paths or clients', async () => {
    const { origin } = new URL(service().baseUrl);
    const visit = async (name: string): Promise<void> => {
      await service().operator(name);
      for (const path of [
        `/${name}`,
        `/operators/${name}`,
        `/api/v1/operators/${name}`,
        `/api/v1/standing?x=${name}`,
      ]) {
        const headers = { 'user-agent': name, authorization: `Bearer ${name}`, 'x-forwarded-for': name };
        await (await fetch(origin + path, { headers })).text();
        await (await fetch(origin + path, { headers, method: 'POST' })).text();
      }
    };
    await visit('visitor-first');
    // Each process has looked at the queues.
    const before = await eventually('depths of queues', async () => {
      const metrics = await both();
      return metrics.every(({ name, samples }) => name !== 'upsilon_queue_jobs' || samples > 0) && metrics;
    });
    for (let index = 0; index < VISITORS; index += 1) await visit(`visitor-${index}`);
    const grown = (await both()).filter(({ name, samples }) => {
      const known = before.filter((metric) => metric.name === name).map((metric) => metric.samples);
      return samples > Math.max(0, ...known) + OTHERS;
    });
    expect(grown.map(({ name }) => name)).to.deep.equal([]);
  });
});
