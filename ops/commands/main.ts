import { processEnvironment } from '../../config/env.ts';
import { KEY_PREFIX } from '../runtime/queues/catalog.ts';
import { runCommands } from './run-commands.ts';

/** `npm run -s ops -- <command>`. */
process.exitCode = await runCommands(process.argv.slice(2), {
  environment: processEnvironment(),
  clock: Date.now,
  queuePrefix: KEY_PREFIX,
  print: (text) => process.stdout.write(text),
  printError: (text) => process.stderr.write(text),
});
