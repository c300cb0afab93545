import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type ArchivePart, LINE_COLUMNS } from '../../contract/archive.ts';
import { readIn } from '../../contract/recompute.mjs';
import { type ArchiveRun, appendLink, onArchive, sha256Of, stagePart } from './chain.ts';

const dayOf = (file: string): string => file.slice(0, '2026-05-04'.length);

const decompress = promisify<Buffer, Buffer>(gunzip);

/** What follows the number in a line without its operator's numbers. */
const BLANK = `${',null'.repeat(LINE_COLUMNS.length - 1)}]`;

/**
 * Blanks the lines of erased operators in all archived days; the parts of a day that change are named by one signed amendment. A pass
 * that was cut off is completed by the next. At most one part is in memory.
 */
export const blankErasedLines = onArchive(async (run) => {
  const { operators, archiveLines } = run.context.stores;
  const erased = new Set(await operators.erasedNumbers());
  const files = await archiveLines.published();
  const damaged: string[] = [];
  for (const day of new Set(files.map(dayOf))) {
    const parts: ArchivePart[] = [];
    for (const file of files.filter((each) => dayOf(each) === day)) {
      await run.proceed();
      const blanked = await blankPart(run, file, erased);
      if (blanked === 'damaged') damaged.push(file);
      else if (blanked !== null) parts.push(blanked);
    }
    if (parts.length > 0) await appendLink(run, { type: 'amendment', day, parts });
  }
  if (damaged.length > 0) throw new Error(`not as they were signed, restore them: ${damaged.join(', ')}`);
});

/** Stages a part without the lines of erased operators; null when it has none, or was lost. What was not signed is not to be signed now. */
async function blankPart(
  run: ArchiveRun,
  file: string,
  erased: ReadonlySet<number>,
): Promise<ArchivePart | 'damaged' | null> {
  const part = await run.context.stores.archiveLines.part(file);
  if (part === null || !part.operators.some((operator) => erased.has(operator))) return null;
  const bytes = await readIn(run.target.dir)(file);
  if (bytes === null) return null;
  if (sha256Of(bytes) !== part.sha256) return 'damaged';
  const lines = (await decompress(bytes)).toString().split('\n');
  let blanked = 0;
  const left = part.operators.map((operator, at) => {
    if (!erased.has(operator)) return operator;
    lines[at] = lines[at]!.replace(/,.*/, BLANK);
    blanked += 1;
    return 0;
  });
  return { former_sha256: part.sha256, blanked, ...(await stagePart(run, file, [lines.join('\n')], left, part.until)) };
}
