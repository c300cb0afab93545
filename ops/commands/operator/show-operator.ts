import type { Account, DeviceRecord } from '../../../engine/accounts/index.ts';
import type { OperatorRecord } from '../../../engine/ranking/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { withService } from '../service.ts';
import { requireOperator } from './require-operator.ts';

/** Prints an operator with its account and devices. */
export async function showOperator(
  context: CommandContext,
  { codename, json }: { readonly codename: string; readonly json?: boolean },
): Promise<void> {
  await withService(context, async (service) => {
    const { operator, account } = await requireOperator(service, codename);
    const devices = await service.accounts.devices.list(operator.operator);
    if (json === true) {
      const { displayName: display_name, operator: number, codename: name, listed } = operator;
      printJson(context, { codename: name, display_name, operator: number, listed, account, devices });
    } else {
      context.print([...operatorLines(operator, account), ...deviceLines(devices), ''].join('\n'));
    }
  });
}

function operatorLines({ codename, displayName, operator, listed }: OperatorRecord, account: Account | null): string[] {
  const name = displayName === null ? '' : ` (${displayName})`;
  const head = `${codename}${name}, number ${operator}, ${listed ? 'listed on the boards' : 'not listed'}`;
  if (account === null) return [head, '  no account'];
  const state = account.suspended ? 'suspended' : 'in good standing';
  return [head, `  plan ${account.plan}, ${state}, since ${account.created_at}`, `  subject ${account.subject}`];
}

function deviceLines(devices: readonly DeviceRecord[]): string[] {
  if (devices.length === 0) return ['  no devices'];
  return devices.map(({ kid, name, created_at, revoked_at }) => {
    const until = revoked_at === null ? '' : `, revoked ${revoked_at}`;
    return `  device ${kid} ${name === null ? '' : `"${name}" `}since ${created_at}${until}`;
  });
}
