import type { Pace } from '../../engine/ranking/index.ts';

/** The pace of runs that rank platforms, without pauses. */
export const UNPACED: Pace = { now: () => 0, pause: async () => undefined };
