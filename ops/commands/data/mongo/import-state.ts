import type { Connection } from 'mongoose';

/** Progress of an import: file names of the stored chunks. */
export interface ImportState {
  /** Id of the export. */
  readonly id: string;
  readonly stored: readonly string[];
}

interface ImportDocument {
  _id: 'import';
  id: string;
  stored: string[];
}

/** Keeps the progress of an import in the database that it fills, so that an interrupted import can resume. */
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
