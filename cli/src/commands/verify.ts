import { readFile, writeFile } from 'node:fs/promises';
import type { OpenRowPage } from '../../../engine/contract/index.ts';
import { COUNT_FIELDS } from '../../../engine/contract/signing/index.ts';
import { WINDOWS, windowLabel } from '../../../engine/contract/windows.ts';
import { openSignedInClient } from '../auth/identity.ts';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { isObject, parseJson } from '../json.ts';
import { printable } from '../net/problem.ts';
import { COUNT_TITLES } from '../output/counts-table.ts';
import { grouped, plural, yieldText } from '../output/screen.ts';
import { checkRow } from '../verify/check-row.ts';

const NOT_CHECKED =
  "Not checked: that the counts are true; the rank, which depends on the other rows; and by the service's word: when snapshots arrived, that the keys are the operator's, and that no snapshot is left out.";

/** Verifies the signatures of an open row and recomputes its windows, from the service or from a saved answer. */
export const verifyCommand: Command<{ argument: string; from?: string; save?: string }> = async (context) => {
  const { screen, options } = context;
  const { argument: codename, from, save } = options;
  const saved = from === undefined ? null : [parseJson(await readFile(from, 'utf8').catch(fail))].flat();
  const pages = saved ?? (await fetchPages(context, codename));
  if (save !== undefined) await writeFile(save, `${JSON.stringify(pages)}\n`).catch(fail);
  const { windows, faults, ...check } = checkPages(pages, codename);
  for (const name of WINDOWS) {
    const { counts, yield_, signed } = windows[name];
    const texts = COUNT_FIELDS.map((field) => `${COUNT_TITLES[field].toLowerCase()} ${grouped(counts[field])}`);
    const by = signed ? 'by signatures alone' : "in part by the service's word: older snapshots have left its log";
    const figure = yield_ === null ? 'no Yield' : `Yield ${yieldText(yield_)}`;
    screen.printWrapped(`${screen.paint.bold(`${windowLabel(name)}: ${figure}`)}, ${texts.join(', ')}; ${by}`);
  }
  const found = `${plural(check.snapshots, 'signature')} by ${plural(check.keys, 'key')} verified`;
  screen.printWrapped(`${found}. Left out by the service: ${plural(check.left_out, 'snapshot')}.\n${NOT_CHECKED}`);
  if (faults.length > 0) screen.warning(`${plural(faults.length, 'fault')}, the first: ${printable(faults[0]!)}`);
  screen.result({ codename, ...check, windows, faults });
  return faults.length === 0 ? 'ok' : 'refused';
};

/** All pages, from the service: without the user's token. */
async function fetchPages(context: CommandContext, codename: string): Promise<unknown[]> {
  const client = await openSignedInClient(context, null);
  const pages: unknown[] = [];
  for (let query = ''; ; ) {
    const { body } = await client.get(`/operators/${encodeURIComponent(codename)}/snapshots${query}`);
    pages.push(body);
    if (!isObject(body) || typeof body['next'] !== 'string') return pages;
    query = `?${new URLSearchParams({ before: body['next'] }).toString()}`;
  }
}

/** @throws CliError for anything else than pages of this operator, whatever a file or a server has. */
function checkPages(pages: readonly unknown[], codename: string) {
  const isPage = (page: unknown): page is OpenRowPage => isObject(page) && page['codename'] === codename.toLowerCase();
  try {
    if (pages.every(isPage)) return checkRow(pages);
  } catch {
    // Of another form.
  }
  throw new CliError('refused', 'answer_unreadable', `these are not the pages of ${codename}`);
}

function fail(error: unknown): never {
  throw new CliError('files', 'file_unusable', `the file cannot be used: ${reasonText(reasonOf(error))}`);
}
