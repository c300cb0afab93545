#!/usr/bin/env node
import { EXIT, reasonOf, reasonText } from './cli-error.ts';
import { run } from './program.ts';

// A reader that closes the pipe early (`upsilon | head`) is not a failure; a full disk (`upsilon > file`) is.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`upsilon: the output cannot be written: ${reasonText(reasonOf(error))}\n`);
  process.exit(EXIT.files);
});

process.exitCode = await run(process.argv.slice(2));
