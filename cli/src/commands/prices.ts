import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import type { Command } from '../command-context.ts';
import { printable } from '../net/problem.ts';
import { COUNT_TITLES } from '../output/counts-table.ts';
import { type Column, columnsOf, fittingTable } from '../output/fitting-table.ts';
import { PRICE_TABLE, PRICES_AS_OF } from '../views/price-table.ts';
import { openPrices, shortModel } from '../views/prices.ts';
import { scanBuckets } from './usage-view.ts';

/** Shows the prices that costs are computed from, those of the used models first. Sends nothing. */
export const pricesCommand: Command = async (context) => {
  const { screen, settings } = context;
  const prices = await openPrices(settings.configDir);
  const buckets = await scanBuckets(context);
  const used = new Set(buckets.flatMap(({ origin: { model } }) => (model === null ? [] : shortModel(model))));
  const rows = [...new Set([...used, ...prices.own.keys(), ...Object.keys(PRICE_TABLE)])].map((model) => {
    const found = prices.find(model);
    const source = found === null ? null : prices.own.has(model) ? 'prices.json' : 'built in';
    return { model, used: used.has(model), source, prices: found };
  });
  const column = columnsOf(rows);
  const price = (field: keyof Counts): Column =>
    column(COUNT_TITLES[field], ({ prices: found }) => `${found?.[field] ?? '?'}`, { align: 'right' });
  const columns = [
    column('Model', ({ model }) => model, { cut: { atLeast: 12, keep: 'start' } }),
    ...COUNT_FIELDS.map(price),
    column('Used', (row) => (row.used ? 'yes' : ''), { drop: 1 }),
    column('From', ({ source }) => source ?? '?', { drop: 2 }),
  ];
  screen.print(fittingTable(columns, screen.columns, screen.paint));
  screen.print('');
  screen.printWrapped(
    `USD for a million tokens, ? where no price is known. Built-in list prices are of ${PRICES_AS_OF}, for short prompts ` +
      'and cache writes of five minutes. Prices are not sent, and do not affect the rank.',
  );
  const example = rows.find((row) => row.used && row.prices === null)?.model ?? rows[0]!.model;
  screen.printWrapped(`To add or replace prices, write ${prices.path}, for example:`);
  screen.print(
    `{${JSON.stringify(printable(example))}: {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}}`,
  );
  screen.result({ as_of: PRICES_AS_OF, path: prices.path, prices: rows });
  return 'ok';
};
