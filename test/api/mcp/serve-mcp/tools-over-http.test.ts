import { readFile, writeFile } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { processEnvironment } from '../../../../config/env.ts';
import { MCP_TOOL_NAMES, type McpToolName } from '../../../../engine/contract/index.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { connect, openMcpApi } from '../open-mcp.ts';

interface Call {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** What is asked of each tool; the answers are kept beside this test. */
const CALLS: Readonly<Record<McpToolName, readonly Record<string, unknown>[]>> = {
  get_leaderboard: [
    { limit: 3 },
    { window: '30d', limit: 2 },
    { window: '7d' },
    { window: 'week' },
    { offset: 45, limit: 3 },
    { around: 'FIELD-07', limit: 3 },
    { around: 'inputless' },
    { around: 'nobody-here' },
    { around: 'field-07', offset: 1 },
    { platform: 'codex' },
    { platform: 'codex', at: '2020-01-01' },
    { platform: 'abacus' },
    { at: '2020-01-01' },
    { at: 'yesterday' },
    { page: 2 },
  ],
  get_operator: [{ codename: 'FIELD-00' }, { codename: 'inputless' }, { codename: 'feild-00' }],
  discover_peers: [
    { codename: 'field-07', limit: 4 },
    { codename: 'field-07', by: 'platform', limit: 3 },
    { codename: 'field-07', by: 'cascade', limit: 3 },
    { codename: 'inputless' },
  ],
  get_best_operator: [
    {},
    { platform: 'codex', class_tier: 'SEEKER' },
    { platform: 'zed' },
    { platform: 'abacus' },
    { class_tier: 'ARCH+' },
  ],
  compare_operators: [
    { codenames: ['field-01', 'cacheless', 'field-02', 'inputless'] },
    { codenames: ['field-01', 'field-9', 'anchor'] },
    { codenames: ['field-01', 'Field-01'] },
    { codenames: ['field-01'] },
  ],
  describe_power_user: [{}, { class_tier: 'SEEKER' }, { class_tier: 'ARCH', window: '30d' }, { window: '7d' }],
  optimize_efficiency: [{ codename: 'field-07' }, { codename: 'cacheless' }, { codename: 'field-00', window: '7d' }],
};

/** Set to write what the tools answer now, to be read before it is committed. */
const updating = processEnvironment()['UPDATE_GOLDEN'] === '1';

const golden = (name: string): URL => new URL(`../golden/${name}.json`, import.meta.url);

describe('mcp: tools over HTTP', () => {
  const test = useFixture(openMcpApi);

  for (const mode of ['auto', 'legacy'] as const) {
    describe(mode === 'auto' ? 'by the stateless revision' : 'by a revision with a handshake', () => {
      const client = useFixture(() => connect(test(), mode));

      it('speaks it', () => {
        expect(client().getProtocolEra()).to.equal(mode === 'auto' ? 'modern' : 'legacy');
      });

      it('lists the seven tools with schemas and honest hints', async () => {
        const { tools } = await client().listTools();
        expect(tools.map(({ name }) => name)).to.deep.equal([...MCP_TOOL_NAMES]);
        for (const tool of tools) {
          expect(tool.inputSchema['type'], tool.name).to.equal('object');
          expect(tool.outputSchema?.['type'], tool.name).to.equal('object');
          expect(tool.description?.length, tool.name).to.be.above(100);
          expect(tool.annotations).to.include({ readOnlyHint: true, openWorldHint: false });
        }
      });

      for (const name of MCP_TOOL_NAMES) {
        it(`answers ${name} as written down`, async () => {
          const answers = [];
          for (const given of CALLS[name]) answers.push(await transcript(client(), { name, arguments: given }));
          if (updating) await writeFile(golden(name), `${JSON.stringify(answers, null, 2)}\n`);
          expect(answers).to.deep.equal(JSON.parse(await readFile(golden(name), 'utf8')));
        });
      }
    });
  }
});

async function transcript(client: Client, call: Call) {
  const { content, structuredContent = null, isError = false } = await client.callTool(call);
  const text = content.map((block) => (block.type === 'text' ? block.text.split('\n') : block.type));
  return { arguments: call.arguments, isError, text: text.flat(), structuredContent };
}
