import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Erasure } from '../../engine/accounts/index.ts';
import { type CommandContext, CommandError, commandGroup } from './command-context.ts';
import { type Service, withService } from './service.ts';
import { withLocalEngines } from './with-local-engines.ts';

/** Stores keep operator numbers as 32 bits. */
const HIGHEST_OPERATOR = 2 ** 32 - 2;

const ERASURE = z.object({
  operator: z.int().min(1).max(HIGHEST_OPERATOR),
  subject_hash: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  erased_at: z.iso.datetime(),
});

/** `erasures list | replay`. */
export function addErasureCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'erasures', 'Erasures of operators.');

  add(
    'list',
    'Print the erasures, one JSON object per line. The output contains no personal data; store it with the backups.',
    'text',
  ).action(() => withLocalEngines(context, (local) => withService(local, (service) => list(service, context))));

  add('replay', 'Repeat erasures after a restore from a backup. Safe to repeat.', 'text')
    .argument('<file>', 'output of "erasures list", or erasures.jsonl of the data folder')
    .action((file: string) =>
      withLocalEngines(context, (local) => withService(local, (service) => replay(service, context, file))),
    );
}

async function list({ accounts }: Service, { print }: CommandContext): Promise<void> {
  const erased = await accounts.erasures.list();
  print(erased.map((erasure) => `${JSON.stringify(erasure)}\n`).join(''));
}

async function replay({ accounts, billing, ranking }: Service, { print }: CommandContext, file: string): Promise<void> {
  let erased = 0;
  let others = 0;
  for (const erasure of await readErasures(file)) {
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
  print(`Replayed ${erased} ${erased === 1 ? 'erasure' : 'erasures'}.\n`);
  if (others > 0) print(`Skipped ${others}, whose operator numbers now belong to other accounts.\n`);
}

async function readErasures(file: string): Promise<readonly Erasure[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${file} cannot be read`, 'Give the path of a list of erasures.', { cause: error });
  });
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const parsed = ERASURE.safeParse(parse(line));
    if (parsed.success) return [parsed.data];
    throw new CommandError(`line ${index + 1} of ${file} is not an erasure`, 'Nothing was replayed. Repair the file.');
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
