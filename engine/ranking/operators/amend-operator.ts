import { codenameKey } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';

/** What an amendment may change; what is absent stays. */
export interface Amendment {
  readonly codename?: string;
  readonly displayName?: string | null;
  /** False takes the operator off every board without forgetting anything. */
  readonly listed?: boolean;
}

/** Changes names or listing, and lists the operator for the next commit. False when it is gone or the codename is taken. */
export async function amendOperator(
  { stores, standings, clock, reach }: RankingContext,
  operator: number,
  { codename, displayName, listed }: Amendment,
): Promise<boolean> {
  const list = await stores.changeLists.hold([operator], clock());
  await reach('amend.held');
  const amended = await stores.operators.amend(
    operator,
    {
      ...(codename === undefined ? {} : { codename: codenameKey(codename) }),
      ...(displayName === undefined ? {} : { display_name: displayName }),
      ...(listed === undefined ? {} : { listed }),
    },
    new Date(clock()),
  );
  standings.delete(operator);
  await reach('amend.written');
  await stores.changeLists.release(list, clock());
  await reach('amend.listed');
  return amended;
}
