import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Erasure } from '../../engine/accounts/index.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { type Service, withService } from './service.ts';

const ERASURE = z.object({
  operator: z.int().min(1),
  subject_hash: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  erased_at: z.iso.datetime(),
});

/** `erasures list | replay`. */
export function addErasureCommands(program: Command, context: CommandContext): void {
  const erasures = program.command('erasures').description('Operators who asked to be forgotten.');

  erasures
    .command('list')
    .description('Print the list of erasures, one JSON object a line. It names nobody; keep it beside the backups.')
    .action(() =>
      withService(context, async ({ accounts }) => {
        const list = await accounts.erasures.list();
        context.print(list.map((erasure) => `${JSON.stringify(erasure)}\n`).join(''));
      }),
    );

  erasures
    .command('replay')
    .description('After a restore from backup: forget again who had asked for it. Safe to repeat.')
    .argument('<file>', 'a list as "erasures list" prints it, or erasures.jsonl of the data folder')
    .action((file: string) => withService(context, async (service) => replay(service, context, file)));
}

async function replay({ accounts, billing, ranking }: Service, { print }: CommandContext, file: string): Promise<void> {
  let erased = 0;
  let others = 0;
  for (const erasure of await readList(file)) {
    if (!(await accounts.erasures.adopt(erasure))) {
      others += 1;
      continue;
    }
    await ranking.operators.erase(erasure.operator);
    await billing.forget(erasure.operator);
    await accounts.erasures.erase(erasure.operator);
    await accounts.erasures.finish(erasure.operator);
    erased += 1;
  }
  print(`Replayed ${erased} erasures.\n`);
  if (others > 0) print(`Left alone ${others} numbers that belong to other accounts by now.\n`);
}

async function readList(file: string): Promise<readonly Erasure[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`the list ${file} cannot be read`, 'Give the path of the list.', { cause: error });
  });
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const parsed = ERASURE.safeParse(parse(line));
    if (parsed.success) return [parsed.data];
    throw new CommandError(`line ${index + 1} of ${file} is no erasure`, 'Nothing was replayed. Repair the list.');
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
