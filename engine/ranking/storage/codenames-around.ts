import { codenameKey } from '../../contract/signing/index.ts';
import type { Collections } from './collections.ts';

/**
 * Listed codenames on both sides of one in the order of names, at most `each` a side. Of all codenames, those that share
 * the longest beginning with it are next to it.
 */
export async function codenamesAround(
  { operators }: Pick<Collections, 'operators'>,
  codename: string,
  each: number,
): Promise<string[]> {
  const key = codenameKey(codename);
  const side = async (range: { $gte: string } | { $lt: string }, direction: 1 | -1): Promise<string[]> => {
    const found = operators.find<{ codename: string }>(
      { codename: range, listed: true },
      { projection: { codename: 1 }, sort: { codename: direction }, limit: each },
    );
    return (await found.toArray()).map((document) => document.codename);
  };
  return (await Promise.all([side({ $lt: key }, -1), side({ $gte: key }, 1)])).flat();
}
