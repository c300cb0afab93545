import { resolve } from 'node:path';
import { checkChain } from '../archive/check-chain.ts';
import { checkDay } from '../archive/check-day.ts';
import { openArchive } from '../archive/open-archive.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { isWebAddress } from '../net/web-address.ts';
import { grouped, plural } from '../output/screen.ts';

interface RecomputeOptions {
  readonly argument: string;
  readonly day?: string;
  readonly link?: string;
}

/** Checks an archive, in a folder or at an address, and recomputes each day from its lines. */
export const recomputeCommand: Command<RecomputeOptions> = async ({ screen, options }) => {
  const { argument, day, link } = options;
  const archive = openArchive(isWebAddress(argument) ? argument : resolve(argument));
  const chain = await checkChain(archive);
  if (link !== undefined && !chain.hashes.has(link)) {
    const hint = 'What was published before the link that you saved is not what it was.';
    throw new CliError('refused', 'link_missing', `the chain has no link with the SHA-256 ${link}`, hint);
  }
  const days = [...chain.days].filter(([name]) => day === undefined || name === day);
  if (days.length === 0) throw new CliError('nothing', 'day_missing', `the archive has no day ${day ?? ''}`.trim());
  const total = { days: 0, lines: 0, blank: 0, deleted: 0 };
  for (const [name, chained] of days) {
    screen.progress(`${name}: recomputing ${plural(chained.manifest.lines, 'line')}`);
    const checked = await checkDay(archive, chained);
    if (checked === null) total.deleted += 1;
    else {
      total.days += 1;
      total.lines += checked.lines;
      total.blank += checked.blank;
    }
  }
  const blank = `${plural(total.blank, 'line')} of operators that were erased`;
  screen.printWrapped(
    `${plural(total.days, 'day')} with ${plural(total.lines, 'line')} recomputed: every hash, signature, rank, percentile and tier is as stated. ` +
      `Blank: ${blank}, beside which a rank may exceed the recomputed one by as many.`,
  );
  if (total.deleted > 0) screen.printWrapped(`${plural(total.deleted, 'day')} without lines any more.`);
  if (chain.lostLinks > 0) screen.printWrapped(`The service states that it lost ${plural(chain.lostLinks, 'link')}.`);
  if (chain.missingDays.length > 0) screen.printWrapped(`Days without a board: ${chain.missingDays.join(', ')}.`);
  screen.printWrapped(
    `The chain ends at link ${grouped(chain.last)}: ${chain.head}\nSave it: --link shows later that nothing before it was changed.`,
  );
  screen.result({
    days: total.days,
    lines: total.lines,
    blank_lines: total.blank,
    days_without_lines: total.deleted,
    missing_days: chain.missingDays,
    lost_links: chain.lostLinks,
    link: chain.last,
    sha256: chain.head,
  });
  return 'ok';
};
