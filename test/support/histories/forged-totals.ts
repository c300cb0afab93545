import { HOUR_MS } from '../../../config/units.ts';
import { MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { altered, CLAUDE, CODEX, type Forgeries, type Forgery, type Four, forgery, together } from './forge.ts';
import { PRESENT } from './history.ts';
import { SOURCE_MODELS } from './source-models.ts';

/** One snapshot. */
const once = (counts: Four, beyond: Forgery['beyond'] = null, platform = CLAUDE): Forgery =>
  forgery(beyond, ({ send }) => send([[0, counts]]), platform);

/** A Yield that wins: a context full of reads and a long answer for each token of input. */
const PERFECT: Four = [2_000, 4e6, 2e9, 5e7];

/** One snapshot of so many output tokens in each hour since the tool's release. */
function sinceRelease(outputAnHour: number, beyond: Forgery['beyond']): Forgery {
  const output = outputAnHour * Math.floor((PRESENT - SOURCE_MODELS[0]!.since) / HOUR_MS);
  return once([Math.round(output / 50), output, Math.min(output * 60, MAX_COUNT), output], beyond);
}

/** An honest series with its fields in other places: the index of the field that each becomes. */
const swapped = (platform: string, [input, output, reads, writes]: Four): Forgery =>
  forgery(
    null,
    ({ honest }) =>
      altered(honest('past-days-then-daily').submissions, (counts) => [
        counts[input]!,
        counts[output]!,
        counts[reads]!,
        counts[writes]!,
      ]),
    platform,
  );

const WITHOUT_WRITES = ['codex', 'gemini-cli', 'qwen-code', 'kimi'];

/** Forgeries that show in totals alone. */
export const FORGED_TOTALS: Forgeries = {
  fractions: once([0.001, 0.5, 1_000_000.5, 0], 'arithmetic'),
  'one-input-100k-reads': once([1, 1_000, 1e5, 0]),
  'one-input-2m-reads': once([1, 1_000, 1.9e6, 0]),
  'one-input-1g-reads': once([1, 1_000, 1e9, 0], 'physics'),
  'one-input-1t-reads': once([1, 1_000, 1e12, 0], 'physics'),
  'one-input-longest-output': once([1, 128_000, 1e6, 0]),
  'three-input-one-good-turn': once([3, 2_000, 180_000, 20_000]),
  'hundreds-of-input': once([200, 2e5, 1.8e8, 1e6]),
  'thousands-of-input': once(PERFECT),
  'million-of-input': once([1e6, 2e9, 1e12, 1e10]),
  'largest-counts': once([MAX_COUNT, MAX_COUNT, MAX_COUNT, MAX_COUNT], 'physics'),
  'largest-counts-one-input': once([1, MAX_COUNT, MAX_COUNT, MAX_COUNT], 'physics'),
  'largest-reads-1g-input': once([1e9, 9e15, 9e15, 0], 'physics', CODEX),
  'usual-ratios-quadrillions': once([8e14, 1e14, 8e15, 0], 'physics', CODEX),
  'full-speed-since-release': sinceRelease(4.3e6, null),
  'beyond-machines-since-release': sinceRelease(1e10, 'physics'),
  'output-without-input': once([0, 1e6, 0, 0], 'arithmetic'),
  'reads-without-input': once([0, 0, 1e9, 0], 'arithmetic'),
  'everything-without-input': once([0, 1e6, 1e9, 1e8], 'arithmetic'),
  'reads-without-output': once([1e4, 0, 1e9, 1e7]),
  'reads-without-writes': once([1e4, 1e6, 1e9, 0]),
  'reads-of-ten-writes': once([1e4, 1e6, 1e9, 10]),
  'reads-without-writes-few-input': once([50, 1e5, 5e7, 0]),
  'input-as-writes': once([0, 5e6, 8e8, 6e7], 'arithmetic', CODEX),
  'input-mostly-as-writes': once([1_000, 5e6, 8e8, 6e7], null, CODEX),
  'swapped-input-and-output': swapped('codex', [1, 0, 2, 3]),
  'swapped-output-and-reads': swapped('codex', [0, 2, 1, 3]),
  'swapped-input-and-writes': swapped('amp', [3, 1, 2, 0]),
  'rotated-fields': swapped('kimi', [1, 2, 0, 3]),
  ...Object.fromEntries(
    WITHOUT_WRITES.flatMap((platform) => [
      [`${platform}-with-leverage-5k`, once([1e5, 4e6, 5e8, 0], null, platform)],
      [`${platform}-with-leverage-1m`, once([1e5, 4e6, 1e11, 0], null, platform)],
    ]),
  ),
  'writes-of-a-source-without': once([1e5, 1e6, 1e9, 1e7], null, 'gemini-cli'),
  'unknown-platform': once(PERFECT, null, 'moon-code'),
  'lookalike-platform': once(PERFECT, null, 'claude_code'),
  'other-platform': once(PERFECT, null, 'other'),
  'unspecified-platform': once(PERFECT, null, 'unspecified'),
  'every-platform': forgery(null, ({ send }) =>
    SOURCE_MODELS.flatMap(({ platform }) => send([[0, [500, 1e5, 2e8, 0]]], { platform })),
  ),
  'thirty-invented-platforms': forgery(null, ({ send }) =>
    together(30, (index) => send([[0, [20, 1e4, 1e7, 0]]], { platform: `agent-${index}` })),
  ),
};
