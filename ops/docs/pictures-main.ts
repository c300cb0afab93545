import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { processEnvironment } from '../../config/env.ts';
import { DAY_MS } from '../../config/units.ts';
import type { ImportedOperator } from '../../engine/ranking/index.ts';
import { openChromium } from '../../test/browser/open-chromium.ts';
import type { BenchContext } from '../bench/frame/bench.ts';
import { inContext } from '../bench/frame/run-bench.ts';
import { seedPopulation } from '../bench/frame/seed-population.ts';
import { serviceEnvironment, startBenchApi } from '../bench/frame/service/start-service.ts';
import { writeCorpus } from '../bench/scan/corpus/write-corpus.ts';
import { writeSiteImages } from './site-images.ts';

const CLI = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
const OPERATORS = 240;
const LOG_BYTES = 2 ** 24;
const SEED = 7;
/** Lines of the tool's output in its picture. */
const SHOWN_LINES = 25;

const FIRST = 'amber brisk cedar dusk ember fjord glass harbour indigo juniper kestrel lunar'.split(' ');
const SECOND = 'anchor beacon comet delta echo falcon garnet heron iris jetty koi light'.split(' ');

/** The others use Claude Code. */
const PLATFORMS = ['codex', 'droid'];

/** Each has its own growth over three months, so that the windows differ. */
function operatorAt(index: number): ImportedOperator {
  const scatter = (by: number): number => (Math.imul(index + 1, by) >>> 0) / 2 ** 32;
  const codename = `${FIRST[index % FIRST.length]}-${SECOND[Math.floor(index / FIRST.length) % SECOND.length]}`;
  const number = Math.floor(index / (FIRST.length * SECOND.length));
  const usage = Array.from({ length: 13 }, (_, week) => {
    const share = ((week + 1) / 13) ** (0.5 + scatter(668_265_263));
    const counts = {
      input: Math.ceil(share * (2e6 + scatter(2_654_435_761) * 4e7)),
      output: Math.ceil(share * (1e6 + scatter(2_246_822_519) * 9e7)),
      cache_read: Math.ceil(share * (1e8 + scatter(3_266_489_917) ** 2 * 4e9)),
      cache_write: Math.ceil(share * (1e7 + scatter(374_761_393) * 2e8)),
    };
    const asOf = Date.now() - (12 - week) * 7 * DAY_MS - scatter(40_503_001) * DAY_MS;
    return { asOf, ledger: 'ledger-1', platform: PLATFORMS[index % 5] ?? 'claude-code', epoch: 0, counts };
  });
  return { codename: number === 0 ? codename : `${codename}-${number + 1}`, displayName: null, usage };
}

async function startSite(context: BenchContext): Promise<string> {
  const { mongoUrl } = await context.engines();
  await seedPopulation(mongoUrl, OPERATORS, operatorAt);
  const { port } = await startBenchApi(context, await serviceEnvironment(context));
  return `http://localhost:${port}/`;
}

/** The output of a dry run over generated logs, as a page that looks like a terminal. */
async function terminalPage(context: BenchContext): Promise<string> {
  const home = join(context.dataDir, 'home');
  await writeCorpus(home, LOG_BYTES, SEED, Date.now());
  const args = ['--codename', 'amber-anchor', '--dry-run'];
  const env = {
    ...processEnvironment(),
    HOME: home,
    UPSILON_CONFIG_DIR: join(home, '.upsilon'),
    UPSILON_KEYCHAIN: 'off',
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CLI, ...args], { env });
  const text = stdout.replaceAll(home, '~').split('\n').slice(0, SHOWN_LINES).join('\n');
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><style>
body { margin: 0; background: #101418 }
pre { margin: 0; padding: 24px 28px; width: 900px; color: #d7dde3; font: 15px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap; word-break: break-all }
b { color: #7fd1b9 }
</style><pre><b>$</b> upsilon ${args.join(' ')}\n\n${escaped}\n…</pre>`;
}

async function take(
  dark: boolean,
  name: string,
  open: (page: Page) => Promise<unknown>,
  selector?: string,
): Promise<void> {
  const browser = await openChromium({ dark });
  try {
    const page = await browser.context.newPage();
    await open(page);
    const path = fileURLToPath(new URL(`pictures/${name}.png`, import.meta.url));
    await (selector === undefined ? page.screenshot({ path }) : page.locator(selector).screenshot({ path }));
    process.stderr.write(`${path}\n`);
  } finally {
    await browser.close();
  }
}

/** `npm run pictures`: writes the website's images, and README's pictures of the board and of the tool, with invented operators and logs. */
await writeSiteImages();
await inContext('pictures', 'full', new Map(), async (context) => {
  const [site, terminal] = [await startSite(context), await terminalPage(context)];
  await take(false, 'board-light', (page) => page.goto(site));
  await take(true, 'board-dark', (page) => page.goto(site));
  await take(true, 'dry-run', (page) => page.setContent(terminal), 'pre');
});
