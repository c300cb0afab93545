import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as afterPoll } from 'node:timers/promises';
import { expect } from 'chai';
import { type BoardEvents, createBoardEvents } from '../../../../api/v1/events/board-events.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { BoardEntry, BoardOverview } from '../../../../engine/ranking/index.ts';
import { subscribeTo } from '../../../support/board-subscriber.ts';
import { eventually } from '../../../support/eventually.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import { requestText } from '../../../support/wire.ts';

const MAX_UNREAD_BYTES = 64 * 1024;

/** A board of a hundred rows, all of which change with each version. */
function boardOf(version: number): BoardOverview {
  const rows = Array.from(
    { length: 100 },
    (_, index): BoardEntry => ({
      codename: `operator-${index}`,
      display_name: `${version} `.padEnd(64, 'x'),
      rank: index + 1,
      percentile: 100 - index,
      platform: 'codex',
      class_tier: 'IGNITER',
      yield_: 1_000 - index,
      leverage: 2,
      velocity: 2,
      integrity: { level: 'self_reported', flags: [] },
      provisional: false,
      witnessed_days: 0,
      open: false,
      yield_range: null,
      movement_24h: null,
      movement_7d: null,
    }),
  );
  return {
    version,
    generation: 'generation',
    methodology: 1,
    generatedAt: 0,
    hourBeganAt: 0,
    movementSince: { movement_24h_since: null, movement_7d_since: null },
    totals: byWindow(() => 100),
    topEntries: byWindow(() => rows),
  };
}

describe('events of a board', () => {
  let events: BoardEvents;
  let server: Server;
  let port: number;
  let version: number;
  let unread: number;
  let counts: number[];
  const sockets: Socket[] = [];

  beforeEach(async () => {
    [version, unread, counts] = [1, 0, []];
    events = createBoardEvents({
      board: { view: () => boardOf(version), withBoardView: () => Promise.reject(new Error('no store')) },
      onUnread: () => {
        unread += 1;
      },
      onCount: (open) => void counts.push(open),
      onError: (error) => {
        throw error;
      },
      bounds: { frameMs: 1, commentMs: 1, maxUnreadBytes: MAX_UNREAD_BYTES },
    });
    const serve = async (response: ServerResponse): Promise<void> => {
      const begin = await events.subscribe(response, 'one', { window: 'all_time', platform: null });
      response.flushHeaders();
      begin();
    };
    server = createServer((_request, response) => void serve(response));
    port = await listenOnFreePort(server);
  });
  afterEach(() => {
    events.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** A client that reads nothing, however many subscriptions it asks for at once. */
  async function neverReads(subscriptions = 1): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').pause();
    sockets.push(socket);
    await once(socket, 'connect');
    const served = once(server, 'request');
    socket.write(requestText('GET', '/', ['Host', 'upsilon.test']).repeat(subscriptions));
    await served;
    return socket.on('error', () => undefined);
  }

  it('of one connection are no leak to Node.js, however many', async () => {
    const warnings: string[] = [];
    const collect = ({ name }: Error) => warnings.push(name);
    process.on('warning', collect);
    let served = 0;
    server.on('request', () => {
      served += 1;
    });
    await neverReads(16);
    await eventually('all served', () => served === 16);
    // Warnings are emitted in a later turn.
    await afterPoll();
    process.off('warning', collect);
    expect(warnings).to.deep.equal([]);
  });

  it('reach those who read while those who do not are dropped at the bound', async () => {
    const accepted: Socket[] = [];
    server.on('connection', (socket) => accepted.push(socket));
    const reader = await subscribeTo(port);
    await neverReads();
    await neverReads(5);
    let most = 0;
    await eventually('both dropped', async () => {
      version += 1;
      await afterPoll();
      most = Math.max(most, ...accepted.map(({ writableLength }) => writableLength));
      return accepted.filter(({ destroyed }) => destroyed).length === 2;
    });
    expect(unread).to.be.at.least(2);
    // The bound is looked at before a frame of a hundred rows is added.
    expect(most).to.be.below(MAX_UNREAD_BYTES * 2);
    const { frames } = reader;
    await eventually('the newest version', () => frames.at(-1)?.data.board_version === version);
    expect(new Set(frames.map(({ id }) => id)).size, 'frames of different versions').to.equal(frames.length);
    expect(reader.comments()).to.be.above(0);
    expect(Math.max(...counts)).to.equal(7);
    await eventually('one subscription', () => counts.at(-1) === 1);
    reader.close();
    await eventually('no subscription', () => counts.at(-1) === 0);
  });
});
