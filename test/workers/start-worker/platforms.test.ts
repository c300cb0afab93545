import { expect } from 'chai';
import { HOUR_MS } from '../../../config/units.ts';
import { eventually } from '../../support/eventually.ts';
import { rethrow } from '../../support/rethrow.ts';
import { type RunningService, runService } from '../../support/running-service.ts';

describe('a running service', () => {
  let service: RunningService;

  before(async () => {
    service = await runService();
  });

  after(() => service[Symbol.asyncDispose]());

  it('makes the boards of platforms by its schedule', async () => {
    const counts = { input: 10, output: 20, cache_read: 30, cache_write: 0 };
    const usage = [
      { ledger: 'ledger-one', platform: 'codex', epoch: 0, asOf: service.now - HOUR_MS, counts },
      { ledger: 'ledger-one', platform: 'gemini-cli', epoch: 0, asOf: service.now - HOUR_MS, counts },
    ];
    await service.ranking.operators.import([{ codename: 'two-tools', displayName: null, usage }]);
    expect(await service.ranking.rebuildBoard()).to.equal(true);
    const reader = await service.ranking.openBoardReader(rethrow);
    const request = { window: 'all_time', limit: 10, start: { offset: 0 }, at: null, platform: 'gemini-cli' } as const;
    const page = await eventually('the board of a platform', async () => {
      await reader.refresh();
      const found = await reader.page(request);
      return found.kind === 'page' && found.total > 0 && found;
    });
    await reader.close();
    expect(page.rows.map(({ codename, yield_ }) => [codename, yield_])).to.deep.equal([['two-tools', 6]]);
  });
});
