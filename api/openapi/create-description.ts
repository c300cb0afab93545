import type { OutsideProvider } from '../auth/outside-provider.ts';
import type { Addresses } from '../http/hosts.ts';
import { type Representation, representJson } from '../http/representation.ts';
import type { Features, Route } from '../http/route.ts';
import { describeApi } from './describe.ts';

/** The API description as served: with an external identity provider, it names the endpoints of that provider once they are known. */
export function createDescription(
  routes: readonly Route<never>[],
  addresses: Addresses & Features,
  outside: OutsideProvider | null,
) {
  const description = representJson(describeApi(routes, addresses), true);
  const byProvider = new WeakMap<object, Representation>();
  return {
    description,
    async describe(this: void): Promise<Representation> {
      // Our own endpoints lead to a provider that cannot be reached now.
      const metadata = outside === null ? null : await outside.metadata().catch(() => null);
      if (metadata === null) return description;
      const made = byProvider.get(metadata) ?? representJson(describeApi(routes, addresses, metadata), true);
      byProvider.set(metadata, made);
      return made;
    },
  };
}
