import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mcpFixture } from '../../support/mcp-field.ts';
import { openTestApi, TEST_NOW, type TestApi, type TestApiOptions } from '../../support/test-api.ts';
import { UNPACED } from '../../support/unpaced.ts';

/** An api whose board is the fixed field. */
export async function openMcpApi(options: TestApiOptions = {}): Promise<TestApi> {
  const test = await openTestApi(options);
  await test.ranking.operators.import(mcpFixture(TEST_NOW));
  await test.ranking.rebuildBoard();
  await test.ranking.platforms.rank(undefined, UNPACED);
  await test.publish();
  return test;
}

/** The official client, connected; `legacy` opens with the handshake of the revisions before 2026-07-28. */
export async function connect(test: TestApi, mode: 'legacy' | 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${test.origin}/mcp`)));
  return client;
}
