import { addressesVouchedFor } from './addresses-vouched-for.ts';
import type { Migration } from './migrate.ts';
import { operatorsAmendedAt } from './operators-amended-at.ts';
import { renamedStorage } from './renamed-storage.ts';

/** Every change to how data are stored, in order. Indexes are not among them: each engine makes its own at every start. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'the first layout', run: async () => undefined },
  { version: 2, name: 'folds no longer stamp operators', run: operatorsAmendedAt },
  { version: 3, name: 'addresses belong to the identities that vouch for them', run: addressesVouchedFor },
  { version: 4, name: 'names of the glossary', run: renamedStorage },
];
