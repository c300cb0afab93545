import { MIB } from '../../../config/units.ts';
import { type Figure, isMet } from './bench.ts';

/** Milliseconds and mebibytes in a table. */
export const ms = (value: number): string => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const mib = (bytes: number): string => `${(bytes / MIB).toFixed(0)} MiB`;

/** A figure's cells for people: name, value, ratio with its peer, bounds, and whether they are met. */
export function figureCells(shown: Figure): readonly [string, string, string, string, string] {
  const { name, value, unit, ratio, peer, atLeast, atMost } = shown;
  const bounds = [
    ...(atLeast === undefined ? [] : [`≥ ${readable(atLeast)}`]),
    ...(atMost === undefined ? [] : [`≤ ${readable(atMost)}`]),
  ];
  const met = isMet(shown);
  return [
    name,
    `${readable(value)} ${unit}`,
    ratio === null ? '' : `${readable(ratio)} ${peer}`,
    bounds.join(' '),
    met === null ? '' : met ? 'met' : 'MISSED',
  ];
}

function readable(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 4 });
}

export const operatorsText = (count: number): string => `${count.toLocaleString('en-US')} operators`;

const NUMERIC = /^[-+]?[\d,.]+(?:\s?(?:%|x|us|ms|s|\/s|KiB|MiB|GiB))?$/;

/** Formats a table for a terminal: the first row is the header; numeric columns are right-aligned. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, index) => (widths[index] = Math.max(widths[index] ?? 0, cell.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => {
        const right =
          index > 0 && rows.slice(1).every((other) => NUMERIC.test(other[index] ?? '') || other[index] === '');
        return right ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
      })
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = rows;
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}
