import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { recompute } from '../../../engine/contract/recompute.mjs';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { readBounded } from '../net/http.ts';
import { isWebAddress } from '../net/web-address.ts';
import { grouped, plural } from '../output/screen.ts';

/** The largest file of an archive, in bytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

interface RecomputeOptions {
  readonly argument: string;
  readonly day?: string;
  readonly link?: string;
}

/** Checks an archive, in a folder or at an address, and recomputes each day from its lines. */
export const recomputeCommand: Command<RecomputeOptions> = async ({ screen, options }) => {
  const { argument, day = null, link } = options;
  const readFrom = (file: string): Promise<Uint8Array | null> =>
    isWebAddress(argument)
      ? fetchFile(`${argument.replace(/\/+$/, '')}/${file}`)
      : readFile(join(resolve(argument), file));
  const read = (file: string) =>
    readFrom(file).catch((error: unknown) => {
      if (reasonOf(error) === 'ENOENT') return null;
      throw new CliError('network', 'archive_unreadable', `${file} cannot be read: ${reasonText(reasonOf(error))}`);
    });
  const { hashes, keys: _, ...checked } = await recompute(read, { only: day, report: screen.progress }).catch(fail);
  if (link !== undefined && !hashes.includes(link)) {
    const hint = 'What was published before the link that you saved is not what it was.';
    throw new CliError('refused', 'link_missing', `the chain has no link with the SHA-256 ${link}`, hint);
  }
  if (checked.days.length === 0)
    throw new CliError('nothing', 'day_missing', `the archive has no day ${day ?? ''}`.trim());
  const withLines = checked.days.flatMap(({ lines, blank }) => (blank === null ? [] : { lines, blank }));
  const sum = (of: 'lines' | 'blank') => withLines.reduce((total, each) => total + each[of], 0);
  const deleted = checked.days.length - withLines.length;
  const lost =
    checked.lost_links === 0 ? '' : ` The service states that it lost ${plural(checked.lost_links, 'link')}.`;
  screen.printWrapped(
    `${plural(withLines.length, 'day')} with ${plural(sum('lines'), 'line')} recomputed: every hash, signature, rank, percentile and tier is as stated. ` +
      `Blank: ${plural(sum('blank'), 'line')} of operators that were erased, beside which a rank may exceed the recomputed one by as many. ` +
      `Without lines any more: ${plural(deleted, 'day')}. Without a board: ${checked.missing_days.join(', ') || 'no day'}.${lost}`,
  );
  screen.printWrapped(
    `The chain ends at link ${grouped(checked.link)}: ${checked.sha256}\nSave it: --link shows later that nothing before it was changed.`,
  );
  screen.result(checked);
  return 'ok';
};

/** Null where there is no such file. */
async function fetchFile(address: string): Promise<Uint8Array | null> {
  // Not decompressed on the way: the hashes are those of the files.
  const response = await fetch(address, { headers: { 'accept-encoding': 'identity' } });
  if (response.status === 200) return readBounded(response, MAX_FILE_BYTES);
  await response.body?.cancel();
  if (response.status === 404) return null;
  if (response.status !== 429) throw new Error(`status ${response.status}`);
  await setTimeout(1_000 * Math.min(60, Number(response.headers.get('retry-after')) || 1));
  return fetchFile(address);
}

function fail(error: unknown): never {
  if (error instanceof CliError) throw error;
  const hint = 'The archive was damaged or changed. Read the file again; if it stays so, tell the service.';
  throw new CliError('refused', 'archive_differs', reasonOf(error), hint);
}
