import { spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { FIRST_METHODOLOGY } from '../../engine/ranking/methodologies/index.ts';
import { eventually } from '../support/eventually.ts';
import { FormBrowser } from '../support/form-browser.ts';
import { runService } from '../support/running-service.ts';
import { useSuiteFolder } from '../support/temporary-folder.ts';
import { useFixture } from '../support/use-fixture.ts';

const LOGS = fileURLToPath(new URL('../fixtures/claude-code/projects', import.meta.url));

/** Nothing listens here: the tool must need no registry. */
const NO_REGISTRY = 'http://127.0.0.1:9/';

/** A visitor who has Node, npm and logs, and nothing else. */
describe('from the site to a rank', () => {
  const service = useFixture(() => runService({ methodology: FIRST_METHODOLOGY, clock: Date.now }));
  const home = useSuiteFolder();

  before(async () => {
    await mkdir(join(home(), 'empty'));
    await cp(LOGS, join(home(), '.claude/projects'), { recursive: true });
  });

  /** The shell commands of a page, as a reader copies them. */
  async function commandsOf(path: string): Promise<string[]> {
    const response = await fetch(new URL(path, service().baseUrl), { headers: { accept: 'text/markdown' } });
    return Array.from((await response.text()).matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm), ([, block = '']) =>
      block.replaceAll(/^ +/gm, ''),
    );
  }

  /** Runs commands in one shell. `onLine` sees each line of output. */
  function run(commands: readonly string[], onLine: (line: string) => void = () => {}): Promise<string> {
    const own = Object.entries(processEnvironment()).filter(([name]) => !/^npm_|^(?:XDG_.*|DISPLAY)$/i.test(name));
    const settings = { HOME: home(), npm_config_registry: NO_REGISTRY, npm_config_update_notifier: 'false' };
    const child = spawn('sh', ['-ec', commands.join('\n')], {
      cwd: join(home(), 'empty'),
      env: { ...Object.fromEntries(own), ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        text.split('\n').forEach(onLine);
      });
    }
    return new Promise((resolve, reject) =>
      child.once('close', (status) => (status === 0 ? resolve(output) : reject(new Error(`${status}: ${output}`)))),
    );
  }

  it('takes the words of the home page, an empty folder, and no registry', async () => {
    const signIns: Promise<void>[] = [];
    const output = await run(await commandsOf('/'), (line) => {
      if (/^http\S+user_code=/.test(line)) signIns.push(allow(line));
    });
    expect(signIns).to.have.length(1);
    await signIns[0];
    // Messages name the tool as it was run.
    expect(output).to.include(`Next: npx --allow-remote=root ${new URL('/cli/upsilon.tgz', service().baseUrl).href}`);
    expect(output).to.match(/rank 1\b/i);
    await eventually('the board', async () => {
      const response = await fetch(`${service().baseUrl}/leaderboard`);
      const board: { entries: readonly { codename: string }[] } = JSON.parse(await response.text());
      return output.includes(`Signed in as ${board.entries[0]?.codename}.`);
    });
  });

  it('lets the visitor compare the digest first', async () => {
    const commands = (await commandsOf('/developers/getting-started')).find((block) => block.includes('sha512sum'));
    const output = await run([commands ?? 'false']);
    expect(output)
      .to.match(/upsilon\.tgz: OK/)
      .and.to.include('claude-code');
  });

  it('installs the tool for good, and again over itself', async () => {
    const commands = await commandsOf('/developers/getting-started');
    const install = commands.find((block) => block.startsWith('npm install -g')) ?? 'false';
    const prefix = `export npm_config_prefix=${home()}/prefix`;
    // It knows the service that it came from.
    const output = await run([
      prefix,
      install,
      install,
      `${home()}/prefix/bin/upsilon status --verbose --config-dir ${home()}/new`,
    ]);
    expect(output)
      .to.include(`not signed in at ${service().baseUrl}.`)
      .and.include('Settings folder:')
      .and.to.not.include('of the tool is out');
  });
});

/** Signs in, and allows the device that shows this address. */
async function allow(address: string): Promise<void> {
  const browser = new FormBrowser();
  const filled = await browser.get(address);
  const code = new URL(address).searchParams.get('user_code') ?? '';
  const confirm = await browser.submit(filled, '/oauth/device', { user_code: code });
  const login = await browser.submit(confirm, '/oauth/device', { confirm: 'yes' });
  const consent = await browser.submit(login, '/login/development', { name: 'first-visitor' });
  await browser.submit(consent, '/login/consent', { answer: 'allow' });
}
