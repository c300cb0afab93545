/** At most `limit`: longest common prefix first, then fewest single-character edits, then code-unit order. */
export function nearestCodenames(wanted: string, candidates: readonly string[], limit: number): string[] {
  return candidates
    .map((codename) => ({ codename, shared: commonPrefixLength(wanted, codename), edits: edits(wanted, codename) }))
    .toSorted((a, b) => b.shared - a.shared || a.edits - b.edits || (a.codename < b.codename ? -1 : 1))
    .slice(0, limit)
    .map(({ codename }) => codename);
}

function commonPrefixLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

/** Levenshtein distance. */
function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
