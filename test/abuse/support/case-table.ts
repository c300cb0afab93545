/** What became of every case of an abuse run, a line each, for people. */
interface CaseTable {
  note(name: string, outcome: string): void;
  /** Writes the table to standard output. */
  print(): void;
}

export function createCaseTable(title: string): CaseTable {
  const rows: { readonly name: string; readonly outcome: string }[] = [];
  return {
    note: (name, outcome) => void rows.push({ name, outcome }),
    print() {
      const width = Math.max(0, ...rows.map(({ name }) => name.length));
      const lines = rows.map(({ name, outcome }) => `  ${name.padEnd(width)}  ${outcome}`);
      process.stdout.write(`\n  ${title}\n${lines.join('\n')}\n\n`);
    },
  };
}
