import { LIMITS } from '../../config/limits.ts';

/** The bounds of an embedded engine's connections; a test gives all their times, in milliseconds, as one argument. */
export function engineBounds(testMs?: string) {
  if (testMs === undefined) return LIMITS.connections.ofEngine;
  const times = Number(testMs);
  const { maxConnections } = LIMITS.connections.ofEngine;
  return { maxConnections, unreadMs: times, firstReplyMs: times, messageMs: times, checkEveryMs: times / 5 };
}
