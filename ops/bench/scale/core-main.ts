import {
  applySegment,
  buildBase,
  emptyOverlay,
  makeSegment,
  WINDOW_COUNT,
} from '../../../engine/ranking/core/board/index.ts';
import type { CoreCosts } from './core-costs.ts';

/** The board's mathematics alone over one field in memory, in a process of its own: `core-main.ts OPERATORS`. */
const operators = Number(process.argv[2] ?? 0);

const CHANGES = 1_000;
const ROUNDS = 5;

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

const table = new Float64Array(operators * WINDOW_COUNT);
for (let at = 0; at < table.length; at++) table[at] = Math.random() ** 4 * 1e6;
const { ms: sortMs, value: base } = timed(() => buildBase(table));
const { ms: pagesMs } = timed(() => {
  for (let window = 0; window < WINDOW_COUNT; window++) for (const page of base.orderPages(window)) void page.yields[0];
  for (const page of base.operatorPages()) void page.ranks[0];
});

let overlay = emptyOverlay;
const applied: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const chosen = new Set<number>();
  while (chosen.size < CHANGES) chosen.add(1 + Math.floor(Math.random() * (operators - 1)));
  const segment = makeSegment(
    [...chosen].map((operator) => {
      const before = table.slice(operator * WINDOW_COUNT, (operator + 1) * WINDOW_COUNT);
      const after = before.map((y) => y * (1 + Math.random()));
      table.set(after, operator * WINDOW_COUNT);
      return { operator, before, after };
    }),
  );
  const { ms, value } = timed(() => applySegment(overlay, segment));
  overlay = value;
  applied.push(ms);
}
const commitMs = applied.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
const result: CoreCosts = { operators, sortMs, pagesMs, commitMs, residentBytes: process.memoryUsage.rss() };
process.send?.(result, () => process.exit(0));
