/** A damaged part of what is stored. */
export interface Finding {
  readonly part:
    | 'manifest'
    | 'base'
    | 'page'
    | 'segment'
    | 'topEntries'
    | 'history'
    | 'sample'
    | 'rollup'
    | 'platforms';
  /** The part's id in the store. */
  readonly name: string;
  /** The problem, as a clause that follows the part's name. */
  readonly problem: string;
  /** The operator of a sample or rollup. */
  readonly operator?: number;
}

/** Reads a part; null, with a finding, when it is missing or unreadable. */
export async function readPart<T>(
  findings: Finding[],
  place: Pick<Finding, 'part' | 'name'>,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const found = await read();
    if (found === null) findings.push({ ...place, problem: 'is missing' });
    return found;
  } catch (error) {
    findings.push({ ...place, problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` });
    return null;
  }
}
