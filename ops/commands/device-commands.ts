import type { Command } from 'commander';
import {
  type CommandContext,
  CommandError,
  type CommandOptions,
  commandGroup,
  printResult,
} from './command-context.ts';
import { requireOperator } from './require-operator.ts';
import { withService } from './service.ts';

/** `devices revoke`. */
export function addDeviceCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'devices', 'Operators\' device keys; "operator show" lists them.');

  add(
    'revoke <codename>',
    'Refuse snapshots that a device key signs from now on. Earlier ones still count; "snapshots void" removes them.',
  )
    // An option, not an argument: a key id may begin with a hyphen.
    .requiredOption('--key <kid>', 'the key id that "operator show" prints')
    .action((wanted: string, options: CommandOptions & { readonly key: string }) =>
      withService(context, async (service) => {
        const { operator, codename } = (await requireOperator(service, wanted)).operator;
        const { key: kid } = options;
        if (!(await service.accounts.devices.revoke(operator, kid))) {
          const next = `See its devices: npm run -s ops -- operator show ${codename}`;
          throw new CommandError(`${codename} has no device with the key ${kid}`, next);
        }
        const text = `The key ${kid} of ${codename} is revoked.\n`;
        printResult(context, options, { codename, kid, revoked: true }, text);
      }),
    );
}
