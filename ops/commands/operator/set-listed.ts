import { type CommandContext, printJson } from '../command-context.ts';
import { withService } from '../service.ts';
import { requireOperator } from './require-operator.ts';

interface ListingRequest {
  readonly codename: string;
  readonly listed: boolean;
  readonly json?: boolean;
}

/** Removes an operator from every board and keeps its data, or returns it to the boards. */
export async function setListed(context: CommandContext, { codename, listed, json }: ListingRequest): Promise<void> {
  await withService(context, async (service) => {
    const { operator } = await requireOperator(service, codename);
    await service.ranking.operators.amend(operator.operator, { listed });
    const present = await service.ranking.operators.byNumber(operator.operator);
    if (json === true) printJson(context, { codename: operator.codename, listed: present?.listed === true });
    else context.print(`${operator.codename} ${report(listed, present?.listed === true)}.\n`);
  });
}

function report(wanted: boolean, listed: boolean): string {
  if (wanted !== listed) return 'is suspended and will be listed when it is restored';
  const change = listed ? 'is listed again' : 'is off every board; its snapshots are still accepted and counted';
  return `${change}, from the next commit on`;
}
