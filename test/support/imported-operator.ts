import type { ImportedOperator } from '../../engine/ranking/index.ts';

type Counts = ImportedOperator['usage'][number]['counts'];

/** An operator to import, with one sample of one stream; `asOf` in milliseconds. */
export function importedOperator(
  codename: string,
  asOf: number,
  counts: Counts,
  platform = 'codex-cli',
): ImportedOperator {
  return { codename, displayName: null, usage: [{ ledger: 'ledger-one', platform, epoch: 0, asOf, counts }] };
}
