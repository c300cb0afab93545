import { addAddressVouchers } from './add-address-vouchers.ts';
import { addPartHeaders } from './add-part-headers.ts';
import type { Migration } from './migrate.ts';
import { renameStorage } from './rename-storage.ts';
import { replaceChangedAt } from './replace-changed-at.ts';

/** All migrations, in order. Indexes are not migrated: each engine creates its own at every start. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'the first layout', run: async () => undefined },
  { version: 2, name: 'applied batches no longer date operators', run: replaceChangedAt },
  { version: 3, name: 'addresses belong to the identities that vouch for them', run: addAddressVouchers },
  { version: 4, name: 'storage names from the glossary', run: renameStorage },
  { version: 5, name: 'board parts begin with a header', run: addPartHeaders },
];
