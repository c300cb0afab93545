import { withService } from '../service.ts';
import { printJson, type Surroundings } from '../surroundings.ts';
import { requireOperator } from './require-operator.ts';

interface ListingRequest {
  readonly codename: string;
  readonly listed: boolean;
  readonly json?: boolean;
}

/** Takes an operator off every board without forgetting anything, or puts it back. */
export async function setListed(surroundings: Surroundings, { codename, listed, json }: ListingRequest): Promise<void> {
  await withService(surroundings, async (service) => {
    const { operator } = await requireOperator(service, codename);
    await service.ranking.operators.amend(operator.operator, { listed });
    if (json === true) printJson(surroundings, { codename: operator.codename, listed });
    else {
      const change = listed ? 'is listed again' : 'is off every board; what it submits is kept and counted';
      surroundings.print(`${operator.codename} ${change}, from the next commit on.\n`);
    }
  });
}
