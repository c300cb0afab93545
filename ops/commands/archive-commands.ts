import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../../config/config.ts';
import { recompute } from '../../engine/contract/recompute.mjs';
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

const readIn = (dir: string) => (file: string) => readFile(join(dir, file)).catch(() => null);

async function verify(context: CommandContext, options: CommandOptions): Promise<void> {
  const { archive } = loadConfig(context.environment);
  if (archive === null) throw new CommandError('there is no archive', 'Set ARCHIVE_URL to that of the workers.');
  await withService(context, async ({ accounts, ranking }) => {
    const [own, head] = await Promise.all([accounts.archiveKeys.jwks(), ranking.archive.head()]);
    const checked = await recompute(readIn(archive.dir), { now: context.clock(), report: logProgress(context) }).catch(
      (cause: Error) => {
        throw new CommandError(cause.message, RESTORE, { cause });
      },
    );
    if (!checked.keys.every((kid) => own.keys.some((key) => key.kid === kid))) {
      throw new CommandError('keys.json has a key that this service does not store', RESTORE);
    }
    if (head.sha256 === null || !checked.hashes.includes(head.sha256)) {
      throw new CommandError(`the archive does not contain link ${head.link}, the last one that is stored`, RESTORE);
    }
    const result = { days: checked.days.length, link: head.link, sha256: head.sha256 };
    printResult(context, options, result, `${result.days} days are as they were signed, up to link ${head.link}.\n`);
  });
}

const RESTORE = 'Restore the file from a copy. Without one, move the folder away: the chain begins again.';
