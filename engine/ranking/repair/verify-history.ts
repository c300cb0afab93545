import type { RankingContext } from '../context.ts';
import { type Finding, readPart } from './findings.ts';
import { compareBase, readStoredBase } from './stored-base-run.ts';

/** Reads every kept board that is not the present one and compares its two kinds of pages with each other. */
export async function verifyHistory(
  { stores }: RankingContext,
  onDone: (boards: number, of: number) => void = () => undefined,
): Promise<readonly Finding[]> {
  const manifest = await stores.board.read();
  const findings: Finding[] = [];
  const kept = (manifest?.history ?? []).filter(({ base }) => base !== manifest?.base);
  for (const [at, { base }] of kept.entries()) {
    onDone(at, kept.length);
    const own: Finding[] = [];
    const header = await readPart(own, { part: 'base', name: base }, () => stores.parts.base(base));
    if (header !== null) {
      const stored = await readStoredBase(stores.parts, header, own);
      if (own.length === 0) compareBase(stored, stored.byOperator, own);
    }
    findings.push(...own.map(({ name, problem }): Finding => ({ part: 'history', name, problem })));
  }
  return findings;
}
