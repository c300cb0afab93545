import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { configOrExit, loadConfig } from '../config/config.ts';
import { processEnvironment } from '../config/env.ts';
import { findService } from './commands/service.ts';

/**
 * `npm run demo`, or `npm run demo -- CODENAME`: an operator of the running `npm start`, a dry run and a submission of sample logs, and
 * the address of its page. It can be repeated.
 */
const [codename = 'nova-7'] = process.argv.slice(2);
const create = [...process.execArgv, 'ops/commands/main.ts', 'operator', 'create', codename, '--token-only'];
const { status, stdout: token } = spawnSync(process.execPath, create, {
  stdio: ['ignore', 'pipe', 'inherit'],
  encoding: 'utf8',
});
process.exitCode = status ?? 1;
const environment = processEnvironment();
const config = configOrExit(() => loadConfig(environment));
const { baseUrl } = await findService(config);
const own = { UPSILON_TOKEN: token.trim(), UPSILON_BASE_URL: baseUrl, npm_lifecycle_event: 'upsilon' };
const env = { ...environment, ...own, UPSILON_KEYCHAIN: 'off' };
const logs = [
  '--source-dir',
  'test/fixtures/claude-code/projects',
  '--config-dir',
  join(config.dataDir, 'demo', codename.toLowerCase()),
];
for (const more of [['--dry-run'], []]) {
  if (process.exitCode !== 0) break;
  const words = ['--codename', codename, ...logs, ...more];
  process.stdout.write(`\n$ npm run -s upsilon -- ${words.join(' ')}\n\n`);
  const args = [...process.execArgv, 'cli/src/main.ts', ...words];
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
}
if (process.exitCode === 0) process.stdout.write(`\nOpen ${new URL(`/operators/${codename}`, baseUrl).href}\n`);
