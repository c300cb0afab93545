import type { Socket } from 'node:net';

/**
 * Consecutive refusals after which a connection counts as part of a flood. Connections that clients share through a proxy also
 * carry other responses.
 */
const FLOOD_STREAK = 64;

/** Time after which a silent connection loses its turn, in milliseconds. */
const IDLE_MS = 10;

/** Periods of `IDLE_MS` without any response but refusals, after which no other request is assumed to wait. */
const MAX_QUIET = 3;

/** One more connection is read at a time for each so many that wait: 10,000 silent ones delay the last by a few seconds. */
const WAITING_PER_OPEN = 32;

export type FairTurns = ReturnType<typeof createFairTurns>;

/**
 * Reads the connections of a flood round-robin, one in each turn of the event loop, so that other requests wait for the refusals
 * of one connection only. The other connections of the flood are paused: their requests stay in the system's buffers. While the
 * service sends nothing but refusals, no connection is paused.
 *
 * Memory: the paused connections, at most as many as the server accepts.
 */
export function createFairTurns() {
  const streaks = new WeakMap<Socket, number>();
  /** Connections that wait to be read, oldest first; those to pause at the end of the turn; those that have their turn. */
  const waiting = new Set<Socket>();
  const refused = new Set<Socket>();
  const open = new Set<Socket>();
  let quiet = MAX_QUIET;
  let ended = false;
  let turn: NodeJS.Immediate | null = null;
  let idle: NodeJS.Timeout | null = null;

  function takeTurn(): void {
    turn = null;
    // Only now: Node resumes a connection when a response on it ends.
    for (const socket of refused) socket.pause();
    refused.clear();
    for (const socket of waiting) {
      if (open.size > waiting.size / WAITING_PER_OPEN) break;
      waiting.delete(socket);
      open.add(socket);
      socket.resume();
    }
  }

  function passIdle(): void {
    idle = null;
    open.clear();
    quiet += 1;
    if (quiet >= MAX_QUIET) readAll();
    if (waiting.size === 0) return;
    turn ??= setImmediate(takeTurn);
    idle = setTimeout(passIdle, IDLE_MS);
  }

  function readAll(): void {
    for (const socket of waiting) socket.resume();
    waiting.clear();
    refused.clear();
  }

  return {
    /** Records any response but a refusal because of a quota. */
    served(socket: Socket): void {
      quiet = 0;
      streaks.delete(socket);
    },
    /** Records a refusal because of a quota. */
    refused(socket: Socket): void {
      if (ended || quiet >= MAX_QUIET) return;
      idle ??= setTimeout(passIdle, IDLE_MS);
      const streak = (streaks.get(socket) ?? 0) + 1;
      streaks.set(socket, streak);
      if (streak < FLOOD_STREAK) return;
      open.delete(socket);
      waiting.add(socket);
      refused.add(socket);
      turn ??= setImmediate(takeTurn);
    },
    /** Connections that wait to be read. */
    waiting: () => waiting.size,
    /** Resumes every connection, and pauses none from now on. */
    end(): void {
      ended = true;
      readAll();
    },
  };
}
