import { expect } from 'chai';
import { readUsageReport, type UsageReport } from '../../../cli/src/imports/read-usage-report.ts';

const TODAY = '2026-05-20';
const COUNTS = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
const CCUSAGE = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 };

/** A day of tokscale with one client. */
function contribution(client: string, tokens: object): object {
  return { date: '2026-05-01', clients: [{ client, modelId: 'm', tokens }] };
}

/** A report of ccusage of one day. */
function reportOf(row: object): UsageReport {
  return readUsageReport({ daily: [{ ...CCUSAGE, ...row }] }, TODAY)!;
}

describe('a report of another tool', () => {
  it('of ccusage has the models of each agent of a day', () => {
    const models = [
      { modelName: 'm1', ...CCUSAGE },
      { modelName: 'm2', ...CCUSAGE },
    ];
    const agents = [
      { agent: 'claude', ...CCUSAGE, modelBreakdowns: models },
      { agent: 'codex', ...CCUSAGE, modelBreakdowns: [] },
    ];
    const report = reportOf({ period: '2026-05-01', agent: 'all', agents });
    const same = { day: '2026-05-01', counts: COUNTS };
    expect(report).to.include({ tool: 'ccusage', invalid: 0 });
    expect(report.usages).to.deep.equal([
      { ...same, platform: 'claude-code', model: 'm1' },
      { ...same, platform: 'claude-code', model: 'm2' },
      { ...same, platform: 'codex', model: null },
    ]);
  });

  it('of ccusage without agents is of the only one, or of Claude Code in old versions', () => {
    const one = reportOf({ period: '2026-05-01', agent: 'all', metadata: { agents: ['codex'] } });
    expect(one.usages[0]).to.include({ platform: 'codex' });
    const old = reportOf({ date: '2026-05-01', modelBreakdowns: [{ modelName: 'm', ...CCUSAGE }] });
    expect(old.usages[0]).to.include({ platform: 'claude-code', model: 'm' });
    // Whose counts are they?
    const several = reportOf({ period: '2026-05-01', agent: 'all', metadata: { agents: ['codex', 'claude'] } });
    expect(several.usages).to.deep.equal([]);
    expect([...several.leftOut]).to.deep.equal([['all', 1]]);
  });

  it('of tokscale has reasoning in the output', () => {
    const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 10 };
    const report = readUsageReport({ contributions: [contribution('codex', tokens)] }, TODAY)!;
    const counts = { ...COUNTS, output: 12 };
    expect(report.usages).to.deep.equal([{ day: '2026-05-01', platform: 'codex', model: 'm', counts }]);
  });

  it('leaves out tools that are counted otherwise, and entries that are no counts', () => {
    const tokens = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
    const contributions = [contribution('qwen', tokens), contribution('constructor', tokens)];
    expect([...readUsageReport({ contributions }, TODAY)!.leftOut.keys()]).to.deep.equal(['qwen', 'constructor']);
    const bad = [{ input: -1, output: 2 }, { input: 1.5, output: 2 }, { output: 2 }, { input: 2 ** 53, output: 1 }, {}];
    const report = readUsageReport({ contributions: bad.map((each) => contribution('claude', each)) }, TODAY)!;
    expect(report).to.deep.include({ invalid: bad.length, usages: [] });
    for (const date of ['May 1', '2026-02-30', '1950-01-01', '2026-05-21', '2200-01-01', '2026-13-01']) {
      expect(reportOf({ date }), date).to.deep.include({ invalid: 1, usages: [] });
    }
    expect(reportOf({ date: TODAY })).to.include({ invalid: 0 });
  });

  it('is nothing else', () => {
    for (const other of [null, [], {}, { session: [] }, 'daily', { daily: {} }]) {
      expect(readUsageReport(other, TODAY)).to.equal(null);
    }
  });
});
