import { openSignInContext } from '../../../api/auth/sign-in/context.ts';
import { signInRoutes } from '../../../api/auth/sign-in/routes.ts';
import type { ApiContext } from '../../../api/context/api-context.ts';
import { ownStanding } from '../../../api/site/pages/own-standing.ts';
import { navigationOf } from '../../../api/site/pages.ts';
import { createFrame } from '../../../api/site/render/page-text.ts';
import type { LeagueVisibility } from '../../../engine/contract/index.ts';
import { openTestApi, type TestOperator } from '../../support/test-api.ts';

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

/** Two private leagues, one of which was public, and a public one, all with the same members, two of whom are hidden. */
export async function openPrivateLeagues(logged: unknown[]) {
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
  const made = {
    private: await make('private', NAME),
    former: await make('public', NAME),
    open: await make('public', OPEN),
  };
  for (const { slug, code } of Object.values(made)) {
    for (const { operator } of [hidden, plain]) await leagues.join(operator, slug, code);
  }
  // What was public is kept nowhere once it is private, and waits for no moderator.
  await test.get(`/api/v1/leagues/${made.former.slug}/leaderboard`);
  await leagues.report((await test.operator('reporting')).operator, made.former.slug);
  const narrowed = await leagues.change(owner.operator, made.former.slug, { visibility: 'private' });
  if ('refused' in narrowed) throw new Error(narrowed.refused);
  await test.accounts.setModerator(other.operator, true);
  const browsers = { none: await browserOf(null), other: await browserOf(other), member: await browserOf(plain) };
  let minted = { at: Number.NEGATIVE_INFINITY, visitors: [] as readonly Visitor[], member: {} as Headers };

  async function make(visibility: LeagueVisibility, name: string) {
    const outcome = await leagues.make(owner.operator, { name, visibility });
    if ('refused' in outcome) throw new Error(outcome.refused);
    return { slug: outcome.slug, code: (await leagues.codeOf(outcome))! };
  }

  async function browserOf(operator: TestOperator | null): Promise<Visitor> {
    const name = operator?.codename ?? 'anybody';
    let cookie = `upsilon-browser=${name.padEnd(43, 'x')}`;
    if (operator !== null) {
      const person = { provider: 'github', subject: name, label: name, verifiedEmail: null } as const;
      await test.accounts.identities.link(operator.operator, person, null);
      const opener = { operator: operator.operator, provider: 'github', identity: `github:${name}` } as const;
      cookie += `; upsilon-session=${(await test.accounts.sessions.begin(opener))?.secret}`;
    }
    const { text } = await test.get(operator === null ? '/login' : '/account/leagues', { cookie, accept: 'text/html' });
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(text) ?? [];
    return { headers: { cookie }, csrf };
  }

  const bearer = async (...given: Parameters<typeof test.token>) => ({
    authorization: `Bearer ${await test.token(...given)}`,
  });

  /** Who is no member, and programs of members that may not read leagues; and a member. */
  async function people() {
    if (test.now - minted.at < TOKENS_FOR_MS) return minted;
    const programs = [
      {},
      await bearer(other.operator),
      await bearer(other.operator, { scope: 'openid profile email leagues' }),
      await bearer(plain.operator, { clientId: 'an-app' }),
      await bearer(owner.operator, { audience: 'https://elsewhere.test' }),
      { authorization: 'Bearer nonsense', cookie: `upsilon-session=${'x'.repeat(43)}` },
    ].map((headers) => ({ headers, csrf: '' }));
    const visitors = [...programs, browsers.none, browsers.other];
    minted = { at: test.now, visitors, member: { ...(await bearer(plain.operator)), ...browsers.member.headers } };
    return minted;
  }

  return {
    test,
    other,
    people,
    /** Addresses of private leagues, the last of which has none any more. */
    slugs: [made.private.slug, narrowed.slug, made.former.slug] as const,
    /** Of those that have one. */
    codes: [made.private.code, made.former.code] as const,
    async close(): Promise<void> {
      for (const close of closings) await close();
      await test[Symbol.asyncDispose]();
    },
  };
}

export type PrivateLeagues = Awaited<ReturnType<typeof openPrivateLeagues>>;

function sharedPages(ctx: ApiContext): Parameters<typeof openSignInContext>[1] {
  return {
    frameOf: (here) => createFrame(ctx.config, navigationOf(ctx.config), here),
    standing: (record) => ownStanding(ctx, record),
  };
}
