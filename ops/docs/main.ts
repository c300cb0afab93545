import { writeFileSync } from 'node:fs';
import { generatedDocuments } from './generated-documents.ts';

/** `npm run docs`: writes the generated tables. With `--check`, exits with 1 when one differs. */
const check = process.argv.includes('--check');
for (const [name, { present, generated }] of generatedDocuments()) {
  if (present === generated) continue;
  if (!check) writeFileSync(new URL(name, import.meta.url), generated);
  process.stderr.write(`ops/docs/${name} ${check ? 'differs from the code: run npm run docs' : 'was written'}\n`);
  if (check) process.exitCode = 1;
}
