import type { FileEntry, UsageStore } from './usage-store.ts';

/** Positions in a file's sums: the four counts, in the order of `COUNT_FIELDS`, then these. */
export const SUM = { messages: 4, placeholders: 5, fields: 6 } as const;

/** The sums of a store by file: enough to report unchanged files without reading single usages. */
export interface UsageSummary {
  /** By number. Includes deleted files. */
  readonly files: readonly FileEntry[];
  /**
   * `SUM.fields` numbers per file: the sum of the usages of which it has the last record. Each usage is in the sums of one
   * file, which is of the usage's platform.
   */
  readonly sums: Float64Array;
}

/** Adds up a store by file. */
export function summarize({ files, table }: UsageStore): UsageSummary {
  const sums = new Float64Array(files.length * SUM.fields);
  table.forEach(({ file, counts: { input, output, cache_read, cache_write }, messages }) => {
    const at = file * SUM.fields;
    sums[at]! += input;
    sums[at + 1]! += output;
    sums[at + 2]! += cache_read;
    sums[at + 3]! += cache_write;
    sums[at + SUM.messages]! += messages;
    // A suspected placeholder: an input of 0 or 1 although other tokens were counted.
    if (input <= 1 && output + cache_read + cache_write > 0) sums[at + SUM.placeholders]! += messages;
  });
  return { files, sums };
}
