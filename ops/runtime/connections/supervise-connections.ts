import type { Server, Socket } from 'node:net';

/** Why a connection ended before its request was answered, or over a limit. */
export type CloseReason = 'aborted' | 'malformed' | 'timeout' | 'unread' | 'silent' | 'peer_limit' | 'process_limit';

export interface ConnectionBounds {
  /** Connections of the process at once. */
  readonly maxConnections: number;
  /** Connections of one peer at once, and the key that makes two peers one; null is not counted. */
  readonly perPeer?: { readonly max: number; readonly keyOf: (remoteAddress: string) => string | null };
  /** From the last byte taken of what was sent until a connection that takes no more is closed, in milliseconds. */
  readonly unreadMs: number;
  /** From the beginning of a connection until its first reply, in milliseconds; HTTP has other limits for this. */
  readonly firstReplyMs?: number;
  /** Between two checks of every connection, in milliseconds. */
  readonly checkEveryMs: number;
  readonly onClosed?: (reason: CloseReason, socket?: Socket) => void;
}

/** The connections of a server. */
export interface Supervision {
  /** Destroys every connection but those that `isExempt` picks; of those, the ones that took none of their output for `unreadMs`. */
  destroyExcept(isExempt: (socket: Socket) => boolean, unreadMs: number): void;
}

/** How far a connection's output got. */
interface Progress {
  readonly key: string | null;
  /** Bytes of completed writes, and bytes of the write under way that are still to be taken. */
  sent: number;
  underWay: number;
  /** Milliseconds for which none of it moved, and since the connection began, as far as this process ran meanwhile. */
  stuckMs: number;
  ageMs: number;
}

/**
 * Limits a server's connections in number and in time. A connection over a limit is destroyed, not half closed: a client
 * that never closes its side would keep a half-closed one open for ever.
 */
export function superviseConnections(server: Server, bounds: ConnectionBounds): Supervision {
  const { perPeer, unreadMs, firstReplyMs = Number.POSITIVE_INFINITY, checkEveryMs, onClosed } = bounds;
  const connections = new Map<Socket, Progress>();
  const counts = new Map<string, number>();

  const close = (socket: Socket, reason: CloseReason): void => {
    onClosed?.(reason, socket);
    socket.destroy();
  };
  const forget = (socket: Socket, { key }: Progress): void => {
    connections.delete(socket);
    if (key === null) return;
    const left = (counts.get(key) ?? 1) - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };

  server.maxConnections = bounds.maxConnections;
  server.on('drop', () => onClosed?.('process_limit'));
  server.on('connection', (socket) => {
    const key = perPeer?.keyOf(socket.remoteAddress ?? '') ?? null;
    const progress = { key, sent: 0, underWay: 0, stuckMs: 0, ageMs: 0 };
    connections.set(socket, progress);
    socket.once('close', () => forget(socket, progress));
    if (key === null || perPeer === undefined) return;
    const open = (counts.get(key) ?? 0) + 1;
    counts.set(key, open);
    if (open > perPeer.max) close(socket, 'peer_limit');
  });

  let checkedAt = performance.now();
  const check = (limitMs: number): void => {
    const now = performance.now();
    // Time for which this process was stopped does not count against its clients.
    const passedMs = Math.min(now - checkedAt, checkEveryMs * 2);
    checkedAt = now;
    for (const [socket, progress] of connections) {
      progress.ageMs += passedMs;
      progress.stuckMs = hasMoved(socket, progress) ? 0 : progress.stuckMs + passedMs;
      if (progress.stuckMs >= limitMs) close(socket, 'unread');
      else if (progress.ageMs >= firstReplyMs && socket.bytesWritten === 0) close(socket, 'silent');
    }
  };
  const timer = setInterval(check, checkEveryMs, unreadMs).unref();
  server.once('close', () => clearInterval(timer));

  return {
    destroyExcept(isExempt, limitMs) {
      for (const socket of connections.keys()) if (!isExempt(socket)) socket.destroy();
      check(limitMs);
    },
  };
}

/** Whether the client took output since the last check, or none is waiting. */
function hasMoved(socket: Socket, progress: Progress): boolean {
  const waiting = socket.writableLength;
  if (waiting === 0) return true;
  // What is written meanwhile is in both numbers, so that only bytes that were taken make a difference.
  const sent = socket.bytesWritten - waiting;
  const underWay = bytesUnderWay(socket);
  if (sent === progress.sent && underWay === progress.underWay) return false;
  Object.assign(progress, { sent, underWay });
  return true;
}

/** Bytes of one long write that the system has not taken yet, which Node's public counters see only when it is done. */
function bytesUnderWay(socket: Socket): number {
  const handle: unknown = '_handle' in socket ? socket._handle : null;
  if (typeof handle !== 'object' || handle === null || !('writeQueueSize' in handle)) return 0;
  return typeof handle.writeQueueSize === 'number' ? handle.writeQueueSize : 0;
}
