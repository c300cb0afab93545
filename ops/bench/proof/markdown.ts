const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

/** A table in Markdown; the first row names the columns, and those whose names begin with `>` are right-aligned. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows;
  const rule = head.map((name) => (name.startsWith('>') ? '--:' : '---'));
  return [line(head.map((name) => name.replace(/^>/, ''))), `|${rule.join('|')}|`, ...body.map(line)].join('\n');
}

/** A number as people read it: thousands apart, three digits that matter. */
export function readable(value: number | null): string {
  if (value === null || Number.isNaN(value)) return 'unknown';
  const rounded = Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 4 });
}
