import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const FOLDER = fileURLToPath(new URL('table', import.meta.url));

/** A single change of the product, and the tests that should detect it. */
const MUTANT = z.strictObject({
  name: z.string().regex(/^[a-z0-9-]+$/),
  /** What the changed product would do wrong. */
  what: z.string(),
  file: z.string(),
  /** Occurs exactly once in the file. */
  find: z.string().nonempty(),
  replace: z.string(),
  tests: z.array(z.string()).nonempty(),
  /** Why no test can detect the change. Such a mutant is not run. */
  equivalent: z.string().optional(),
});
export type Mutant = z.output<typeof MUTANT> & { /** The file of its row. */ readonly table: string };

/** Every mutant of the table, in the order of its files and rows. */
export function readMutants(): Mutant[] {
  const files = readdirSync(FOLDER).toSorted();
  return files.flatMap((file) => {
    const rows = z.array(MUTANT).parse(JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
    return rows.map((row) => ({ ...row, table: `test/mutants/table/${file}` }));
  });
}

/** The part of the product that a mutant belongs to: `cli`, or two folders such as `engine/ranking`. */
export function areaOf({ file }: Pick<Mutant, 'file'>): string {
  const [top = '', folder = '', ...rest] = file.split('/');
  return ['api', 'engine', 'ops'].includes(top) && rest.length > 0 ? `${top}/${folder}` : top;
}
