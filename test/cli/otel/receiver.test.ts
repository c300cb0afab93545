import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { deleteMetrics, readMetrics, updateMetrics } from '../../../cli/src/otel/metrics-file.ts';
import { type Receiver, startReceiver } from '../../../cli/src/otel/receiver.ts';
import { claudeRequest, OTLP_MARKER, RECORDED, recordedRequest } from '../support/otlp-fixtures.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

const NOW = Date.parse('2026-11-24T12:00:00Z');
const TODAY = Math.floor(NOW / 86_400_000);
const MIB = 1024 * 1024;

interface Sent {
  readonly body?: string | Buffer;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

describe('the receiver of metrics', () => {
  const folder = useFolder();
  let receiver: Receiver;

  beforeEach(async () => {
    await updateMetrics(folder(), () => ({ id: 'one', port: 0, received_at: null, days: {}, series: {} }));
    receiver = await startReceiver(folder(), 0, () => NOW);
  });
  afterEach(() => receiver[Symbol.asyncDispose]());

  /** Sends a request in chunks, as exporters do; returns the status and the type of the response. */
  const send = ({ body = '', path = '/v1/metrics', method = 'POST', headers = {} }: Sent) =>
    new Promise<{ status: number; type: string | undefined }>((resolve, reject) => {
      const options = { port: receiver.port, host: '127.0.0.1', path, method };
      const sent = request({ ...options, headers: { 'content-type': 'application/json', ...headers } }, (response) => {
        response.resume();
        response.on('end', () => resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] }));
      });
      sent.on('error', reject);
      const bytes = Buffer.from(body);
      for (let at = 0; at < bytes.length; at += 100_000) sent.write(bytes.subarray(at, at + 100_000));
      sent.end();
    });
  const stored = async () => {
    await receiver.flush();
    return (await readMetrics(folder()))!;
  };
  const good = { body: claudeRequest({ input: 12, cacheRead: 34 }, NOW) };
  const goodSums = { [TODAY]: { 'claude-code': { input: 12, output: 0, cache_read: 34, cache_write: 0 } } };

  for (const encoding of ['json', 'pb'] as const) {
    const type = encoding === 'json' ? 'application/json' : 'application/x-protobuf';
    it(`adds up recorded requests in ${type}, compressed or not, and keeps only sums`, async () => {
      for (const name of RECORDED) {
        const body = recordedRequest(name, encoding);
        const headers = { 'content-type': `${type}; charset=utf-8` };
        expect(await send({ body, headers })).to.deep.equal({ status: 200, type });
        const gzip = { body: gzipSync(body), headers: { ...headers, 'content-encoding': 'gzip' } };
        expect((await send(gzip)).status, 'repeated').to.equal(200);
      }
      const { days, received_at } = await stored();
      expect(received_at).to.equal(NOW);
      const [[, sums] = []] = Object.entries(days);
      expect(sums).to.deep.equal({
        'claude-code': { input: 10, output: 500, cache_read: 80_000, cache_write: 22_000 },
        'gemini-cli': { input: 1_020, output: 420, cache_read: 3_000, cache_write: 0 },
        codex: { input: 30_242, output: 135, cache_read: 2_820, cache_write: 500 },
      });
      const text = await readFile(join(folder(), 'otel.json'), 'utf8');
      expect(text).to.not.include(OTLP_MARKER).and.not.include('sample-model');
    });
  }

  it('reads and drops logs and traces, which some tools send to the same address', async () => {
    for (const path of ['/v1/logs', '/v1/traces']) expect((await send({ ...good, path })).status).to.equal(200);
    expect((await stored()).days).to.deep.equal({});
  });

  it('refuses what is not OTLP, and continues', async () => {
    const refused: readonly (readonly [Sent, number])[] = [
      [{ body: '' }, 400],
      [{ body: '{"resourceMetrics":' }, 400],
      [{ body: '[]' }, 400],
      [{ body: 'ÿÿÿ', headers: { 'content-type': 'application/x-protobuf' } }, 400],
      [{ ...good, headers: { 'content-encoding': 'gzip' } }, 400],
      [{ ...good, headers: { 'content-type': 'text/plain' } }, 415],
      [{ ...good, headers: { 'content-type': 'application/grpc' } }, 415],
      [{ ...good, path: '/v1/other' }, 404],
      [{ ...good, path: '//v1/metrics' }, 404],
      [{ method: 'GET' }, 405],
      [{ method: 'OPTIONS' }, 405],
    ];
    for (const [sent, status] of refused) expect((await send(sent)).status, JSON.stringify(sent)).to.equal(status);
    expect((await stored()).days).to.deep.equal({});
    expect((await send(good)).status).to.equal(200);
    expect((await stored()).days).to.deep.equal(goodSums);
  });

  it('refuses pages in a browser: another origin, or a name that leads here', async () => {
    expect((await send({ ...good, headers: { origin: 'http://127.0.0.1:3000' } })).status).to.equal(403);
    expect((await send({ ...good, headers: { host: 'rebound.example:80' } })).status).to.equal(403);
    expect((await send({ ...good, headers: { host: `localhost:${receiver.port}` } })).status).to.equal(200);
  });

  it('refuses more than 4 MiB, also after decompression, and continues', async () => {
    const large = Buffer.alloc(4 * MIB + 1, ' ');
    expect((await send({ body: large })).status).to.equal(413);
    expect((await send({ body: gzipSync(large), headers: { 'content-encoding': 'gzip' } })).status).to.equal(413);
    const padded = Buffer.concat([Buffer.from(good.body), Buffer.alloc(4 * MIB - good.body.length, ' ')]);
    expect((await send({ body: padded })).status, 'exactly 4 MiB').to.equal(200);
    expect((await stored()).days).to.deep.equal(goodSums);
  });

  it('survives a client that goes away in the middle of a request', async () => {
    await new Promise<void>((resolve) => {
      const sent = request({ port: receiver.port, host: '127.0.0.1', path: '/v1/metrics', method: 'POST' });
      sent.on('error', () => resolve());
      sent.setHeader('content-type', 'application/json');
      sent.write('{"resource', () => sent.destroy(new Error('gone')));
    });
    expect((await send(good)).status).to.equal(200);
  });

  it('continues the sums of an earlier run, and writes nothing once collecting has ended', async () => {
    await send(good);
    await receiver[Symbol.asyncDispose]();
    receiver = await startReceiver(folder(), 0, () => NOW + 60_000);
    await send({ body: claudeRequest({ output: 5 }, NOW + 60_000) });
    const both = { input: 12, output: 5, cache_read: 34, cache_write: 0 };
    expect((await stored()).days).to.deep.equal({ [TODAY]: { 'claude-code': both } });
    await deleteMetrics(folder());
    await send({ body: claudeRequest({ output: 6 }, NOW + 120_000) });
    await receiver.flush();
    expect(await readMetrics(folder())).to.equal(null);
  });

  it('writes nothing of what was deleted when collecting ends and begins again', async () => {
    await send(good);
    await receiver.flush();
    await send(good);
    await deleteMetrics(folder());
    await updateMetrics(folder(), () => ({ id: 'two', port: 0, received_at: null, days: {}, series: {} }));
    expect(await stored()).to.deep.include({ id: 'two', days: {}, received_at: null });
    await send({ body: claudeRequest({ output: 5 }, NOW + 60_000) });
    const later = { input: 0, output: 5, cache_read: 0, cache_write: 0 };
    expect((await stored()).days).to.deep.equal({ [TODAY]: { 'claude-code': later } });
  });

  it('says so when its port is taken', async () => {
    const failure = await failureOf(startReceiver(folder(), receiver.port, () => NOW));
    expect(failure).to.have.property('code', 'port_unavailable');
  });

  it('reports a damaged file instead of overwriting it', async () => {
    for (const damage of [{ days: { 1: { codex: { input: 'x' } } } }, { series: { a: 'b' } }, { port: 'x' }]) {
      const base = { id: 'one', port: 1_024, received_at: null, days: {}, series: {} };
      await deleteMetrics(folder());
      await updateMetrics(folder(), () => Object.assign(base, damage));
      expect(await failureOf(readMetrics(folder()))).to.have.property('code', 'file_damaged');
    }
  });
});
