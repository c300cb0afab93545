// Runs the built tool of its argument for each message, one after the other in this process: most of a run's time is its start.
const [node, , program] = process.argv;
let runs = 0;

process.on('message', (message) => void runOnce(message));

async function runOnce({ home, args, env }) {
  const written = { stdout: '', stderr: '' };
  for (const name of Object.keys(written)) {
    process[name].setMaxListeners(0);
    process[name].write = (text) => {
      written[name] += text;
      return true;
    };
  }
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(home);
  process.argv = [node, program, ...args];
  // It runs when it is imported; under another name it is imported again.
  await import(`${program}?run=${(runs += 1)}`);
  process.send({ exit: process.exitCode, ...written });
}
