import { setTimeout } from 'node:timers/promises';
import { readIn, recompute } from '../../../engine/contract/recompute.mjs';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { readBounded } from '../net/http.ts';
import { isWebAddress } from '../net/web-address.ts';
import { grouped, plural } from '../output/screen.ts';

/** The largest file of an archive, in bytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Checks an archive, in a folder or at an address, and recomputes each day from its lines. */
export const recomputeCommand: Command<{ argument: string; day?: string; link?: string }> = async (context) => {
  const { screen, options } = context;
  const { argument, day = null, link = null } = options;
  const readFile = isWebAddress(argument) ? readAt(argument.replace(/\/+$/, '')) : readIn(argument);
  const read = (file: string) =>
    readFile(file).catch((error: unknown) => {
      throw new CliError('network', 'archive_unreadable', `${file} cannot be read: ${reasonText(reasonOf(error))}`);
    });
  const asked = { saved: link, only: day, report: screen.progress };
  const { keys: _, ...checked } = await recompute(read, asked).catch((error: unknown) => {
    if (error instanceof CliError) throw error;
    const hint = 'The archive was damaged or changed. Read the file again; if it stays so, tell the service.';
    throw new CliError('refused', 'archive_differs', reasonOf(error), hint);
  });
  if (checked.days.length === 0) throw new CliError('nothing', 'day_missing', 'the archive has no such day');
  const blank = checked.days.reduce((sum, each) => sum + (each.blank ?? 0), 0);
  const deleted = checked.days.filter((each) => each.blank === null).length;
  screen.printWrapped(
    `${plural(checked.days.length - deleted, 'day')} recomputed: every hash, signature, rank, percentile and tier is as stated. ` +
      `Blank: ${plural(blank, 'line')} of operators that were erased, beside which a rank may exceed the recomputed one by as many. ` +
      `Without lines any more: ${plural(deleted, 'day')}. Without a board: ${checked.missing_days.join(', ') || 'no day'}. Lost: ${plural(checked.lost_links, 'link')}.\n` +
      `The chain ends at link ${grouped(checked.link)}: ${checked.sha256}\nSave it: --link shows later that nothing before it was changed.`,
  );
  screen.result(checked);
  return 'ok';
};

/** Reads files at an address; null where there is none. */
function readAt(address: string) {
  return async function read(file: string): Promise<Uint8Array | null> {
    // Not decompressed on the way: the hashes are those of the files.
    const response = await fetch(`${address}/${file}`, { headers: { 'accept-encoding': 'identity' } });
    if (response.status === 200) return readBounded(response, MAX_FILE_BYTES);
    await response.body?.cancel();
    if (response.status === 404) return null;
    if (response.status !== 429) throw new Error(`status ${response.status}`);
    await setTimeout(1_000 * Math.min(60, Number(response.headers.get('retry-after')) || 1));
    return read(file);
  };
}
