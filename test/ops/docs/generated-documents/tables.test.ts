import { expect } from 'chai';
import { documentedMetrics, generatedDocuments } from '../../../../ops/docs/generated-documents.ts';

describe('the generated documents', () => {
  it('are those that npm run docs writes', () => {
    const documents = generatedDocuments();
    expect([...documents.keys()]).to.deep.equal([
      'METRICS.md',
      'SETTINGS.md',
      'METHODOLOGY.md',
      '../monitoring/kubernetes/rules.yaml',
    ]);
    for (const [name, { present, generated }] of documents) expect(present, name).to.equal(generated);
  });

  it('link a metric with its alerts, also by a recorded series', () => {
    const text = generatedDocuments().get('METRICS.md')?.generated;
    expect(text).to.match(/`upsilon_store_up` \|.*\| \[StoreDown\]\(runbooks\/store-down\.md\) \|/);
    expect(text).to.match(/`upsilon_queue_jobs` \|.*\| \[JobsFailed\]\(runbooks\/jobs-failed\.md\) \|/);
  });

  it('give the default of each setting of a row', () => {
    const text = generatedDocuments().get('SETTINGS.md')?.generated;
    expect(text).to.include('| `HOST`, `PORT` | `127.0.0.1`, `3000` | where the API listens |');
    expect(text).to.include('| `OIDC_NAME`: `OpenID Connect` |');
  });
});

describe('the metrics', () => {
  it('use no label that Prometheus adds to scraped metrics', () => {
    const reserved = documentedMetrics().filter(({ labels }) => labels.includes('job') || labels.includes('instance'));
    expect(reserved).to.deep.equal([]);
  });

  it('count with counters and use base units', () => {
    expect(documentedMetrics()).to.have.length.above(40);
    for (const { name, type } of documentedMetrics()) {
      expect(name.endsWith('_total'), name).to.equal(type === 'counter');
      expect(name).to.not.match(/_(ms|milliseconds|kb|mb|minutes|hours)(_|$)/);
    }
  });
});
