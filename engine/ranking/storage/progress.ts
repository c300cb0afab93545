import type { Collections } from './collections.ts';

/** How far walks have come. Losing one costs a longer walk, nothing else. */
export function createProgress({ progress }: Collections) {
  return {
    async read(name: string): Promise<string | null> {
      return (await progress.findOne({ _id: name }))?.value ?? null;
    },

    async write(name: string, value: string): Promise<void> {
      await progress.updateOne({ _id: name }, { $set: { value } }, { upsert: true });
    },
  };
}
