import type { Socket } from 'node:net';

/** Refusals in a row that make a connection that of a flood. One that a proxy shares among clients has other responses, too. */
const FLOOD_STREAK = 64;

/** How long a connection of a flood that sends nothing keeps others waiting, in milliseconds. */
const IDLE_MS = 10;

/** After so many times `IDLE_MS` without another response, nobody is taken to wait for one. */
const MAX_QUIET = 3;

/** Of this many connections that wait, one more is read at a time, so that the last of 10,000 silent ones is after some seconds. */
const WAITING_PER_OPEN = 32;

export type FairTurns = ReturnType<typeof createFairTurns>;

/**
 * Takes connections that were only refused in turns, one in each turn of the event loop, so that other requests wait for the
 * refusals of one connection and not for those of a flood. The others are not read meanwhile: their requests stay in the system's
 * buffers. While nothing but refusals is sent, every connection is read as ever.
 *
 * It holds no connection but those that wait to be read, of which there are at most as many as the server has.
 */
export function createFairTurns() {
  const streaks = new WeakMap<Socket, number>();
  /** Connections that wait to be read, the next one first; those to pause; and those that are read until they are refused. */
  const waiting = new Set<Socket>();
  const refused = new Set<Socket>();
  const open = new Set<Socket>();
  let quiet = MAX_QUIET;
  let ended = false;
  let turn: NodeJS.Immediate | null = null;
  let idle: NodeJS.Timeout | null = null;

  function takeTurn(): void {
    turn = null;
    // Not before: a response that ends makes Node read its connection.
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
    /** Notes a response that is no refusal of a client over its quota. */
    served(socket: Socket): void {
      quiet = 0;
      streaks.delete(socket);
    },
    /** Notes that a client over its quota was refused on a connection. */
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
    /** Reads every connection from now on. */
    end(): void {
      ended = true;
      readAll();
    },
  };
}
