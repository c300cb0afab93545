import { expect } from 'chai';
import {
  createBoardMetrics,
  createBoardViewMetrics,
  createHttpMetrics,
  createIngestMetrics,
  createMetricsServer,
  createQueueMetrics,
  createRegistry,
} from '../../../../ops/runtime/telemetry/index.ts';

async function scrape(port: number, path = '/metrics', method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe('the metrics server', () => {
  it('answers probes of a process that has them, and of no other', async () => {
    let isReady = false;
    const registry = createRegistry();
    const server = await createMetricsServer({ registry, host: '127.0.0.1', port: 0, isReady: () => isReady });
    const statuses = async () => [
      (await scrape(server.port, '/health/live')).status,
      (await scrape(server.port, '/health/ready')).status,
    ];
    expect(await statuses()).to.deep.equal([200, 503]);
    isReady = true;
    expect(await statuses()).to.deep.equal([200, 200]);
    expect((await scrape(server.port, '/health/ready', 'POST')).status).to.equal(405);
    await server.close();
    const without = await createMetricsServer({ registry, host: '127.0.0.1', port: 0 });
    expect((await scrape(without.port, '/health/live')).status).to.equal(404);
    await without.close();
  });

  it('serves every area of one registry in the Prometheus format', async () => {
    const registry = createRegistry();
    createHttpMetrics(registry).answered('leaderboard', 'GET', 200, 0.002);
    const ingest = createIngestMetrics(registry);
    ingest.logged(12, 0.004);
    ingest.processed('signature_invalid', 2);
    ingest.withoutVerdict(3);
    const queue = createQueueMetrics(registry);
    queue.started('ingest', 0.01);
    queue.ended('ingest', 'completed', 0.05);
    queue.holds('ingest', { waiting: 4, active: 1, delayed: 0, failed: 0 }, 7);
    const board = createBoardMetrics(registry);
    board.committed(10, 0.01);
    board.compacted(1_000, 0.4);
    board.oldestChangeWait(0.5);
    createBoardViewMetrics(registry, () => 5_000).shows({
      version: 42,
      generatedAt: 2_000,
      hourBeganAt: 1_000,
      methodology: 1,
      operators: 1_000,
      firstYields: { '7d': 250 },
    });
    const server = await createMetricsServer({ registry, host: '127.0.0.1', port: 0 });
    try {
      const { status, type, text } = await scrape(server.port);
      expect(status).to.equal(200);
      expect(type).to.match(/^text\/plain/);
      for (const line of [
        'upsilon_http_request_seconds_count{route="leaderboard",method="GET",status="200"} 1',
        'upsilon_ingest_batch_entries_sum 12',
        'upsilon_ingest_verdicts_total{verdict="signature_invalid"} 2',
        'upsilon_ingest_entries_without_verdict 3',
        'upsilon_queue_jobs{queue="ingest",state="waiting"} 4',
        'upsilon_queue_oldest_waiting_seconds{queue="ingest"} 7',
        'upsilon_jobs_total{job_name="ingest",outcome="completed"} 1',
        'upsilon_board_version 42',
        'upsilon_board_age_seconds 3',
        'upsilon_board_commit_operators_sum 10',
        'upsilon_board_oldest_change_seconds 0.5',
      ]) {
        expect(text).to.contain(line);
      }
      expect(text).to.contain('nodejs_eventloop_lag_seconds');
    } finally {
      await server.close();
    }
  });

  it('has one path and two methods', async () => {
    const server = await createMetricsServer({ registry: createRegistry(), host: '127.0.0.1', port: 0 });
    try {
      expect((await scrape(server.port, '/')).status).to.equal(404);
      expect((await scrape(server.port, '/metrics', 'POST')).status).to.equal(405);
      expect((await scrape(server.port, '/metrics', 'HEAD')).status).to.equal(200);
    } finally {
      await server.close();
    }
  });

  it('fails when its port is in use', async () => {
    const options = { registry: createRegistry(), host: '127.0.0.1' };
    const server = await createMetricsServer({ ...options, port: 0 });
    try {
      const second = await createMetricsServer({ ...options, port: server.port }).catch((error: unknown) => error);
      expect(second).to.have.property('code', 'EADDRINUSE');
    } finally {
      await server.close();
    }
  });
});
