import { expect } from 'chai';
import { z } from 'zod';
import { browserProgram } from '../../browser/browser-program.ts';
import { hasTool, startTool } from '../../support/ci-tools.ts';
import { openIdentityService } from '../../support/identity-service.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { runsOf } from '../../support/long-run.ts';
import { runSeed } from '../../support/seeded-random.ts';
import { openSiteFixture, RISING, STEADY } from '../../support/site-field.ts';
import { useFixture } from '../../support/use-fixture.ts';

/** The least score of each category, in per cent. */
const LEAST = 95;

/** Without `performance`, which is a timed test of the machine. */
const CATEGORIES = ['accessibility', 'best-practices', 'seo'] as const;

const Report = z.object({
  runtimeError: z.object({ code: z.string(), message: z.string() }).optional(),
  categories: z.record(z.string(), z.object({ score: z.number().nullable() })),
  audits: z.record(z.string(), z.object({ score: z.number().nullable(), title: z.string() })),
});

const PAGES = [
  '/',
  `/operators/${RISING}`,
  `/compare?a=${RISING}&b=${STEADY}`,
  '/methodology',
  '/developers',
  '/developers/reference',
  '/login',
] as const;

const FORMS = [
  ['a phone', []],
  ['a desktop', ['--preset=desktop']],
] as const;

const PAIRS = FORMS.flatMap((form) => PAGES.map((path) => [form, path] as const));

/** Every fourth page and form is scored, the seed chooses the first; in long runs all are. */
const SCORED_EVERY = runsOf(4, 1);
const seed = runSeed();

const chromium = browserProgram();

describe(`Lighthouse (seed ${seed})`, () => {
  if (chromium === null || !hasTool('lighthouse')) {
    leaveOut('tools', 'there is no Chromium, or the tools are not installed (npm run tools)');
    return;
  }

  const field = useFixture(() => openSiteFixture(3, 12));
  const service = useFixture(openIdentityService);

  for (const [place, [[form, options], path]] of PAIRS.entries()) {
    if ((place + seed) % SCORED_EVERY !== 0) continue;
    it(`gives ${path} at least ${LEAST} in every category, on ${form}`, async () => {
      const origin = path === '/login' ? service().origin : field().origin;
      expect(await lackingAt(chromium, `${origin}${path}`, options)).to.deep.equal([]);
    });
  }
});

/** The categories below the least score, with the audits that were not passed. */
async function lackingAt(chromePath: string, url: string, options: readonly string[]): Promise<readonly string[]> {
  const flags = '--chrome-flags=--headless=new --no-sandbox --disable-gpu';
  const asked = ['--quiet', '--output=json', `--only-categories=${CATEGORIES.join(',')}`, flags, ...options];
  const { code, out, err } = await startTool('lighthouse', [url, ...asked], { CHROME_PATH: chromePath }).ended;
  if (code !== 0) return [`Lighthouse ended with ${code}: ${err.slice(-500)}`];
  const { categories, audits, runtimeError } = Report.parse(JSON.parse(out));
  if (runtimeError !== undefined) return [runtimeError.message];
  const failed = Object.values(audits).filter(({ score }) => score !== null && score < 0.9);
  return CATEGORIES.flatMap((name) => {
    const score = Math.round((categories[name]?.score ?? 0) * 100);
    return score >= LEAST ? [] : [`${name} ${score}: ${failed.map((audit) => audit.title).join('; ')}`];
  });
}
