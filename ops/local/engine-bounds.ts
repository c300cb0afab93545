import { LIMITS } from '../../config/limits.ts';

/** Connection limits of an embedded engine. `testMs` replaces every time limit in tests, in milliseconds. */
export function engineBounds(testMs?: string) {
  if (testMs === undefined) return LIMITS.connections.ofEngine;
  const times = Number(testMs);
  const { maxConnections, minBytesPerMs } = LIMITS.connections.ofEngine;
  return {
    maxConnections,
    minBytesPerMs,
    unreadMs: times,
    firstReplyMs: times,
    messageMs: times,
    checkEveryMs: times / 5,
  };
}
