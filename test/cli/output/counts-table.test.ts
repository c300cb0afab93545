import { expect } from 'chai';
import { countsTable } from '../../../cli/src/output/counts-table.ts';
import type { Paint } from '../../../cli/src/output/screen.ts';

const same = (text: string): string => text;
const PLAIN: Paint = { bold: same, dim: same, good: same, warn: same, bad: same };
const ROWS = [
  {
    platform: 'claude-code',
    totals: { input: 1_234_567, output: 0, cache_read: 9_007_199_254_740_991, cache_write: 0.5 },
  },
  { platform: 'other', totals: { input: 1, output: 22_222, cache_read: 3, cache_write: 4 } },
];

describe('the table of counts', () => {
  it('aligns a row for each platform, with thousands separators', () => {
    expect(countsTable(ROWS, 80, PLAIN).split('\n')).to.deep.equal([
      'Platform         Input  Output             Cache read  Cache write',
      'claude-code  1,234,567       0  9,007,199,254,740,991          0.5',
      'other                1  22,222                      3            4',
    ]);
  });

  it('shortens counts where a row would not fit', () => {
    expect(countsTable(ROWS, 60, PLAIN).split('\n')).to.deep.equal([
      'Platform     Input  Output   Read  Write',
      'claude-code  1.23M       0  9.01P    0.5',
      'other            1   22.2k      3      4',
    ]);
  });
});
