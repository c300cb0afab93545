/** A damaged part of what is stored. */
export interface Finding {
  readonly part: 'manifest' | 'base' | 'page' | 'segment' | 'topEntries' | 'history' | 'sample' | 'rollup';
  /** The part's own name in the store. */
  readonly name: string;
  /** What is wrong with it, as a clause for people. */
  readonly problem: string;
  /** The operator whose mark or carry it is. */
  readonly operator?: number;
}

/** What reading a part came to: null, with a finding, when it is gone or cannot be read. */
export async function readPart<T>(
  findings: Finding[],
  place: Pick<Finding, 'part' | 'name'>,
  read: () => Promise<T | null>,
): Promise<T | null> {
  try {
    const found = await read();
    if (found === null) findings.push({ ...place, problem: 'is not there' });
    return found;
  } catch (error) {
    findings.push({ ...place, problem: `cannot be read: ${error instanceof Error ? error.message : String(error)}` });
    return null;
  }
}
