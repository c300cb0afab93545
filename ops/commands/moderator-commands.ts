import type { Command } from 'commander';
import { type CommandContext, commandGroup } from './command-context.ts';
import { requireOperator, withoutAccount } from './require-operator.ts';
import { withService } from './service.ts';

/** `moderator grant | revoke | list`. */
export function addModeratorCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'moderator', 'Who may decide integrity cases, at /moderation.');

  const roles = [
    ['grant', true, 'Let an operator decide integrity cases.'],
    ['revoke', false, 'End the role at once; decisions made before stay.'],
  ] as const;
  for (const [name, granted, description] of roles) {
    add(`${name} <codename>`, description, 'text').action((codename: string) =>
      setModerator(context, codename, granted),
    );
  }

  add('list', 'Print the codenames of the moderators, one per line.', 'text').action(() =>
    withService(context, async ({ accounts, ranking }) => {
      for (const operator of await accounts.moderators()) {
        const codename = (await ranking.operators.byNumber(operator))?.codename;
        context.print(`${codename ?? `erased operator ${operator}`}\n`);
      }
    }),
  );
}

async function setModerator(context: CommandContext, wanted: string, granted: boolean): Promise<void> {
  await withService(context, async (service) => {
    const { operator, codename } = (await requireOperator(service, wanted)).operator;
    if (!(await service.accounts.setModerator(operator, granted))) throw withoutAccount(codename);
    context.print(`${codename} ${granted ? 'may' : 'may no longer'} decide integrity cases.\n`);
  });
}
