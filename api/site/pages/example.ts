import { readableDay } from '../../../config/units.ts';
import { type Counts } from '../../../engine/contract/signing/index.ts';
import { m, text } from '../render/inline.ts';
import { readable, readableScore } from '../render/numbers.ts';
import { facts, heading, type Part, prose, section } from '../render/parts.ts';
import { yieldFormula } from './formula.ts';

/** Four counts of a day, on the home page and in the methodology. */
export const EXAMPLE: Counts = { input: 2_580, output: 53_970, cache_read: 430_500, cache_write: 210_000 };

/** What a million tokens cost by the vendor's list; a test holds them against the tool's table of prices. */
export const EXAMPLE_PRICE = {
  model: 'Claude Opus 5.5',
  input: 4,
  cache_read: 0.2,
  at: Date.UTC(2026, 10, 23),
} as const;

/** What a Yield comes of, and what it saves. */
export function examplePart(): Part {
  const { input, output, cache_read: read, cache_write: written } = EXAMPLE;
  const { model, at, ...price } = EXAMPLE_PRICE;
  const cost = (perMillion: number): string => `$${((read * perMillion) / 1_000_000).toFixed(2)}`;
  return section(
    'example',
    heading(2, 'One day, as an example', 'example'),
    yieldFormula(readableScore((read * output) / (input * input))),
    facts(
      [
        ['input', text(readable(input))],
        ['output', text(readable(output))],
        ['cache read', text(readable(read))],
        ['cache write', text(readable(written))],
      ],
      'sums',
    ),
    prose(
      m`For each token of input, **${readableScore(read / input)}** came from the cache and **${readableScore(output / input)}** were written; Yield is their product. Without the cache, these ${readable(read)} tokens would have cost **${cost(price.input)}** instead of **${cost(price.cache_read)}** (${model}, list prices of ${readableDay(at)}).`,
    ),
  );
}
