#!/usr/bin/env node
// Runs the commands of this project on a machine that has only Node and npm: `node ops/bootstrap.mjs COMMAND …`. It
// installs missing packages and then runs the command's program. It writes to standard error only: standard output belongs
// to the command. Before the version check it uses only syntax that old versions of Node understand.

const MIN_NODE = [20, 19];

const have = process.versions.node.split('.').map(Number);
if (have[0] < MIN_NODE[0] || (have[0] === MIN_NODE[0] && have[1] < MIN_NODE[1])) {
  process.stderr.write(
    `Upsilon needs Node.js ${MIN_NODE.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exitCode = 1;
} else {
  import('./bootstrap/run-command.mjs').then(
    (module) => module.runCommand(process.argv[2], process.argv.slice(3)),
    (error) => {
      process.stderr.write(`${error.stack}\n`);
      process.exitCode = 1;
    },
  );
}
