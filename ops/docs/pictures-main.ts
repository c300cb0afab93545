import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { processEnvironment } from '../../config/env.ts';
import { DAY_MS } from '../../config/units.ts';
import * as mongo from '../../engine/mongo/index.ts';
import { createRanking, type ImportedOperator } from '../../engine/ranking/index.ts';
import { openChromium } from '../../test/browser/open-chromium.ts';
import type { BenchContext } from '../bench/frame/bench.ts';
import { inContext } from '../bench/frame/run-bench.ts';
import { writeCorpus } from '../bench/scan/corpus/write-corpus.ts';
import { seedPopulation } from '../bench/sides/seed-population.ts';
import { openSides } from '../bench/sides/side.ts';
import { writeSiteImages } from './site-images.ts';

const CLI = fileURLToPath(new URL('../../cli/src/main.ts', import.meta.url));
const OPERATORS = 240;
const LOG_BYTES = 2 ** 24;
const SEED = 7;

const FIRST = 'amber brisk cedar dusk ember fjord glass harbour indigo juniper kestrel lunar'.split(' ');
const SECOND = 'anchor beacon comet delta echo falcon garnet heron iris jetty koi light'.split(' ');

/** Tokens at which operators of a platform begin, and how many more they scatter over. The others use Claude Code. */
const CLAUDE_CODE = {
  input: [2e6, 4e7],
  output: [1e6, 9e7],
  cache_read: [1e8, 4e9],
  cache_write: [3e7, 2e8],
} as const;
const PLATFORMS = [
  // Codex reports no cache writes, and reads from the cache what it had as input: far lower ratios are usual.
  ['codex', { input: [4e7, 9e7], output: [1e6, 1.2e7], cache_read: [2e8, 1.2e9], cache_write: [0, 0] }],
  ['droid', CLAUDE_CODE],
] as const;

/** Each has its own growth over three months, so that the windows differ. None has a finding. */
function operatorAt(index: number): ImportedOperator {
  const scatter = (by: number): number => (Math.imul(index + 1, by) >>> 0) / 2 ** 32;
  const codename = `${FIRST[index % FIRST.length]}-${SECOND[Math.floor(index / FIRST.length) % SECOND.length]}`;
  const number = Math.floor(index / (FIRST.length * SECOND.length));
  const [platform, { input, output, cache_read: reads, cache_write: writes }] = PLATFORMS[index % 5] ?? [
    'claude-code',
    CLAUDE_CODE,
  ];
  const usage = Array.from({ length: 13 }, (_, week) => {
    const share = ((week + 1) / 13) ** (0.5 + scatter(668_265_263));
    const counts = {
      input: Math.ceil(share * (input[0] + scatter(2_654_435_761) * input[1])),
      output: Math.ceil(share * (output[0] + scatter(2_246_822_519) * output[1])),
      cache_read: Math.ceil(share * (reads[0] + scatter(3_266_489_917) ** 2 * reads[1])),
      cache_write: Math.ceil(share * (writes[0] + scatter(374_761_393) * writes[1])),
    };
    const asOf = Date.now() - (12 - week) * 7 * DAY_MS - scatter(40_503_001) * DAY_MS;
    return { asOf, ledger: 'ledger-1', platform, epoch: 0, counts };
  });
  return { codename: number === 0 ? codename : `${codename}-${number + 1}`, displayName: null, usage };
}

async function startSite(context: BenchContext): Promise<string> {
  const [{ port }] = await openSides(context, async (side) => {
    const mongoUrl = side.newDatabase();
    const env = await side.environmentOf(mongoUrl);
    await seedOperators(mongoUrl);
    return side.startUnlimitedApi(env);
  });
  const site = `http://localhost:${port}/`;
  const { entries } = Board.parse(await (await fetch(`${site}api/v1/leaderboard?limit=100`)).json());
  const flagged = entries.filter(({ integrity }) => integrity.flags.length > 0).map(({ codename }) => codename);
  if (entries.length < 100 || flagged.length > 0)
    throw new Error(`invented operators have findings: ${flagged.join(', ')}`);
  return site;
}

async function seedOperators(mongoUrl: string): Promise<void> {
  const connection = await mongo.openMongo(mongoUrl);
  const noKeys = { deviceKeys: async () => new Map(), sharedSecret: async (name: string) => name };
  const ranking = createRanking({ connection, clock: Date.now, ...noKeys });
  await seedPopulation({ mongo, connection, ranking }, OPERATORS, operatorAt);
  await connection.close();
}

const Board = z.object({
  entries: z.array(z.object({ codename: z.string(), integrity: z.object({ flags: z.array(z.string()) }) })),
});

/** The output of a dry run over generated logs, as a page that looks like a terminal. */
async function terminalPage(context: BenchContext, site: string): Promise<string> {
  const home = join(context.dataDir, 'home');
  await writeCorpus(home, LOG_BYTES, SEED, Date.now());
  const args = ['--codename', 'amber-anchor', '--dry-run'];
  const env = {
    ...processEnvironment(),
    HOME: home,
    UPSILON_CONFIG_DIR: join(home, '.upsilon'),
    UPSILON_KEYCHAIN: 'off',
    UPSILON_BASE_URL: `${site}api/v1`,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', CLI, ...args], { env });
  const text = stdout.replaceAll(home, '~').replaceAll(site, 'http://localhost:3000/');
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><style>
body { margin: 0; background: #101418 }
pre { margin: 0; padding: 24px 28px; width: 900px; color: #d7dde3; font: 15px/1.5 "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere }
b { color: #7fd1b9 }
</style><pre><b>$</b> upsilon ${args.join(' ')}\n\n${escaped}</pre>`;
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
await inContext('pictures', { size: 'full' }, async (context) => {
  const site = await startSite(context);
  const terminal = await terminalPage(context, site);
  await take(false, 'board-light', (page) => page.goto(site));
  await take(true, 'board-dark', (page) => page.goto(site));
  await take(true, 'dry-run', (page) => page.setContent(terminal), 'pre');
});
