import { dirname, join } from 'node:path';
import { type ArchiveLink, blankLine, PART_LINES } from '../../contract/archive.ts';
import type { RankingContext } from '../context.ts';
import { linesOf, sha256OfFile, stagePart } from './archive-files.ts';
import { type ArchiveTarget, appendLink, withArchive } from './chain.ts';

/** The last day whose lines a pass has blanked; empty after a complete one. */
const PROGRESS = 'archive.blanked';

type Change = Extract<ArchiveLink, { type: 'upsilon_archive_amendment' }>['changes'][number];

/**
 * Blanks the lines of erased operators in all archived days; the parts of a day that change are named by one signed amendment. A pass
 * that was cut off goes on at its day, and each step can be repeated. At most one part is in memory.
 */
export async function blankErasedLines(
  context: RankingContext,
  target: ArchiveTarget,
  signal?: AbortSignal,
): Promise<void> {
  const { archiveLines, operators, progress } = context.stores;
  await withArchive(context, target, async (settled) => {
    const erased = new Set(await operators.erasedNumbers());
    const after = await progress.read(PROGRESS);
    const files = await archiveLines.filesUntil(settled.day ?? '', after === null ? '' : `${after}0`);
    const damaged: string[] = [];
    let head = settled;
    for (const day of new Set(files.map(dirname))) {
      signal?.throwIfAborted();
      const blanked = [];
      for (const file of files.filter((each) => dirname(each) === day)) {
        const part = await blankPart(context, target, file, erased);
        if (part === 'damaged') damaged.push(file);
        else if (part !== null) blanked.push({ file, ...part });
      }
      const changes = blanked.flatMap(({ change }) => change ?? []);
      if (changes.length > 0) {
        head = await appendLink(context, target, head, { type: 'upsilon_archive_amendment', day, changes });
      }
      for (const { file, left } of blanked) await archiveLines.forget(file, left);
      await progress.write(PROGRESS, day);
    }
    await progress.write(PROGRESS, '');
    if (damaged.length > 0) throw new Error(`not as they were signed, restore them: ${damaged.join(', ')}`);
  });
}

/**
 * Stages a part without the lines of erased operators; null when it has none, `damaged` when it is not what was signed, which is not to be
 * signed again. `left`: whose the other lines are. The change is null where a pass that was cut off had blanked them.
 */
async function blankPart(
  { stores: { archiveLines }, failpoint }: RankingContext,
  { dir }: ArchiveTarget,
  file: string,
  erased: ReadonlySet<number>,
): Promise<{ readonly left: Uint32Array; readonly change: Change | null } | 'damaged' | null> {
  const part = await archiveLines.part(file);
  if (part === null || !part.operators.some((operator) => erased.has(operator))) return null;
  const left = part.operators.map((operator) => (erased.has(operator) ? 0 : operator));
  const path = join(dir, file);
  if ((await sha256OfFile(path).catch(() => null)) !== part.sha256) return 'damaged';
  const first = (Number(/part-(\d+)/.exec(file)?.[1]) - 1) * PART_LINES + 1;
  let blanked = 0;
  async function* blankedText(): AsyncGenerator<string> {
    let at = 0;
    for await (const line of linesOf(path)) {
      const blank = blankLine(first + at);
      const isBlanked = left[at] === 0 && line !== blank;
      if (isBlanked) blanked += 1;
      yield isBlanked ? blank : line;
      at += 1;
    }
  }
  const { bytes, sha256 } = await stagePart(path, blankedText());
  await failpoint('archive.part_staged');
  const change = { file, former_sha256: part.sha256, sha256, bytes, blanked };
  return { left, change: blanked === 0 ? null : change };
}
