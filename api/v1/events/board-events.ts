import type { ServerResponse } from 'node:http';
import { setImmediate as afterPoll } from 'node:timers/promises';
import { LIMITS } from '../../../config/limits.ts';
import { singleFlight } from '../../../config/single-flight.ts';
import type { Window } from '../../../engine/contract/index.ts';
import type { Platform } from '../../../engine/contract/platforms.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { type BoardRows, boardFrame, boardId, changeFrame, type RowSource, readRows } from './board-rows.ts';

/** The bounds of one process; tests change them. */
export const EVENT_BOUNDS = {
  maxSubscriptions: LIMITS.connections.ofApi / 2,
  maxOfClient: 64,
  /** Bytes waiting to be read beyond which a client is dropped: several frames of a hundred rows. */
  maxUnreadBytes: 256 * 1024,
  /** Milliseconds between two frames of a board, and between two comments. */
  frameMs: 1_000,
  commentMs: 15_000,
};

/** Subscriptions that are written to before the process does other work. */
const WRITES_PER_TURN = 25;

/** A client whose subscription ended comes back after a random time in these bounds, in milliseconds. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [1_000, 10_000] as const;
const COMMENT = Buffer.from(':\n\n');

/** The board of a window, of all operators or of a platform. */
interface Followed {
  readonly window: Window;
  readonly platform: Platform | null;
}

/** Writes to all subscribers who do not leave before it is their turn. */
type Write = (subscribers: ReadonlySet<ServerResponse>, bytes: Buffer) => Promise<void>;

interface BoardEventsOptions {
  readonly board: RowSource;
  /** Called when a client is dropped that does not read. */
  readonly onUnread: () => void;
  /** Called with the number of open subscriptions when it changes. */
  readonly onCount: (open: number) => void;
  readonly onError: (error: unknown) => void;
  readonly bounds?: Partial<typeof EVENT_BOUNDS> | undefined;
}

export type BoardEvents = ReturnType<typeof createBoardEvents>;

/** The subscriptions of this process to boards, whose newest rows it follows. */
export function createBoardEvents({ board, onUnread, onCount, onError, bounds }: BoardEventsOptions) {
  const all = { ...EVENT_BOUNDS, ...bounds };
  const { frameMs, commentMs, maxUnreadBytes } = all;
  const takePlace = createPlaces(all, onCount);
  /** By window and platform: there are few, so none is removed. */
  const channels = new Map<string, ReturnType<typeof createChannel>>();
  const joinRefresh = singleFlight<void>();
  let isClosed = false;

  const write: Write = async (subscribers, bytes) => {
    for (const [index, response] of [...subscribers].entries()) {
      if (index % WRITES_PER_TURN === WRITES_PER_TURN - 1) await afterPoll();
      if (!subscribers.has(response)) continue;
      if (response.writableLength <= maxUnreadBytes) response.write(bytes);
      else {
        onUnread();
        response.req.socket.destroy();
      }
    }
  };

  async function refreshAll(): Promise<void> {
    for (const { subscribers, refresh } of channels.values()) {
      if (subscribers.size > 0) await refresh().catch(onError);
    }
  }

  const frames = setInterval(() => void joinRefresh(refreshAll), frameMs).unref();
  const comments = setInterval(() => {
    for (const { subscribers } of channels.values()) void write(subscribers, COMMENT);
  }, commentMs).unref();

  return {
    /**
     * Takes a place for a client, by the text by which the limiter counts it. Returns what begins its subscription on the response once the
     * headers are sent; `lastId` is of the last frame that it got. @throws Problem rate_limited, storage_unavailable.
     */
    async subscribe(response: ServerResponse, client: string, { window, platform }: Followed, lastId?: string) {
      const key = `${window} ${platform}`;
      const channel = channels.get(key) ?? createChannel(board, { window, platform }, write);
      channels.set(key, channel);
      takePlace(response, client, () => void channel.subscribers.delete(response));
      if (channel.subscribers.size === 0) await fromStorage(channel.refresh);
      return (): void => {
        if (response.req.socket.destroyed) return;
        response.write(retry());
        if (isClosed) response.end();
        else channel.begin(response, lastId);
      };
    },
    /** Ends all subscriptions, and each later one at once: clients come back to another process. */
    close(): void {
      isClosed = true;
      for (const timer of [frames, comments]) clearInterval(timer);
      for (const { subscribers } of channels.values()) {
        for (const response of subscribers) response.end(retry());
        subscribers.clear();
      }
    },
  };
}

/**
 * A board that clients follow. All subscribers have the same rows, so that one frame leads all of them to the newest ones. A client that has
 * others gets all rows first: nothing is stored for clients that are away.
 */
function createChannel(board: RowSource, { window, platform }: Followed, write: Write) {
  const subscribers = new Set<ServerResponse>();
  const joinRefresh = singleFlight<void>();
  let shown: BoardRows | null = null;
  let all: Buffer = COMMENT;
  async function readNewest(): Promise<void> {
    const former = shown;
    if (former?.id === boardId(board.view())) return;
    const rows = await readRows(board, window, platform);
    shown = rows;
    all = boardFrame(rows);
    // Who subscribes from here on has these rows.
    if (former !== null) await write(subscribers, changeFrame(former, rows));
  }
  return {
    subscribers,
    refresh: () => joinRefresh(readNewest),
    begin(response: ServerResponse, lastId: string | undefined): void {
      // Rows of a platform join the present records: two processes can have read them differently for one version.
      if (platform !== null || lastId !== shown?.id) response.write(all);
      subscribers.add(response);
    },
  };
}

/** Counts subscriptions until their response or connection closes, and calls `onLeave` then. @throws Problem rate_limited. */
function createPlaces({ maxSubscriptions, maxOfClient }: typeof EVENT_BOUNDS, onCount: BoardEventsOptions['onCount']) {
  const taken = new Map<ServerResponse, string>();
  return (response: ServerResponse, client: string, onLeave: () => void): void => {
    const ofClient = [...taken.values()].filter((one) => one === client).length;
    if (taken.size >= maxSubscriptions || ofClient >= maxOfClient) {
      const detail = 'Too many subscriptions are open. Try again in a minute.';
      throw new Problem('rate_limited', { detail, headers: { 'Retry-After': '60' } });
    }
    taken.set(response, client);
    onCount(taken.size);
    const { socket } = response.req;
    const leave = (): void => {
      socket.off('close', leave);
      response.off('close', leave);
      taken.delete(response);
      onCount(taken.size);
      onLeave();
    };
    response.once('close', leave);
    // A response that waits behind another one does not close with its connection, which all of them share.
    socket.setMaxListeners(0).once('close', leave);
    if (socket.destroyed) leave();
  };
}

/** Says when a client that loses its subscription is to come back. */
function retry(): string {
  return `retry: ${Math.round(MIN_RETRY_MS + Math.random() * (MAX_RETRY_MS - MIN_RETRY_MS))}\n\n`;
}
