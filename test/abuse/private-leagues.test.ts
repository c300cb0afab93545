import { expect } from 'chai';
import type { Answered } from '../support/answered.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { type AskedRequest, createLeagueRequests, readsOfMember } from './support/league-requests.ts';
import { HIDDEN, NAME, OPEN, OWNER, openPrivateLeagues } from './support/private-leagues.ts';

const ANSWERS = runsOf(500, 100_000);
/** Requests under way at a time. */
const AT_ONCE = 8;
/** Between these: what is kept of an answer, for up to half a minute, is asked for again before and after its end. */
const STEPS_MS = [0, 100, 3_000, 15_000];
/** Longer than any quota's window: each request comes as if nothing had come before. */
const BETWEEN_MS = 3_700_000;

/** Addresses of a league's board, name and picture, which have nothing of a private one. */
const OF_LEAGUE = /^(\/api\/v1\/leagues|\/league|\/account\/leagues|\/card\/league)\//;
/** 308: any address of a page with a slash leads to that without. */
const READ_IN_VAIN = [308, 400, 404, 405, 406];
const REFUSALS = [...READ_IN_VAIN, 401, 403, 415, 429];

/** An answer without its address, its id, its moment, and what is left of the quota. */
const anonymous = ({ status, headers, text }: Answered, slug: string) => {
  const same = (value: string) => value.replaceAll(slug, 'SLUG').replaceAll(/urn:uuid:[0-9a-f-]{36}/g, '');
  const kept = [...headers].filter(([name]) => name !== 'date' && !name.startsWith('ratelimit'));
  return { status, headers: kept.map(([name, value]) => [name, same(value)]), text: same(text) };
};

/** All of a body; of events, which do not end, the first ones. */
async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) return response.text();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!/^data:/m.test(text) || !text.endsWith('\n\n')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  return text;
}

describe('abuse: private leagues', function () {
  this.timeout(7_200_000);
  const seed = runSeed();
  const random = seededRandom(seed);
  const logged: unknown[] = [];
  const world = useFixture(() => openPrivateLeagues(logged));

  async function answerTo({ method, path, headers, body }: AskedRequest) {
    const given = body === undefined ? {} : { body };
    const response = await fetch(`${world().test.origin}${path}`, { redirect: 'manual', method, headers, ...given });
    return { status: response.status, text: `${await textOf(response)} ${[...response.headers].join(' ')}` };
  }

  it(`are in no answer to who is not a member (seed ${seed})`, async () => {
    const { test, slugs, codes, people } = world();
    const nextRequest = createLeagueRequests(random, world());
    const secrets = [NAME, OWNER, HIDDEN, ...slugs, ...codes];
    const statuses = new Map<number, number>();
    const check = async (asked: AskedRequest): Promise<void> => {
      const { status, text } = await answerTo(asked);
      const { method, path, body = '' } = asked;
      const what = decodeURIComponent(`${method} ${path} ${body}`);
      // An answer may repeat what was asked: the address, but not the name, or who is in it.
      const shown = secrets.filter((secret) => text.includes(secret) && !what.includes(secret));
      expect(shown, `${what}: ${status}`).to.deep.equal([]);
      const isOfPrivate = OF_LEAGUE.test(path) && !path.includes(`/${OPEN}`);
      if (isOfPrivate && method !== 'OPTIONS') expect(status, what).to.be.oneOf(REFUSALS);
      if (isOfPrivate && method === 'GET') expect(status, what).to.be.oneOf(READ_IN_VAIN);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };
    for (let count = 0; count < ANSWERS; count += AT_ONCE) {
      test.now += random.pick(STEPS_MS);
      const { visitors, member } = await people();
      // A member reads at the same time, for whom answers may be kept.
      const read = random.pick(readsOfMember(world(), member));
      const asked = Array.from({ length: AT_ONCE }, () => nextRequest(visitors));
      const [, { text }] = await Promise.all([Promise.all(asked.map(check)), answerTo(read)]);
      expect(text, read.path).to.include(read.shows);
    }
    expect([...statuses.keys()]).to.include.members([200, 303, 304, 400, 403, 404]);
  });

  it('answer who is not a member as an address that there is not, byte for byte', async () => {
    const { test, other } = world();
    const unknown = 'A'.repeat(22);
    const asked = [
      ['GET', ''],
      ['GET', '/leaderboard'],
      ['GET', '/leaderboard?window=1d'],
      ['GET', '/leaderboard?season=2026-05-04'],
      ['POST', '/join', { code: 'wrong' }],
      ['DELETE', ''],
      ['DELETE', `/members/${OWNER}`],
      ['DELETE', '/members/other-league'],
      ['PATCH', '', { name: 'Mine' }],
      ['PATCH', '', { owner: 'other-league' }],
      ['PATCH', '', { code: 'replace' }],
    ] as const;
    for (const slug of world().slugs) {
      for (const [method, path, body] of asked) {
        for (const signedIn of [true, false]) {
          test.now += BETWEEN_MS;
          const token: Record<string, string> = signedIn
            ? { authorization: `Bearer ${await test.token(other.operator)}` }
            : {};
          const send = (place: string) =>
            test.send(`/api/v1/leagues/${place}${path}`, {
              method,
              headers: { ...token, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            });
          const [found, none] = [await send(slug), await send(unknown)];
          expect(anonymous(found, slug), `${method} ${path}`).to.deep.equal(anonymous(none, unknown));
          expect(found.headers.get('cache-control')).to.equal('no-store');
        }
      }
    }
  });

  it('are in no log, and in no metric label', () => {
    const { test, slugs, codes } = world();
    const labels = test.answered.map(({ route, method }) => `${method} ${route}`).join('\n');
    const text = `${labels} ${JSON.stringify(logged, (_, value) => (value instanceof Error ? String(value.stack) : value))}`;
    expect(test.answered.length).to.be.above(ANSWERS / 2);
    for (const secret of [NAME, ...slugs, ...codes]) expect(text).to.not.include(secret);
  });
});
