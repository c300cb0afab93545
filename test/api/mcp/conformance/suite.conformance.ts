import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { hasTool, startTool } from '../../../support/ci-tools.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import { openMcpApi } from '../open-mcp.ts';
import { serveFixtures } from './serve-fixtures.ts';

const BASELINE = fileURLToPath(new URL('baseline.yml', import.meta.url));

/** What the suite is asked for: the newest revision as it was frozen, and the one before. */
const REVISIONS = [
  ['2026-07-28', '--requirements'],
  ['2025-11-25', '--spec-version'],
] as const;

/** Scenarios that call no tool by name, and so can be run against the board's own tools. */
const ON_THE_BOARD = ['tools-list', 'ping', 'dns-rebinding-protection', 'http-header-validation', 'server-initialize'];

async function run(...args: string[]): Promise<string> {
  const { code, out, err } = await startTool('conformance', ['server', ...args]).ended;
  expect(code, out + err).to.equal(0);
  return out;
}

describe('MCP conformance suite: server', () => {
  if (!hasTool('conformance')) {
    leaveOut('tools', 'the tools are not installed (npm run tools)');
    return;
  }

  for (const [revision, option] of REVISIONS) {
    it(`passes what applies of ${revision}, and fails nothing that the baseline does not name`, async () => {
      await using served = await serveFixtures();
      const out = await run('--url', served.url, option, revision, '--expected-failures', BASELINE);
      expect(out).to.match(/Baseline check passed/);
      expect(Number(/Total: (\d+) passed/.exec(out)?.[1])).to.be.above(40);
    });
  }

  it('passes with the tools of the board, as far as it calls none', async () => {
    await using test = await openMcpApi();
    for (const scenario of ON_THE_BOARD) {
      const out = await run('--url', `${test.origin}/mcp`, '--scenario', scenario);
      expect(out, scenario).to.match(/Passed: [1-9]\d*\/\d+, 0 failed/);
    }
  });
});
