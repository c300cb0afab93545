import type { FailpointName, Ranking, RankingDependencies } from '../../engine/ranking/index.ts';
import type { RankingWorld } from '../support/ranking-world.ts';

/** What happens at the failpoint: the process stops permanently, or pauses until `wake`. */
export type Mode = 'stop' | 'pause';

/** An engine, like that of another process, that stops or pauses at one failpoint. */
export interface Victim {
  readonly engine: Ranking;
  /** Resolves when the failpoint is reached; rejects when the work ends or fails before. */
  readonly reachedBy: (work: Promise<unknown>) => Promise<void>;
  /** How often the failpoint was reached. */
  hits(): number;
  /** Resumes the paused work. */
  wake(): void;
}

export interface Point {
  readonly at: FailpointName;
  /** At which of its occurrences; 1 by default. */
  readonly nth?: number;
}

/**
 * Creates an engine that runs up to a failpoint and waits there, without a wake forever: like a killed process it runs no
 * handler, releases nothing and cleans nothing up.
 */
export function makeVictim(
  world: RankingWorld,
  { at, nth = 1 }: Point,
  extra: Partial<RankingDependencies> = {},
): Victim {
  let hits = 0;
  const reached = deferred();
  const paused = deferred();
  const failpoint = (failpointName: FailpointName): Promise<void> | void => {
    if (failpointName !== at) return;
    hits += 1;
    if (hits !== nth) return;
    reached.resolve();
    return paused.promise;
  };
  return {
    engine: world.another({ ...extra, failpoint }),
    reachedBy: (work) => firstOf(reached.promise, work, at),
    hits: () => hits,
    wake: paused.resolve,
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  const box: { resolve?: () => void } = {};
  const promise = new Promise<void>((resolve) => {
    box.resolve = resolve;
  });
  return { promise, resolve: () => box.resolve?.() };
}

async function firstOf(reached: Promise<void>, work: Promise<unknown>, at: FailpointName): Promise<void> {
  const ended = work.then(() => 'ended');
  if ((await Promise.race([reached, ended])) === 'ended') throw new Error(`the work ended without reaching ${at}`);
  // From here on the caller handles a failure of the work.
  ended.catch(() => undefined);
}
