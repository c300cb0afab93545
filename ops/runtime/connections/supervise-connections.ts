import type { Server, Socket } from 'node:net';

/** Why a connection ended before its request was answered, or which limit it exceeded. */
export type CloseReason = 'aborted' | 'malformed' | 'timeout' | 'unread' | 'silent' | 'peer_limit' | 'process_limit';

export interface ConnectionBounds {
  /** Connections of the process at once. */
  readonly maxConnections: number;
  /** Connections of one peer at once, and the key that identifies a peer; peers with the key null are not counted. */
  readonly perPeer?: { readonly max: number; readonly keyOf: (remoteAddress: string) => string | null };
  /**
   * Milliseconds after which a connection is closed whose client reads none of its pending output, besides the time that the output
   * takes at `minBytesPerMs`: Node reports a write when the system has accepted all of it.
   */
  readonly unreadMs: number;
  readonly minBytesPerMs: number;
  /** Milliseconds from the start of a connection to its first reply; HTTP servers have separate limits for this. */
  readonly firstReplyMs?: number;
  /** Between two checks of every connection, in milliseconds. */
  readonly checkEveryMs: number;
  readonly onClosed?: (reason: CloseReason, socket?: Socket) => void;
}

/** Output progress of a connection. */
interface Progress {
  readonly key: string | null;
  /** Bytes of completed writes. */
  sent: number;
  /** Milliseconds without output progress, and since the connection began; time for which this process was stopped is left out. */
  stuckMs: number;
  ageMs: number;
}

/**
 * Limits the number and the idle time of a server's connections. A connection over a limit is destroyed, not half closed:
 * a client that never closes its side would keep a half-closed connection open forever.
 */
export function superviseConnections(server: Server, bounds: ConnectionBounds) {
  const { perPeer, firstReplyMs = Number.POSITIVE_INFINITY, checkEveryMs, onClosed } = bounds;
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
    const progress = { key, sent: 0, stuckMs: 0, ageMs: 0 };
    connections.set(socket, progress);
    socket.once('close', () => forget(socket, progress));
    if (key === null || perPeer === undefined) return;
    const open = (counts.get(key) ?? 0) + 1;
    counts.set(key, open);
    if (open > perPeer.max) close(socket, 'peer_limit');
  });

  let checkedAt = performance.now();
  const check = (limitMs: number, bytesPerMs: number): void => {
    const now = performance.now();
    // Time for which this process was stopped does not count against its clients.
    const passedMs = Math.min(now - checkedAt, checkEveryMs * 2);
    checkedAt = now;
    for (const [socket, progress] of connections) {
      progress.ageMs += passedMs;
      progress.stuckMs = hasProgressed(socket, progress) ? 0 : progress.stuckMs + passedMs;
      if (progress.stuckMs >= limitMs + socket.writableLength / bytesPerMs) close(socket, 'unread');
      else if (progress.ageMs >= firstReplyMs && socket.bytesWritten === 0) close(socket, 'silent');
    }
  };
  const timer = setInterval(check, checkEveryMs, bounds.unreadMs, bounds.minBytesPerMs).unref();
  server.once('close', () => clearInterval(timer));

  return {
    /** Destroys every connection that is not exempt, and exempt ones no write of which completed for `limitMs`. */
    destroyExcept(isExempt: (socket: Socket) => boolean, limitMs: number): void {
      for (const socket of connections.keys()) if (!isExempt(socket)) socket.destroy();
      check(limitMs, Number.POSITIVE_INFINITY);
    },
  };
}

/** Whether a write has completed since the last check, or no output is pending. */
function hasProgressed(socket: Socket, progress: Progress): boolean {
  if (socket.writableLength === 0) return true;
  // New writes raise both numbers equally.
  const sent = socket.bytesWritten - socket.writableLength;
  if (sent === progress.sent) return false;
  progress.sent = sent;
  return true;
}
