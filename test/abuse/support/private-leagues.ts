import { openSignInContext } from '../../../api/auth/sign-in/context.ts';
import { signInRoutes } from '../../../api/auth/sign-in/routes.ts';
import type { ApiContext } from '../../../api/context/api-context.ts';
import { ownStanding } from '../../../api/site/pages/own-standing.ts';
import { navigationOf } from '../../../api/site/pages.ts';
import { createFrame } from '../../../api/site/render/page-text.ts';
import type { LeagueVisibility } from '../../../engine/contract/index.ts';
import { openTestApi, type TestApi, type TestOperator } from '../../support/test-api.ts';

/** What only its members may read: nothing else of the service has these words. */
export const NAME = 'Quokka Basement';
export const OWNER = 'quokka-owner-77';
export const HIDDEN = 'quokka-hidden-88';

/** A public league of the same people. */
export const OPEN = 'seen-by-all';

/** Tokens live for ten minutes. */
const TOKENS_FOR_MS = 300_000;

type Headers = Readonly<Record<string, string>>;

/** A form of the pages, as a browser that is signed in, or not, sends it. */
export interface Visitor {
  readonly headers: Headers;
  /** Its CSRF token; empty for what is no browser. */
  readonly csrf: string;
}

/** An api with the pages of sign-in, and how to close it. */
async function openWithPages(logged: unknown[]) {
  const closings: (() => Promise<void>)[] = [];
  const log = (...given: unknown[]): void => void logged.push(given);
  const test = await openTestApi({
    context: (ctx) => ({ log: { ...ctx.log, debug: log, warn: log, error: log } }),
    identity: async (ctx) => {
      const pages = await openSignInContext(ctx, sharedPages(ctx));
      closings.push(async () => pages.close());
      return signInRoutes(pages);
    },
  });
  const close = async (): Promise<void> => {
    for (const end of closings) await end();
    await test[Symbol.asyncDispose]();
  };
  return { test, close };
}

/** Two private leagues, one of which was public, and a public one, all with the same members, two of whom are hidden. */
export async function openPrivateLeagues(logged: unknown[]) {
  const { test, close } = await openWithPages(logged);
  const [owner, hidden, other, plain] = [
    await test.operator(OWNER),
    await test.operator(HIDDEN),
    await test.operator('other-league'),
    await test.operator('plain-member'),
  ];
  for (const operator of [owner, hidden, other]) {
    await test.post('/api/v1/snapshots', operator.token, test.snapshot(operator));
  }
  // On no board: whatever shows either of them has it from the league.
  for (const { operator } of [owner, hidden]) await test.ranking.operators.hide(operator, true);
  await test.publish();
  const { leagues } = test.accounts;
  const make = async (visibility: LeagueVisibility, name: string) => {
    const outcome = await leagues.make(owner.operator, { name, visibility });
    if ('refused' in outcome) throw new Error(outcome.refused);
    const code = (await leagues.codeOf(outcome))!;
    for (const { operator } of [hidden, plain]) await leagues.join(operator, outcome.slug, code);
    return { slug: outcome.slug, code };
  };
  const [closed, former] = [await make('private', NAME), await make('public', NAME)];
  await make('public', OPEN);
  // What was public is kept nowhere once it is private, and waits for no moderator.
  await test.get(`/api/v1/leagues/${former.slug}/leaderboard`);
  await leagues.report((await test.operator('reporting')).operator, former.slug);
  const narrowed = await leagues.change(owner.operator, former.slug, { visibility: 'private' });
  if ('refused' in narrowed) throw new Error(narrowed.refused);
  await test.accounts.setModerator(other.operator, true);
  return {
    test,
    other,
    people: await createPeople(test, { owner, other, plain }),
    /** Addresses of private leagues, the last of which has none any more. */
    slugs: [closed.slug, narrowed.slug, former.slug] as const,
    /** Of those that have one. */
    codes: [closed.code, former.code] as const,
    close,
  };
}

/** Returns who is no member, programs of members that may not read leagues, and a member, with tokens that are valid now. */
async function createPeople(test: TestApi, { owner, other, plain }: Record<'owner' | 'other' | 'plain', TestOperator>) {
  const browsers = {
    none: await browserOf(test),
    other: await browserOf(test, other),
    member: await browserOf(test, plain),
  };
  const bearer = async ({ operator }: TestOperator, claims: Parameters<typeof test.token>[1] = {}) => ({
    authorization: `Bearer ${await test.token(operator, claims)}`,
  });
  let minted = { at: Number.NEGATIVE_INFINITY, visitors: [] as readonly Visitor[], member: {} as Headers };
  return async () => {
    if (test.now - minted.at < TOKENS_FOR_MS) return minted;
    const programs = [
      {},
      await bearer(other),
      await bearer(other, { scope: 'openid profile email leagues' }),
      await bearer(plain, { clientId: 'an-app' }),
      await bearer(owner, { audience: 'https://elsewhere.test' }),
      { authorization: 'Bearer nonsense', cookie: `upsilon-session=${'x'.repeat(43)}` },
    ].map((headers) => ({ headers, csrf: '' }));
    const visitors = [...programs, browsers.none, browsers.other];
    minted = { at: test.now, visitors, member: { ...(await bearer(plain)), ...browsers.member.headers } };
    return minted;
  };
}

/** A browser, signed in as an operator where one is given. */
async function browserOf(test: TestApi, operator?: TestOperator): Promise<Visitor> {
  const name = operator?.codename ?? 'anybody';
  let cookie = `upsilon-browser=${name.padEnd(43, 'x')}`;
  if (operator !== undefined) {
    const person = { provider: 'github', subject: name, label: name, verifiedEmail: null } as const;
    await test.accounts.identities.link(operator.operator, person, null);
    const opener = { operator: operator.operator, provider: 'github', identity: `github:${name}` } as const;
    cookie += `; upsilon-session=${(await test.accounts.sessions.begin(opener))?.secret}`;
  }
  const path = operator === undefined ? '/login' : '/account/leagues';
  const { text } = await test.get(path, { cookie, accept: 'text/html' });
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
  return { headers: { cookie }, csrf };
}

export type PrivateLeagues = Awaited<ReturnType<typeof openPrivateLeagues>>;

function sharedPages(ctx: ApiContext): Parameters<typeof openSignInContext>[1] {
  return {
    frameOf: (here) => createFrame(ctx.config, navigationOf(ctx.config), here),
    standing: (record) => ownStanding(ctx, record),
  };
}
