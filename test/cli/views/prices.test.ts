import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { costOf, openPrices, shortModel } from '../../../cli/src/views/prices.ts';
import { failureOf } from '../support/parsing.ts';
import { useFolder } from '../support/temporary-folder.ts';

const MILLION = { input: 1e6, output: 1e6, cache_read: 1e6, cache_write: 1e6 };

describe('prices', () => {
  const folder = useFolder();
  const write = (value: unknown) => writeFile(join(folder(), 'prices.json'), JSON.stringify(value), { mode: 0o600 });

  it('are those of the list, for every name of a model', async () => {
    const { find } = await openPrices(folder());
    const sonnet = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
    const names = [
      'claude-sonnet-4-5',
      'claude-sonnet-4-5-20250929',
      'anthropic/claude-sonnet-4.5',
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'claude-sonnet-4-5@20250929',
      'claude-sonnet-4-5-20250929[1m]',
    ];
    for (const name of names) expect(find(name), name).to.deep.equal(sonnet);
    expect(find('gpt-5.3-codex')).to.include({ input: 1.75, cache_read: 0.175 });
    expect(find('gpt-5-2025-08-07')).to.include({ input: 1.25 });
  });

  it('are not guessed: of a model that only resembles a known one, none is known', async () => {
    const { find } = await openPrices(folder());
    for (const name of ['claude-sonnet-4-55', 'claude', 'gpt-5.3-codex-turbo', 'deepseek-v3', 'constructor', '']) {
      expect(find(name), name).to.equal(null);
    }
    expect(shortModel('deepseek-v3')).to.equal('deepseek-v3');
  });

  it('of the user replace those of the list and add to them', async () => {
    const own = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    await write({ 'claude-sonnet-4-5': own, 'test-model': own });
    const { find } = await openPrices(folder());
    expect(find('claude-sonnet-4-5-20250929')).to.deep.equal(own);
    expect(find('test-model')).to.deep.equal(own);
    expect(find('claude-haiku-4-5')).to.include({ input: 1, output: 5 });
  });

  it('give the cost of what has a price, and name what has none', async () => {
    const prices = await openPrices(folder());
    const cost = costOf(
      new Map([
        ['claude-opus-5', MILLION],
        ['x', MILLION],
      ]),
      prices,
    );
    expect(cost.usd).to.be.closeTo(5 + 25 + 0.5 + 6.25, 1e-9);
    expect(cost.unpriced).to.deep.equal(['x']);
    expect(costOf(new Map([['x', MILLION]]), prices)).to.deep.equal({ usd: null, unpriced: ['x'] });
    const nothing = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    expect(costOf(new Map([['x', nothing]]), prices)).to.deep.equal({ usd: null, unpriced: [] });
  });

  it('that are no prices are refused, with what is wrong', async () => {
    for (const bad of [{ m: { input: 1, output: 2, cache_read: -1, cache_write: 4 } }, { m: 3 }, { m: {} }, []]) {
      await write(bad);
      expect(await failureOf(openPrices(folder()))).to.include({ code: 'prices_invalid', exit: 'files' });
    }
    await write({ 'm\u001b[31m': { input: 1e308, output: 2, cache_read: 1, cache_write: 4 } });
    expect((await failureOf(openPrices(folder()))).message).to.include('"input" of "m\\u001b[31m" is not a price');
    await writeFile(join(folder(), 'prices.json'), '', { mode: 0o600 });
    expect(await failureOf(openPrices(folder()))).to.include({ code: 'prices_invalid', exit: 'files' });
  });
});
