import { shareSnippets } from '../../../engine/contract/share.ts';
import { codenameMissing, findOwnCodename } from '../auth/identity.ts';
import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import { fetchOwnStanding } from '../net/own-standing.ts';
import { showStanding } from './status.ts';

/** Shows the operator's standing, badge and card to paste, and a text for a post. Sends no counts. */
export const shareCommand: Command = async ({ settings, env, screen }) => {
  const codename = await findOwnCodename(settings, env);
  if (codename === null) throw codenameMissing();
  const own = await fetchOwnStanding(settings.baseUrl, codename, null);
  if (own === null)
    throw new CliError('nothing', 'operator_unknown', `${codename} is not on the board yet, or you hid the row`);
  showStanding(own, true, screen);
  const { profile: _, ...shared } = own;
  screen.result({ ...shared, snippets: shareSnippets(own) });
  return 'ok';
};
