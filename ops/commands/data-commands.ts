import type { Command } from 'commander';
import { type CommandContext, type CommandOptions, commandGroup } from './command-context.ts';
import { exportData } from './data/export-data.ts';
import { importData, requireExport } from './data/import-data.ts';
import { withLocalEngines } from './with-local-engines.ts';

/** `data export | import`. */
export function addDataCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(
    program,
    'data',
    'Export and import all data of MongoDB. Redis holds no data that needs a backup.',
  );

  add(
    'export',
    'Write all data to a folder; the service may be running. Repeat the command to resume after an interruption.',
  )
    .argument('<folder>', 'a new folder, or the folder of an interrupted export')
    .action((folder: string, options: CommandOptions) =>
      withLocalEngines(context, (local) => exportData(local, folder, options)),
    );

  add(
    'import',
    'Fill an empty database with an export while no service runs. Repeat the command to resume after an interruption.',
  )
    .argument('<folder>', 'a folder that "data export" wrote')
    .option('--yes', 'confirm: this fills the database')
    .action(async (folder: string, options: CommandOptions) => {
      const manifest = await requireExport(folder, options);
      await withLocalEngines(context, (local) => importData(local, folder, manifest, options), { fills: true });
    });
}
