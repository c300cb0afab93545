import type { ServerResponse } from 'node:http';
import { setImmediate as afterPoll, setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '../../../config/limits.ts';
import { singleFlight } from '../../../config/single-flight.ts';
import type { Window } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { BoardReader } from '../../../engine/ranking/index.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { type BoardRows, boardFrame, boardId, changeFrame, readRows } from './board-rows.ts';

/** Subscriptions of one process, and of one client. */
const MAX_SUBSCRIPTIONS = LIMITS.connections.ofApi / 2;
const MAX_OF_CLIENT = 64;

/** Bytes waiting to be read beyond which a client is dropped: several frames of a hundred rows. */
const MAX_UNREAD_BYTES = 256 * 1024;

/** Subscriptions that are written to before the process does other work. */
const WRITES_PER_TURN = 100;

/** A client whose subscription ended comes back after a random time in these bounds, in milliseconds. */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;

/** Milliseconds between two frames of a board at least, and between two comments. */
const TIMES = { frameMs: 1_000, commentMs: 15_000 };

const COMMENT = Buffer.from(':\n\n');

/** The board of a window, of all operators or of a platform, that clients follow. There are few, so none is removed. */
interface Channel {
  readonly window: Window;
  readonly platform: Platform | null;
  /** What all subscribers have, and the frame for new ones; null before it was first read. */
  shown: { readonly rows: BoardRows; readonly frame: Buffer } | null;
  readonly subscribers: Set<ServerResponse>;
}

export interface Subscription extends Pick<Channel, 'window' | 'platform'> {
  /** The text by which the limiter counts the client. */
  readonly client: string;
  /** The id of the last frame that the client got. */
  readonly lastId: string | undefined;
}

export interface BoardEventsOptions {
  readonly board: Pick<BoardReader, 'view' | 'onView' | 'withBoardView'>;
  /** Called when a client is dropped that does not read. */
  readonly onUnread: () => void;
  readonly onError: (error: unknown) => void;
  readonly times?: typeof TIMES | undefined;
}

/** The subscriptions of this process to boards. */
export type BoardEvents = ReturnType<typeof createBoardEvents>;

/**
 * Follows a board reader. All subscribers of a board have the same rows, so that one frame leads all of them to the newest version. A
 * client that has others gets all rows first: nothing is stored for clients that are away.
 */
export function createBoardEvents({ board, onUnread, onError, times = TIMES }: BoardEventsOptions) {
  const channels = new Map<string, Channel>();
  const ofClient = new Map<string, number>();
  const joinRefresh = singleFlight<void>();
  let taken = 0;
  let isFollowing = false;
  let isDue = false;
  let isClosed = false;

  function channelOf({ window, platform }: Subscription): Channel {
    const key = `${window} ${platform}`;
    const channel = channels.get(key) ?? { window, platform, shown: null, subscribers: new Set() };
    channels.set(key, channel);
    return channel;
  }

  /** Writes to those who subscribe now, unless they leave before it is their turn. */
  async function send(subscribers: ReadonlySet<ServerResponse>, bytes: Buffer): Promise<void> {
    for (const [index, response] of [...subscribers].entries()) {
      if (index % WRITES_PER_TURN === WRITES_PER_TURN - 1) await afterPoll();
      if (!subscribers.has(response)) continue;
      if (response.writableLength <= MAX_UNREAD_BYTES) response.write(bytes);
      else {
        onUnread();
        response.req.socket.destroy();
      }
    }
  }

  const refresh = (channel: Channel): Promise<void> =>
    joinRefresh(async () => {
      const { window, platform, shown: former, subscribers } = channel;
      if (former?.rows.id === boardId(board.view())) return;
      const rows = await readRows(board, window, platform);
      channel.shown = { rows, frame: boardFrame(rows) };
      if (former !== null) await send(subscribers, changeFrame(former.rows, rows));
    }, `${channel.window} ${channel.platform}`);

  /** Brings every board with subscribers to its newest version, then rests, until there is no newer one. */
  async function follow(): Promise<void> {
    isDue = true;
    if (isFollowing) return;
    isFollowing = true;
    while (isDue && !isClosed) {
      isDue = false;
      for (const channel of channels.values()) {
        if (channel.subscribers.size === 0) continue;
        await refresh(channel).catch((error: unknown) => {
          isDue = true;
          onError(error);
        });
      }
      await pause(times.frameMs, null, { ref: false });
    }
    isFollowing = false;
  }

  /** Counts a subscription until its response or its connection closes. @throws Problem rate_limited. */
  function take(response: ServerResponse, client: string, { subscribers }: Channel): void {
    const open = ofClient.get(client) ?? 0;
    if (taken >= MAX_SUBSCRIPTIONS || open >= MAX_OF_CLIENT) {
      const detail = 'Too many subscriptions are open. Try again in a minute.';
      throw new Problem('rate_limited', { detail, headers: { 'Retry-After': '60' } });
    }
    ofClient.set(client, open + 1);
    taken += 1;
    const { socket } = response.req;
    // Node does not close a response that waits behind another one when its connection closes.
    const leave = (): void => {
      socket.off('close', leave);
      response.off('close', leave);
      subscribers.delete(response);
      taken -= 1;
      const left = (ofClient.get(client) ?? 1) - 1;
      if (left === 0) ofClient.delete(client);
      else ofClient.set(client, left);
    };
    socket.once('close', leave);
    response.once('close', leave);
    if (socket.destroyed) leave();
  }

  function begin(
    response: ServerResponse,
    { platform, shown, subscribers }: Channel,
    lastId: string | undefined,
  ): void {
    if (response.req.socket.destroyed) return;
    if (isClosed) return void response.end(retry());
    response.write(retry());
    // Rows of a platform join the present records: two processes can have read them differently for the same version.
    if (shown !== null && (platform !== null || lastId !== shown.rows.id)) response.write(shown.frame);
    subscribers.add(response);
    void follow();
  }

  const unsubscribe = board.onView(() => void follow());
  const comments = setInterval(() => {
    for (const { subscribers } of channels.values()) void send(subscribers, COMMENT);
  }, times.commentMs).unref();

  return {
    /** Returns what begins the subscription on a response whose headers are sent. @throws Problem rate_limited, storage_unavailable. */
    async subscribe(response: ServerResponse, subscription: Subscription): Promise<() => void> {
      const channel = channelOf(subscription);
      take(response, subscription.client, channel);
      if (channel.subscribers.size === 0) await fromStorage(() => refresh(channel));
      return () => begin(response, channel, subscription.lastId);
    },
    /** Ends all subscriptions, and each later one at once: the clients come back to another process. */
    close(): void {
      isClosed = true;
      unsubscribe();
      clearInterval(comments);
      for (const { subscribers } of channels.values()) {
        for (const response of subscribers) response.end(retry());
        subscribers.clear();
      }
    },
  };
}

/** Says when a client that lost its subscription is to come back. */
function retry(): string {
  return `retry: ${Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS))}\n\n`;
}
