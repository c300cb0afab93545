import type { Connection } from 'mongoose';
import { databaseOf } from './indexes.ts';
import { DURABLE } from './writes.ts';

/** The data are only a part of the export that is being imported. */
export class UnfinishedImportError extends Error {
  override readonly name = 'UnfinishedImportError';
}

/** Keeps the progress of an import in the database that it fills, so that an interrupted import can resume. */
export function importState(connection: Connection) {
  /** `id`: of the export. `stored`: file names of the stored chunks. */
  const imports = databaseOf(connection).collection<{ _id: 'import'; id: string; stored: string[] }>('imports');
  return {
    read: () => imports.findOne({ _id: 'import' }),
    begin: (id: string) => imports.insertOne({ _id: 'import', id, stored: [] }, DURABLE),
    stored: (file: string) => imports.updateOne({ _id: 'import' }, { $addToSet: { stored: file } }),
    end: () => imports.deleteOne({ _id: 'import' }, DURABLE),
  };
}

/** @throws UnfinishedImportError while an import of an export is unfinished. */
export async function requireFinishedImport(connection: Connection): Promise<void> {
  if ((await importState(connection).read()) === null) return;
  throw new UnfinishedImportError(
    'the database holds an unfinished import of an export: repeat "data import FOLDER --yes" until it has finished, or use an empty database',
  );
}
