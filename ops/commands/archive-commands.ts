import type { Command } from 'commander';
import { checkChain } from '../../cli/src/archive/check-chain.ts';
import { checkDay } from '../../cli/src/archive/check-day.ts';
import { openArchive } from '../../cli/src/archive/open-archive.ts';
import { CliError } from '../../cli/src/cli-error.ts';
import { loadConfig } from '../../config/config.ts';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  logProgress,
  printResult,
} from './command-context.ts';
import { withService } from './service.ts';

/** `archive verify`. */
export function addArchiveCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'archive', 'The daily archive.');
  add(
    'verify',
    'Check every file of the archive: hashes, the chain with the keys and the last link that this service stores, and each rank. Prints the first difference.',
  ).action((options: CommandOptions) => verify(context, options));
}

async function verify(context: CommandContext, options: CommandOptions): Promise<void> {
  const { archive: settings } = loadConfig(context.environment);
  if (settings === null) throw new CommandError('there is no archive', 'Set ARCHIVE_URL to that of the workers.');
  await withService(context, async ({ accounts, ranking }) => {
    const report = logProgress(context);
    const [keys, head] = await Promise.all([accounts.archiveKeys.jwks(), ranking.archive.head()]);
    const archive = openArchive(settings.dir);
    const total = { days: 0, lines: 0, blank_lines: 0, days_without_lines: 0 };
    try {
      const chain = await checkChain(archive, keys);
      if (head.sha256 === null || !chain.hashes.has(head.sha256)) {
        throw new CommandError(`the archive does not contain link ${head.link}, the last one that is stored`, RESTORE);
      }
      for (const [name, day] of chain.days) {
        report(`${name}: recomputing ${day.manifest.lines} lines.`);
        const checked = await checkDay(archive, day, context.clock());
        total.days += 1;
        total.lines += checked?.lines ?? 0;
        total.blank_lines += checked?.blank ?? 0;
        total.days_without_lines += checked === null ? 1 : 0;
      }
    } catch (error) {
      if (error instanceof CliError) throw new CommandError(error.message, RESTORE, { cause: error });
      throw error;
    }
    const text = `${total.days} days with ${total.lines} lines are as they were signed, ${total.blank_lines} of them blank.\n`;
    printResult(context, options, { ...total, link: head.link, sha256: head.sha256 }, text);
  });
}

const RESTORE = 'Restore the file from a copy. Without one, move the folder away: the chain begins again.';
