import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

type Row = Readonly<Record<string, unknown>>;

/** A frame as it arrived. */
interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: {
    readonly board_version: number;
    readonly total_operators: number;
    readonly entries: readonly Row[];
    readonly left?: readonly string[];
    readonly places?: readonly number[];
  } & Row;
}

/** A subscription to events of a board, and the rows that its frames give, by what the guide says. */
export interface BoardSubscriber {
  readonly response: IncomingMessage;
  readonly frames: readonly Frame[];
  /** Rows now, in order; kept from `former` until a frame arrives. */
  readonly rows: () => readonly Row[];
  readonly lastId: () => string | undefined;
  readonly comments: () => number;
  /** The times of `retry` fields, in milliseconds. */
  readonly retries: readonly number[];
  readonly ended: () => boolean;
  /** Everything that arrived. */
  readonly text: () => string;
  close(): void;
}

export interface SubscribeOptions {
  readonly path?: string;
  readonly localAddress?: string;
  /** Where a client was before: it sends its last id, and goes on with its rows. */
  readonly former?: Pick<BoardSubscriber, 'rows' | 'lastId'> | undefined;
}

/** Subscribes to `/events`. The response may be a refusal, whose text arrives as well. */
export async function subscribeTo(port: number, options: SubscribeOptions = {}): Promise<BoardSubscriber> {
  const { path = '/api/v1/events', localAddress, former } = options;
  const lastId = former?.lastId();
  const headers = { host: 'upsilon.test', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
  const asked = request({ host: '127.0.0.1', port, path, headers, agent: false, localAddress }).end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('no response');
  const frames: Frame[] = [];
  const retries: number[] = [];
  let [rows, id, text, unread, comments, ended] = [former?.rows() ?? [], lastId, '', '', 0, false];
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    const blocks = (unread + part).split('\n\n');
    unread = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block === ':') comments += 1;
      const retry = /^retry: (\d+)$/.exec(block);
      if (retry !== null) retries.push(Number(retry[1]));
      const frame = frameOf(block);
      if (frame === null) continue;
      frames.push(frame);
      ({ id } = frame);
      rows = rowsAfter(rows, frame);
    }
  });
  const end = (): void => {
    ended = true;
  };
  response.on('end', end).on('close', end).on('error', end);
  asked.on('error', end);
  return {
    response,
    frames,
    retries,
    rows: () => rows,
    lastId: () => id,
    comments: () => comments,
    ended: () => ended,
    text: () => text,
    close: () => void asked.destroy(),
  };
}

function frameOf(block: string): Frame | null {
  const [, id = '', event = '', data = ''] = /^id: (.+)\nevent: (.+)\ndata: (.+)$/.exec(block) ?? [];
  return id === '' ? null : { id, event, data: JSON.parse(data) };
}

function rowsAfter(rows: readonly Row[], { event, data }: Frame): readonly Row[] {
  if (event === 'board') return data.entries;
  const moved = new Set([...(data.left ?? []), ...data.entries.map(({ codename }) => codename)]);
  const next = rows.filter(({ codename }) => !moved.has(codename));
  for (const [index, place] of (data.places ?? []).entries()) next.splice(place, 0, data.entries[index]!);
  return next;
}
