import { join } from 'node:path';
import { COUNT_FIELDS, type Counts, countsAt } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import { readPrivateFile } from '../files/private-files.ts';
import { isObject, parseJson } from '../json.ts';
import { PRICE_TABLE } from './price-table.ts';
import { totalOf } from './usage-rows.ts';

const MILLION = 1_000_000;

/** The highest price: with it the cost of the largest counts is a number that can be shown. */
const MAX_PRICE = MILLION;

/** Prices by model, in USD for a million tokens. */
export interface PriceList {
  /** The user's prices, from `path`, replace the built-in ones. */
  readonly own: ReadonlyMap<string, Counts>;
  readonly path: string;
  /** Null: no price is known. */
  readonly find: (model: string) => Counts | null;
}

/** What usage costs by the list. */
export interface Cost {
  /** In USD, of the models with a price; null when no model has one. */
  readonly usd: number | null;
  /** The models without a price that used tokens. */
  readonly unpriced: readonly string[];
}

/** The built-in prices and those of the user's file. Throws a `files` error when the file is not a price list. */
export async function openPrices(configDir: string): Promise<PriceList> {
  const path = join(configDir, 'prices.json');
  const own = readOwn(await readPrivateFile(path, 'state'), path);
  return {
    own,
    path,
    find: (model) => own.get(model) ?? own.get(shortModel(model)) ?? builtInPrices(shortModel(model)),
  };
}

export function builtInPrices(model: string): Counts | null {
  const prices = Object.hasOwn(PRICE_TABLE, model) ? PRICE_TABLE[model] : undefined;
  return prices === undefined ? null : countsAt(prices);
}

/** The cost of usage by model. */
export function costOf(models: ReadonlyMap<string, Counts>, { find }: PriceList): Cost {
  const unpriced: string[] = [];
  let millionths: number | null = null;
  for (const [model, counts] of models) {
    const prices = find(model);
    if (prices !== null) {
      millionths ??= 0;
      for (const field of COUNT_FIELDS) millionths += counts[field] * prices[field];
    } else if (totalOf(counts) > 0) unpriced.push(model);
  }
  return { usd: millionths === null ? null : millionths / MILLION, unpriced: unpriced.sort() };
}

/**
 * A model without the parts that do not change its price: a provider before it, and a date, version or context length after it.
 * Claude's versions have dots in some tools.
 */
export function shortModel(model: string): string {
  const name = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^((us|eu|apac|au|jp|global)\.)?anthropic\./, '')
    .replace(/\[[^\]]*\]$/, '')
    .replace(/(?<=-\d{8})-v\d+(:\d+)?$/, '')
    .replace(/[-@](\d{8}|\d{4}-\d{2}-\d{2}|latest|preview(-\d{2}-\d{2,4})?)$/, '');
  return name.startsWith('claude') ? name.replaceAll('.', '-') : name;
}

function readOwn(content: Buffer | undefined, path: string): ReadonlyMap<string, Counts> {
  if (content === undefined) return new Map();
  const value = parseJson(content.toString('utf8'));
  const wrong = (what: string): CliError => {
    const hint =
      'Its form, in USD for a million tokens:\n  {"model-name": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}}';
    return new CliError('files', 'prices_invalid', `${path}: ${what}`, hint);
  };
  if (!isObject(value)) throw wrong('not a JSON object');
  const entries = Object.entries(value).map(([model, prices]) => {
    const read = COUNT_FIELDS.map((field) => [field, isObject(prices) ? prices[field] : undefined] as const);
    const bad = read.find(([, price]) => typeof price !== 'number' || !(price >= 0 && price <= MAX_PRICE));
    if (bad !== undefined) throw wrong(`"${bad[0]}" of ${JSON.stringify(model)} is not a price`);
    return [model, countsAt(read.map(([, price]) => Number(price)))] as const;
  });
  return new Map(entries);
}
