import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { builtCli } from '../../support/built-cli.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { type RecordingService, startService } from '../../support/recording-service.ts';
import { useFolder } from '../../support/temporary-folder.ts';

/** An answer of the protocol, as far as these tests look at it. */
interface Answer {
  readonly result: {
    readonly serverInfo: { readonly name: string };
    readonly tools: ReadonlyArray<{ readonly name: string }>;
    readonly isError?: boolean;
    readonly content: ReadonlyArray<{ readonly text: string }>;
    readonly structuredContent: { readonly platforms: ReadonlyArray<{ readonly totals: object }> };
  };
}

const REMOTE_TOOL = { name: 'get_best_operator', description: 'Any.', inputSchema: { type: 'object' } };

describe('upsilon --mcp', () => {
  const home = useFolder();
  let service: RecordingService;
  let child: ChildProcessWithoutNullStreams;
  let next = 0;

  /** Asks over standard input and waits for the answer with the same id. */
  const ask = async (method: string, params: object = {}): Promise<Answer> => {
    next += 1;
    const id = next;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for await (const line of createInterface({ input: child.stdout })) {
      const answer: Answer & { readonly id: number } = JSON.parse(line);
      if (answer.id === id) return answer;
    }
    throw new Error('the server left without an answer');
  };
  const nextLine = async (): Promise<string> => {
    for await (const line of createInterface({ input: child.stdout })) return line;
    throw new Error('the server left without an answer');
  };
  let hasEndpoint = false;
  const open = async (withEndpoint: boolean): Promise<void> => {
    hasEndpoint = withEndpoint;
    service = await startService(({ path, body }) => {
      if (path === '/.well-known/mcp' && hasEndpoint) return { status: 200, body: { endpoint: `${origin()}/mcp` } };
      if (path === '/mcp') return { status: 200, body: { jsonrpc: '2.0', id: 1, result: remoteAnswer(body) } };
      if (path.startsWith('/api/v1/leaderboard')) return { status: 200, body: { entries: [] } };
      return { status: 404 };
    });
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: home(),
      USERPROFILE: home(),
      UPSILON_BASE_URL: service.baseUrl,
      UPSILON_TOKEN: 'a-secret-token',
    };
    child = spawn(process.execPath, [await builtCli(), '--mcp'], { env });
    const clientInfo = { name: 'test', version: '1' };
    const hello = await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    expect(hello.result.serverInfo.name).to.equal('upsilon');
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  };
  const origin = (): string => new URL(service.baseUrl).origin;

  afterEach(async () => {
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.end();
    expect(await closed).to.equal(0);
    // The endpoint is where the service says it is: nothing that identifies the operator goes there.
    expect(service.requests.filter(({ rawHeaders }) => rawHeaders.join().includes('a-secret-token'))).to.deep.equal([]);
    await service[Symbol.asyncDispose]();
  });

  it("passes the service's tools through, and adds the local one", async () => {
    await open(true);
    const { result } = await ask('tools/list');
    expect(result.tools.map(({ name }) => name)).to.deep.equal(['scan_usage', 'get_best_operator']);
    const called = await ask('tools/call', { name: 'get_best_operator', arguments: { window: '7d' } });
    expect(called.result.content[0]!.text).to.equal('called get_best_operator with {"window":"7d"}');
  });

  it('falls back to the public reads of a service without the endpoint', async () => {
    await open(false);
    const { result } = await ask('tools/list');
    expect(result.tools.map(({ name }) => name)).to.deep.equal(['scan_usage', 'get_leaderboard', 'get_operator']);
    const board = await ask('tools/call', { name: 'get_leaderboard', arguments: { limit: 3 } });
    expect(board.result.content[0]!.text).to.equal('{"entries":[]}');
    const unknown = await ask('tools/call', { name: 'get_operator', arguments: { codename: 'nobody' } });
    expect(unknown.result.isError).to.equal(true);
    hasEndpoint = true;
    const { result: later } = await ask('tools/list');
    expect(later.tools.map(({ name }) => name)).to.deep.equal(['scan_usage', 'get_best_operator']);
  });

  it('responds to a line that is not JSON as JSON-RPC requires, and goes on', async () => {
    await open(true);
    child.stdin.write('\nnot json\n');
    expect(JSON.parse(await nextLine())).to.deep.equal({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32_700, message: 'Parse error' },
    });
    expect((await ask('tools/list')).result.tools).to.have.length(2);
  });

  it("counts this machine's logs, and sends nothing", async () => {
    await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
    await open(true);
    const { result } = await ask('tools/call', { name: 'scan_usage', arguments: {} });
    const totals = { input: 10, output: 20, cache_read: 30, cache_write: 40 };
    expect(result.structuredContent.platforms[0]!.totals).to.deep.equal(totals);
    expect(service.requests).to.deep.equal([]);
    for (const wrong of [
      { platform: 'no such' },
      { platform: ['claude-code'] },
      { since: 5 },
      { until: '2026-05-01' },
    ]) {
      const { result: refused } = await ask('tools/call', { name: 'scan_usage', arguments: wrong });
      expect(refused.isError, JSON.stringify(wrong)).to.equal(true);
    }
  });
});

function remoteAnswer(body: string): object {
  const {
    method,
    params,
  }: { readonly method: string; readonly params: { readonly name: string; readonly arguments: object } } =
    JSON.parse(body);
  if (method === 'tools/list') return { tools: [REMOTE_TOOL] };
  return { content: [{ type: 'text', text: `called ${params.name} with ${JSON.stringify(params.arguments)}` }] };
}
