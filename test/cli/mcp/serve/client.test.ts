import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import { builtCli } from '../../support/built-cli.ts';
import { assistantLine, writeLog } from '../../support/log-lines.ts';
import { type RecordingService, startService } from '../../support/recording-service.ts';
import { useFolder } from '../../support/temporary-folder.ts';

/** The service's tools, by the contract's names. */
const SERVICE_TOOLS = [
  'get_leaderboard',
  'get_operator',
  'discover_peers',
  'get_best_operator',
  'compare_operators',
  'describe_power_user',
  'optimize_efficiency',
];

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly name: string; readonly arguments: object };
}

describe('upsilon --mcp, with the official client', () => {
  const home = useFolder();
  let service: RecordingService;
  let client: Client;

  /** `mode` legacy: the client starts a session as it was done before; else it asks for the newest revision first. */
  const connect = async (mode: 'legacy' | 'auto'): Promise<void> => {
    service = await startService(({ path, body }) => {
      if (path === '/.well-known/mcp')
        return { status: 200, body: { endpoint: new URL('/mcp', service.baseUrl).href } };
      return path === '/mcp' ? { status: 200, body: answerTo(JSON.parse(body)) } : { status: 404 };
    });
    client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [await builtCli(), '--mcp'],
        env: { PATH: process.env['PATH'] ?? '', HOME: home(), USERPROFILE: home(), UPSILON_BASE_URL: service.baseUrl },
      }),
    );
  };

  afterEach(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
  });

  for (const [mode, revision] of [
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const) {
    it(`lists and calls every tool, the local one among them (${revision})`, async () => {
      await writeLog(home(), '.claude/projects/p/one.jsonl', [assistantLine({ id: 'a', request: 'r' })]);
      await connect(mode);
      expect(client.getNegotiatedProtocolVersion()).to.equal(revision);
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal(['scan_usage', ...SERVICE_TOOLS]);
      for (const name of SERVICE_TOOLS) {
        const { content } = await client.callTool({ name, arguments: { any: name } });
        expect(content).to.deep.equal([{ type: 'text', text: `${name} {"any":"${name}"}` }]);
      }
      const scanned = await client.callTool({ name: 'scan_usage', arguments: { platform: 'claude-code' } });
      expect(scanned.isError ?? false).to.equal(false);
      expect(JSON.stringify(scanned.structuredContent)).to.include('"input":10,"output":20');
    });
  }
});

function answerTo({ id, method, params }: Asked): object {
  const inputSchema = { type: 'object' };
  const result =
    method === 'tools/list'
      ? { tools: SERVICE_TOOLS.map((name) => ({ name, description: 'Any.', inputSchema })) }
      : { content: [{ type: 'text', text: `${params.name} ${JSON.stringify(params.arguments)}` }] };
  return { jsonrpc: '2.0', id, result };
}
