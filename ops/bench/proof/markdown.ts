const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** Formats a Markdown table; the first row is the header, and columns whose names begin with `>` are right-aligned. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((name) => (name.startsWith('>') ? '--:' : '---'));
  return [line(head.map((name) => name.replace(/^>/, ''))), `|${rule.join('|')}|`, ...body.map(line)].join('\n');
}

/** Formats a number for people: thousands separators, three significant digits. */
export function readable(value: number | null): string {
  if (value === null || Number.isNaN(value)) return 'unknown';
  const rounded = Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 4 });
}
