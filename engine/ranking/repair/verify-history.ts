import type { RankingContext } from '../context.ts';
import { type Finding, readPart } from './findings.ts';
import { compareBase, readStoredBase } from './stored-base-run.ts';

/** Reads every kept board except the current one and compares its operator pages with its order pages. */
export async function verifyHistory(
  { stores }: RankingContext,
  onDone: (boards: number, of: number) => void = () => undefined,
): Promise<readonly Finding[]> {
  const manifest = await stores.board.read();
  const findings: Finding[] = [];
  const kept = (manifest?.history ?? []).filter(({ base }) => base !== manifest?.base);
  for (const [at, { base }] of kept.entries()) {
    onDone(at, kept.length);
    const problems: Finding[] = [];
    const header = await readPart(problems, { part: 'base', name: base }, () => stores.parts.base(base));
    if (header !== null) {
      const stored = await readStoredBase(stores.parts, header, problems);
      if (problems.length === 0) compareBase(stored, stored.byOperator, problems);
    }
    findings.push(...problems.map(({ name, problem }): Finding => ({ part: 'history', name, problem })));
  }
  return findings;
}
