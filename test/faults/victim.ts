import type { FailpointName, Ranking, RankingDependencies } from '../../engine/ranking/index.ts';
import type { RankingWorld } from '../support/ranking-world.ts';

/** What happens at the point: the process is gone for good, or it sleeps until it is woken. */
export type Mode = 'stop' | 'pause';

/** An engine, as another process would have one, that stops or falls asleep at one point. */
export interface Victim {
  readonly engine: Ranking;
  /** Resolves when the point was reached; rejects when the work ended, or failed, before. */
  readonly reachedBy: (work: Promise<unknown>) => Promise<void>;
  /** How often the point was reached. */
  hits(): number;
  /** Lets a sleeping one go on. One that stopped never does. */
  wake(): void;
}

export interface Point {
  readonly at: FailpointName;
  /** Which of the times that the point is reached is meant; the first unless given. */
  readonly nth?: number;
}

/**
 * An engine that gets as far as `point`. To stop there for good it waits for ever: like a killed process it runs no
 * handler, gives nothing back and cleans nothing up.
 */
export function makeVictim(
  world: RankingWorld,
  { at, nth = 1 }: Point,
  extra: Partial<RankingDependencies> = {},
): Victim {
  let hits = 0;
  const told = deferred();
  const asleep = deferred();
  const failpoint = (failpointName: FailpointName): Promise<void> | void => {
    if (failpointName !== at) return;
    hits += 1;
    if (hits !== nth) return;
    told.resolve();
    return asleep.promise;
  };
  return {
    engine: world.another({ ...extra, failpoint }),
    reachedBy: (work) => firstOf(told.promise, work, at),
    hits: () => hits,
    wake: asleep.resolve,
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
  // From here on the work's failure is for whoever waits for the work.
  ended.catch(() => undefined);
}
