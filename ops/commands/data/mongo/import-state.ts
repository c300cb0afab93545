import type { Connection } from 'mongoose';

/** How far an import has come: chunks that are stored, by file name. */
export interface ImportState {
  /** The export that is being imported. */
  readonly id: string;
  readonly stored: readonly string[];
}

interface ImportDocument {
  _id: 'import';
  id: string;
  stored: string[];
}

/** Remembers an import in the database that it fills, so that one that was cut short goes on. */
export function importState(connection: Connection) {
  if (connection.db === undefined) throw new Error('the MongoDB connection is not open');
  const imports = connection.db.collection<ImportDocument>('imports');
  return {
    async read(): Promise<ImportState | null> {
      return imports.findOne({ _id: 'import' });
    },
    async begin(id: string): Promise<void> {
      await imports.insertOne({ _id: 'import', id, stored: [] });
    },
    async stored(file: string): Promise<void> {
      await imports.updateOne({ _id: 'import' }, { $addToSet: { stored: file } });
    },
    async end(): Promise<void> {
      await imports.deleteOne({ _id: 'import' });
    },
  };
}
