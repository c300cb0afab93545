#!/usr/bin/env node
import { run } from './program.ts';

// A reader that closes the pipe early (`upsilon | head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await run(process.argv.slice(2));
