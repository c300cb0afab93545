import type { Command } from 'commander';
import type { CommandContext } from './command-context.ts';
import { exportData } from './data/export-data.ts';
import { importData } from './data/import-data.ts';

interface Options {
  readonly json?: boolean;
}

/** `data export | import`. */
export function addDataCommands(program: Command, context: CommandContext): void {
  const data = program.command('data').description('Everything that MongoDB holds. Redis holds nothing worth keeping.');

  data
    .command('export')
    .description(
      'Write all data into a folder; the service may run meanwhile. Repeat it after an interruption to go on.',
    )
    .argument('<folder>', 'new, or of an export that was cut short')
    .option('--json', 'print one JSON object')
    .action((folder: string, options: Options) => exportData(context, { folder, ...options }));

  data
    .command('import')
    .description('Fill an empty database with an export, with no service running. Repeat it after an interruption.')
    .argument('<folder>', 'as "data export" wrote it')
    .option('--yes', 'really: it fills the database')
    .option('--json', 'print one JSON object')
    .action((folder: string, options: Options & { yes?: boolean }) => importData(context, { folder, ...options }));
}
