#!/usr/bin/env node
import { run } from './program.ts';

// A reader that leaves early (`upsilon | head`) is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await run(process.argv.slice(2));
