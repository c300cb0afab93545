import { WINDOWS } from '../../../../engine/contract/index.ts';
import { LeaderboardResponse, type LeaderboardResponseBody } from '../../../../engine/contract/schemas/leaderboard.ts';
import { OperatorProfile } from '../../../../engine/contract/schemas/operator-profile.ts';
import { repeatedly } from '../../frame/repeatedly.ts';

/** Pause between rounds of requests, in milliseconds. */
const PAUSE_MS = 500;
const ENTRIES = 100;
const MAX_SHOWN_FAILURES = 5;

export interface LeaderboardSeen {
  readonly window: number;
  readonly board: LeaderboardResponseBody;
}

export type ProfileSeen = ReturnType<typeof profileSeen>;

export type Responses = Awaited<ReturnType<ReturnType<typeof pollResponses>['end']>>;

/** Reads every window and the profiles of `operators` repeatedly, until `end` is called. */
export function pollResponses(
  baseUrl: string,
  operators: readonly { readonly number: number; readonly codename: string }[],
) {
  const leaderboards: LeaderboardSeen[] = [];
  const profiles: ProfileSeen[] = [];
  const failures: string[] = [];
  let failed = 0;

  async function read(path: string): Promise<unknown> {
    try {
      const response = await fetch(`${baseUrl}${path}`);
      if (response.status === 200) return await response.json();
      throw new Error(`${response.status} ${await response.text()}`);
    } catch (error) {
      failed++;
      if (failures.length < MAX_SHOWN_FAILURES) failures.push(`${path}: ${String(error)}`);
      return null;
    }
  }

  async function round(): Promise<void> {
    for (const [window, name] of WINDOWS.entries()) {
      const body = await read(`/leaderboard?window=${name}&limit=${ENTRIES}`);
      if (body !== null) leaderboards.push({ window, board: LeaderboardResponse.parse(body) });
    }
    for (const { number, codename } of operators) {
      const body = await read(`/operators/${codename}`);
      if (body !== null) profiles.push(profileSeen(number, body));
    }
  }

  const polling = repeatedly(PAUSE_MS, round);
  return {
    async end() {
      await polling.end();
      /** `failed`: reads with another status than 200; `failures`: the first of them as text. */
      return { leaderboards, profiles, failed, failures };
    },
  };
}

function profileSeen(operator: number, body: unknown) {
  const { board_version: version = 0, methodology = 0, windows } = OperatorProfile.parse(body);
  const standings = WINDOWS.map((name) => ({
    yield_: windows?.[name]?.yield_ ?? null,
    rank: windows?.[name]?.rank ?? null,
  }));
  return { operator, version, methodology, windows: standings };
}
