import type { FileEntry, UsageStore } from './usage-store.ts';

/** Numbers of a file's sums: the four counts, in the order of `COUNT_FIELDS`, then these. */
export const SUM = { messages: 4, placeholders: 5, fields: 6 } as const;

/** What a store comes to, file by file: enough to report files that have not changed without a look at single usages. */
export interface UsageSummary {
  /** By number. Files that are gone stay listed. */
  readonly files: readonly FileEntry[];
  /**
   * `SUM.fields` numbers for each file: the usages that it was the last to tell of, added up. Each usage is in the sums of
   * one file, which is of the usage's platform.
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
    // What a placeholder looks like: an input of 0 or 1 though other tokens were counted.
    if (input <= 1 && output + cache_read + cache_write > 0) sums[at + SUM.placeholders]! += messages;
  });
  return { files, sums };
}
