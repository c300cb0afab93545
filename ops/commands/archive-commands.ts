import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { loadConfig } from '../../config/config.ts';
import { readIn, recompute } from '../../engine/contract/recompute.mjs';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  logProgress,
  printResult,
} from './command-context.ts';
import { type Service, withService } from './service.ts';
import { withLocalEngines } from './with-local-engines.ts';

/** `archive verify`. */
export function addArchiveCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'archive', 'The daily archive.');
  add(
    'verify',
    'Check every file of the archive: hashes, the chain with the keys and the last link that this service stores, and each rank. Prints the first difference.',
  ).action((options: CommandOptions) => verifyArchive(context, options));
}

async function verifyArchive(context: CommandContext, options: CommandOptions): Promise<void> {
  const { archive } = loadConfig(context.environment);
  if (archive === null)
    throw new CommandError('there is no archive', 'Set ARCHIVE_DIR and ARCHIVE_LICENSE to those of the workers.');
  const verified = (service: Service) => verify(context, options, service, archive.dir);
  await withLocalEngines(context, (local) => withService(local, verified));
}

function refuse(what: string): never {
  throw new CommandError(what, 'Restore the file from a copy. Without one, move the folder away.');
}

async function verify(
  context: CommandContext,
  options: CommandOptions,
  { accounts, ranking }: Service,
  folder: string,
) {
  const [own, head] = await Promise.all([accounts.archiveKeys.jwks(), ranking.archive.head()]);
  const saved = createHash('sha256').update(head ?? '');
  const asked = { saved: saved.digest('hex'), now: context.clock(), report: logProgress(context) };
  const checked = await recompute(readIn(folder), asked).catch(({ message }: Error) => refuse(message));
  const { keys, days, link, sha256 } = checked;
  const isOwn = keys.every((kid) => own.keys.some((key) => key.kid === kid));
  if (!isOwn) refuse('keys.json has a key that this service does not store');
  const text = `Days that are as they were signed: ${days.length}, up to link ${link}.\n`;
  printResult(context, options, { days: days.length, link, sha256 }, text);
}
