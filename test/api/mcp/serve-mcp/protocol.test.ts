import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { expect } from 'chai';
import { RATE_POLICIES } from '../../../../api/http/rate-limit/rate-policy.ts';
import { TEST_SETTINGS } from '../../../support/api-context.ts';
import { type TestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { connect, openMcpApi } from '../open-mcp.ts';

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_leaderboard', arguments: {} } };

/** Sends what fetch refuses to send, such as another Host. */
function send(
  test: TestApi,
  options: {
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Record<string, string>;
    readonly body?: unknown;
  } = {},
): Promise<Answered> {
  const { method = 'POST', path = '/mcp', headers = {}, body } = options;
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${test.origin}${path}`, { method, headers: { ...usual, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const { statusCode: status = 0 } = response;
        resolve({ status, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function errorOf({ text }: Answered): { readonly code?: number; readonly message?: string } {
  const { error, id, jsonrpc } = JSON.parse(text);
  expect({ id, jsonrpc }).to.deep.equal({ id: null, jsonrpc: '2.0' });
  return error;
}

async function failing(): Promise<never> {
  throw new Error('mongodb://user:secret@host');
}

describe('mcp: the endpoint', () => {
  const test = useFixture(openMcpApi);

  it('answers a call of the leaderboard as before under another id, until the board changes, and keeps no error', async () => {
    const call = (id: unknown, args: object, name = 'get_leaderboard') =>
      send(test(), { body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } } });
    const [first, second] = [await call(1, { limit: 2 }), await call('the "second"', { limit: 2 })];
    expect(second.text)
      .to.equal(first.text.replace('"id":1', String.raw`"id":"the \"second\""`))
      .and.not.equal(first.text);
    expect(second.headers['content-type']).to.equal(first.headers['content-type']);
    expect(second.headers['ratelimit']).to.not.equal(first.headers['ratelimit']);
    expect((await call(1, { limit: 3 })).text).to.not.equal(first.text);
    expect((await call(2, { limit: 0 })).text)
      .to.include('"isError":true')
      .and.include('"id":2');
    expect((await call(3, { limit: 0 })).text).to.include('"id":3');
    const version = /"board_version":(\d+)/;
    await test().ranking.rebuildBoard();
    await test().publish();
    const after = await call(1, { limit: 2 });
    expect(version.exec(after.text)?.[1]).to.not.equal(version.exec(first.text)?.[1]);
  });

  it('counts each bad token, as every route does, and answers as without one', async () => {
    const { limiter } = test().api.ctx;
    const left = () => limiter.peek('failures', '127.0.0.1').remaining;
    const before = left();
    for (const token of ['eyJhbGciOiJub25lIn0.e30.', 'upat_guessed', 'x']) {
      const { status } = await send(test(), { body: LIST, headers: { authorization: `Bearer ${token}` } });
      expect(status).to.equal(200);
    }
    expect(before - left()).to.equal(3);
  });

  it('takes an Accept header of any type, or none, and leads from its address with a slash', async () => {
    for (const headers of [{ accept: '*/*' }, { accept: 'text/html, */*;q=0.8' }] as const) {
      expect((await send(test(), { headers, body: LIST })).status).to.equal(200);
    }
    expect((await send(test(), { headers: { accept: 'text/html' }, body: LIST })).status).to.equal(406);
    const moved = await send(test(), { path: '/mcp/', body: LIST });
    expect([moved.status, moved.headers['location']]).to.deep.equal([308, '/mcp']);
    expect((await send(test(), { path: '/mcp/', method: 'GET' })).headers['location']).to.equal('/mcp');
  });

  it('refuses a foreign Host, takes its own and those of this machine, and is open to pages of any Origin', async () => {
    for (const [host, origin, status] of [
      ['rebound.example', undefined, 403],
      ['rebound.example:3000', 'http://rebound.example:3000', 403],
      ['upsilon.test', 'https://inspector.example', 200],
      ['upsilon.test', 'null', 200],
      ['upsilon.test', undefined, 200],
      ['upsilon.test:8080', 'http://upsilon.test', 200],
      ['localhost:3000', 'http://localhost:6274', 200],
      ['[::1]:3000', undefined, 200],
    ] as const) {
      const headers = { host, ...(origin === undefined ? {} : { origin }) };
      const answered = await send(test(), { headers, body: LIST });
      expect(answered.status, `${host} ${origin}`).to.equal(status);
      if (status === 403) expect(errorOf(answered).code).to.equal(-32_000);
      expect(answered.headers['access-control-allow-origin']).to.equal(status === 200 ? '*' : undefined);
      expect(answered.headers['access-control-allow-credentials']).to.equal(undefined);
    }
  });

  it('answers the preflight of a page of any Origin', async () => {
    const { status, headers } = await send(test(), {
      method: 'OPTIONS',
      headers: { origin: 'https://inspector.example' },
    });
    expect(status).to.equal(204);
    expect(headers['access-control-allow-origin']).to.equal('*');
    expect(headers['access-control-allow-methods']).to.equal('POST, OPTIONS');
    expect(headers['access-control-allow-headers']).to.include('MCP-Protocol-Version');
  });

  it('has no sessions to read or end', async () => {
    for (const method of ['GET', 'DELETE', 'TRACE']) {
      const { status, headers } = await send(test(), { method });
      expect([status, headers['allow']], method).to.deep.equal([405, 'POST, OPTIONS']);
      expect(headers['mcp-session-id']).to.equal(undefined);
    }
  });

  it('refuses bodies that are too large, of another type, or no JSON', async () => {
    const large = await send(test(), { body: { ...LIST, params: { pad: 'x'.repeat(20_000) } } });
    expect(large.status).to.equal(413);
    errorOf(large);
    const typed = await send(test(), { headers: { 'content-type': 'text/plain' }, body: LIST });
    expect(typed.status).to.equal(415);
    for (const body of ['{"jsonrpc":', '{"a":1,"a":2}', `${'['.repeat(40)}${']'.repeat(40)}`]) {
      const answered = await send(test(), { body });
      expect(answered.status, body).to.equal(400);
      expect(errorOf(answered).code, body).to.equal(-32_700);
    }
    const empty = await send(test(), { body: 'null' });
    expect(empty.status).to.equal(400);
  });

  it('knows no tools by the names that every object has', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'no_such_tool'];
    for (const name of names) {
      const { text } = await send(test(), { body: { ...CALL, params: { name, arguments: {} } } });
      // The SDK looks tools up in a plain object: those names are disabled ones to it.
      expect(text, name).to.match(new RegExp(`"error":{"code":-32602,"message":"Tool ${name} (not found|disabled)"}`));
    }
  });

  it('takes batches of older revisions, but no long ones', async () => {
    const headers = { 'mcp-protocol-version': '2025-03-26' };
    const short = await send(test(), { headers, body: [LIST, CALL] });
    expect(short.status).to.equal(200);
    expect(short.text).to.include('get_best_operator').and.to.include('field-35');
    const long = await send(test(), { headers, body: Array.from({ length: 11 }, () => CALL) });
    expect(long.status).to.equal(400);
  });

  it('is counted in the metrics under one name', async () => {
    test().answered.length = 0;
    await send(test(), { body: CALL });
    expect(test().answered).to.deep.equal([{ route: 'mcp', method: 'POST', status: 200 }]);
  });
});

describe('mcp: limits and faults', () => {
  it('counts calls under their own policy, each message of a batch for itself', async () => {
    const rates = { ...RATE_POLICIES, mcp: { ...RATE_POLICIES.mcp, quota: 5 } };
    await using test = await openMcpApi({ settings: { rates } });
    const first = await send(test, { body: CALL });
    expect(first.headers).to.include({ 'ratelimit-limit': '5', 'ratelimit-remaining': '4' });
    const batch = await send(test, { body: [CALL, CALL, CALL] });
    expect(batch.headers).to.include({ 'ratelimit-remaining': '1' });
    const over = await send(test, { body: [CALL, CALL] });
    expect(over.status).to.equal(429);
    const refused = await send(test, { body: CALL });
    expect(refused.status).to.equal(429);
    expect(refused.headers).to.include({ 'retry-after': '60', ratelimit: '"mcp";r=0;t=60' });
    expect(errorOf(refused)).to.deep.include({ code: -32_029, data: { retry_after_seconds: 60 } });
  });

  it('tells a model that the fault is not its own, and nothing of the fault', async () => {
    await using test = await openMcpApi({ context: ({ board }) => ({ board: { ...board, withBoardView: failing } }) });
    const body = { ...CALL, params: { name: 'get_operator', arguments: { codename: 'field-00' } } };
    const answered = await send(test, { body });
    expect(answered.status).to.equal(200);
    expect(answered.text).to.include('make the same call again').and.to.include('"isError":true');
    expect(answered.text).not.to.include('secret');
  });

  it('runs a few calls at a time, lets some wait in turn, and refuses those that there is no room for', async () => {
    const gate = new EventEmitter();
    const opened = once(gate, 'open');
    let running = 0;
    await using test = await openMcpApi({
      settings: { rates: { ...RATE_POLICIES, mcp: { ...RATE_POLICIES.mcp, quota: 100 } } },
      context: ({ board }) => ({
        board: {
          ...board,
          async withBoardView(query) {
            running += 1;
            await opened;
            return board.withBoardView(query);
          },
        },
      }),
    });
    const params = { name: 'get_operator', arguments: { codename: 'field-00' } };
    const answers = Array.from({ length: 73 }, (_, id) => send(test, { body: { ...CALL, id, params } }));
    expect((await Promise.race(answers)).text)
      .to.include('this one was not run')
      .and.to.include('"isError":true');
    expect(running).to.equal(8);
    gate.emit('open');
    const refused = (await Promise.all(answers)).filter(({ text }) => text.includes('"isError":true'));
    expect(refused).to.have.length(1);
    expect(running).to.equal(72);
  });

  it('is at the website alone when the parts have hosts of their own', async () => {
    const settings = {
      baseUrl: 'http://api.upsilon.test/api/v1',
      siteUrl: 'http://www.upsilon.test',
      loginUrl: 'http://login.upsilon.test',
      authUrl: 'http://auth.upsilon.test',
    };
    await using test = await openMcpApi({ settings });
    const statusAt = async (host: string): Promise<number> =>
      (await send(test, { headers: { host }, body: LIST })).status;
    expect(await statusAt('www.upsilon.test')).to.equal(200);
    expect(await statusAt('api.upsilon.test')).to.equal(404);
    expect(await statusAt('login.upsilon.test')).to.equal(404);
    expect(await statusAt('elsewhere.test')).to.equal(403);
  });
});

describe('mcp: being found', () => {
  const test = useFixture(openMcpApi);

  async function read(path: string): Promise<{ readonly type: string; readonly json: Record<string, unknown> }> {
    const response = await fetch(`${test().origin}${path}`);
    expect(response.status, path).to.equal(200);
    expect(response.headers.get('access-control-allow-origin'), path).to.equal('*');
    expect(response.headers.get('etag'), path).to.match(/^(W\/)?"[^"]+"$/);
    return { type: response.headers.get('content-type') ?? '', json: JSON.parse(await response.text()) };
  }

  it('names its address, its revisions and its tools', async () => {
    const { type, json } = await read('/.well-known/mcp');
    expect(type).to.equal('application/json; charset=utf-8');
    expect(json).to.include({ endpoint: `${TEST_SETTINGS.siteUrl}/mcp`, name: 'test.upsilon/leaderboard' });
    expect(json['protocol_versions']).to.include.members(['2026-07-28', '2025-11-25']);
    expect(json['tools']).to.have.length(7);
    expect((await read('/.well-known/mcp.json')).json).to.deep.equal(json);
  });

  it('is in the catalog, which leads to the card, which leads to the address', async () => {
    const catalog = await read('/.well-known/ai-catalog.json');
    expect(catalog.type).to.include('application/ai-catalog+json');
    const url = `${TEST_SETTINGS.siteUrl}/mcp/server-card`;
    expect(catalog.json).to.have.nested.property('entries[0].url', url);
    const card = await read('/mcp/server-card');
    expect(card.type).to.include('application/mcp-server-card+json');
    expect(card.json).to.have.nested.property('remotes[0].url', `${TEST_SETTINGS.siteUrl}/mcp`);
    expect(card.json).not.to.have.property('tools');
    expect(card.json['description']).to.match(/^.{1,100}$/);
    expect((await read('/.well-known/mcp/server-card.json')).json).to.deep.equal(card.json);
    expect((await read('/.well-known/mcp/catalog.json')).json).to.deep.equal(catalog.json);
  });
});

describe('mcp: streams that wait', () => {
  it('promise no events, because the tools never change, and end by themselves: none is left open', async () => {
    await using test = await openMcpApi();
    const client = await connect(test, 'auto');
    const { honoredFilter, closed } = await client.listen({ toolsListChanged: true });
    expect(honoredFilter).to.deep.equal({});
    expect(await closed).to.equal('graceful');
    await client.close();
  });
});
