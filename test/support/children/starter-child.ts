import { configOrExit, loadConfig } from '../../../config/config.ts';
import { processEnvironment } from '../../../config/env.ts';
import { startUpsilon } from '../../../ops/local/starter/start-upsilon.ts';

/** `npm start` with stand-ins for the api and the workers: their programs are the arguments. */
const [, , api = '', worker = ''] = process.argv;
const started = await startUpsilon({
  config: configOrExit(loadConfig),
  environment: processEnvironment(),
  entries: { api, worker },
  sources: null,
  print: (text) => void process.stdout.write(`${text}\n`),
  printFailure: (text) => void process.stderr.write(`${text}\n`),
});
if (!started) process.exit(1);
