import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { record } from './record.ts';

/** `record --checkout=DIR --out=FILE` records the responses of a checkout; `compare FILE FILE` compares two records. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { checkout: { type: 'string', default: '.' }, out: { type: 'string' } },
});
const [command, one, other] = positionals;
const print = (text: string): void => void process.stdout.write(`${text}\n`);

if (command === 'record' && values.out !== undefined) {
  const counts = new Map<string, number>();
  const recorded = await record(values.checkout, values.out);
  for (const { surface } of recorded) counts.set(surface, (counts.get(surface) ?? 0) + 1);
  for (const [surface, count] of counts) print(`${surface.padEnd(12)} ${count}`);
  print(`${recorded.length} requests in ${values.out}`);
} else if (command === 'compare' && one !== undefined && other !== undefined) {
  if ((await compare(one, other, print)) > 0) process.exitCode = 1;
} else {
  print('Usage: main.ts record --checkout=DIR --out=FILE | compare FILE FILE');
  process.exitCode = 2;
}
