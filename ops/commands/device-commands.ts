import type { Command } from 'commander';
import { type CommandContext, printJson } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { requireOperator } from './operator/require-operator.ts';
import { withService } from './service.ts';

/** `devices revoke`. */
export function addDeviceCommands(program: Command, context: CommandContext): void {
  const devices = program.command('devices').description('Operators\' device keys; "operator show" lists them.');

  devices
    .command('revoke')
    .description(
      'Refuse snapshots that a device key signs from now on. Earlier ones still count; "snapshots void" removes them.',
    )
    .argument('<codename>')
    // An option, not an argument: a key id may begin with a hyphen.
    .requiredOption('--key <kid>', 'the key id that "operator show" prints')
    .option('--json', 'print one JSON object')
    .action((codename: string, options: { key: string; json?: boolean }) =>
      revoke(context, { codename, kid: options.key, ...options }),
    );
}

async function revoke(
  context: CommandContext,
  { codename, kid, json }: { readonly codename: string; readonly kid: string; readonly json?: boolean },
): Promise<void> {
  await withService(context, async (service) => {
    const { operator } = await requireOperator(service, codename);
    if (!(await service.accounts.devices.revoke(operator.operator, kid))) {
      throw new CommandError(
        `${operator.codename} has no device with the key ${kid}`,
        `See its devices: npm run -s ops -- operator show ${operator.codename}`,
      );
    }
    if (json === true) printJson(context, { codename: operator.codename, kid, revoked: true });
    else context.print(`The key ${kid} of ${operator.codename} is revoked.\n`);
  });
}
