import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { Problem } from '../../../../api/http/problem.ts';
import {
  type BatchContext,
  type BatchLimits,
  type BatchWriter,
  createBatchWriter,
} from '../../../../api/v1/snapshots/batch-writer.ts';
import type { AppendOutcome, LogEntry } from '../../../../engine/ranking/index.ts';

function entry(jti: string): LogEntry {
  const counts = { input: 1, output: 1, cache_read: 1, cache_write: 1 };
  return { operator: 1, jti, receivedAt: 0, payload: { codename: 'batched-one', ...counts }, signature: 'x..y' };
}

/** An in-memory log and queue with scripted behaviour, which record their calls. */
class Backend {
  readonly batches: string[][] = [];
  readonly queued: [batch: string, jtis: string[]][] = [];
  readonly unqueued: string[] = [];
  readonly logged: number[] = [];
  inFlight = 0;
  maxInFlight = 0;
  fate: (batch: readonly LogEntry[], index: number) => readonly AppendOutcome[] | Error = (entries, index) =>
    entries.map(() => ({ kind: 'stored', batch: `g${index}` }));
  gate: Promise<unknown> | null = null;
  failEnqueue = false;

  open(limits: BatchLimits = {}, changes: Partial<BatchContext['queue']> = {}): BatchWriter {
    const append = async (entries: readonly LogEntry[]): Promise<AppendOutcome[]> => {
      this.inFlight += 1;
      this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
      const index = this.batches.push(entries.map(({ jti }) => jti)) - 1;
      await (this.gate ?? new Promise(setImmediate));
      this.inFlight -= 1;
      const outcome = this.fate(entries, index);
      if (outcome instanceof Error) throw outcome;
      return [...outcome];
    };
    const queue: BatchContext['queue'] = {
      enqueue: async (batch, entries) => {
        if (this.failEnqueue) throw new Error('out of reach');
        this.queued.push([batch, entries.map(({ jti }) => jti)]);
      },
      waitingEntries: () => 0,
      waitForBatch: async () => null,
      ...changes,
    };
    const ctx: BatchContext = {
      ranking: { log: { append } },
      queue,
      metrics: { ingest: { logged: (entries) => void this.logged.push(entries) } },
      log: { warn: ({ batch }: { readonly batch: string }) => this.unqueued.push(batch) },
    };
    const linger = { started: () => undefined, end: () => undefined, wait: async () => undefined };
    return createBatchWriter(ctx, { maxBatch: 100, maxWaiting: 1_000, linger, ...limits });
  }
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Problem ? error.code : 'other'),
  );
}

describe('api: the batch writer', () => {
  it('writes entries that arrive during an insert as the next batch, one insert at a time', async () => {
    const backend = new Backend();
    const gate = new EventEmitter();
    backend.gate = once(gate, 'open');
    const writer = backend.open();
    const first = writer.append(entry('a'));
    while (backend.batches.length === 0) await new Promise(setImmediate);
    const rest = ['b', 'c', 'd'].map((jti) => writer.append(entry(jti)));
    expect(writer.waiting()).to.equal(3);
    gate.emit('open');
    backend.gate = null;
    await Promise.all([first, ...rest]);
    await writer.drain();
    expect(backend.batches).to.deep.equal([['a'], ['b', 'c', 'd']]);
    expect(backend.queued).to.deep.equal([
      ['g0', ['a']],
      ['g1', ['b', 'c', 'd']],
    ]);
    expect(backend.maxInFlight).to.equal(1);
  });

  it('writes entries of one turn of the event loop as one batch', async () => {
    const backend = new Backend();
    const writer = backend.open();
    const first = writer.append(entry('a'));
    for (let microtask = 0; microtask < 10; microtask += 1) await Promise.resolve();
    await Promise.all([first, writer.append(entry('b'))]);
    expect(backend.batches).to.deep.equal([['a', 'b']]);
  });

  it('resolves each entry with its own outcome, and queues only stored entries', async () => {
    const backend = new Backend();
    const outcomes: AppendOutcome[] = [
      { kind: 'stored', batch: 'g0' },
      { kind: 'repeated', batch: 'earlier' },
      { kind: 'conflict' },
      { kind: 'stored', batch: 'g0' },
    ];
    backend.fate = () => outcomes;
    const writer = backend.open();
    const got = await Promise.all(['a', 'b', 'c', 'd'].map((jti) => writer.append(entry(jti))));
    await writer.drain();
    expect(got).to.deep.equal(outcomes);
    expect(backend.queued).to.deep.equal([['g0', ['a', 'd']]]);
  });

  it('queues nothing when nothing was stored', async () => {
    const backend = new Backend();
    backend.fate = (entries) => entries.map(() => ({ kind: 'conflict' }));
    const writer = backend.open();
    await writer.append(entry('a'));
    await writer.drain();
    expect(backend.queued).to.deep.equal([]);
  });

  it('acknowledges no entry of a batch that was not written, and continues', async () => {
    const backend = new Backend();
    backend.fate = (entries, index) =>
      index === 0 ? new Error('no primary') : entries.map(() => ({ kind: 'stored', batch: 'g1' }));
    const started: string[] = [];
    const writer = backend.open({
      linger: { started: (batch) => void started.push(batch), end: () => undefined, wait: async () => undefined },
    });
    expect(await Promise.all(['a', 'b'].map((jti) => codeOf(writer.append(entry(jti)))))).to.deep.equal([
      'storage_unavailable',
      'storage_unavailable',
    ]);
    expect(await writer.append(entry('c'))).to.deep.equal({ kind: 'stored', batch: 'g1' });
    await writer.drain();
    expect({ logged: backend.logged, started }).to.deep.equal({ logged: [1], started: ['g1'] });
  });

  it('acknowledges a batch that is logged and cannot be queued, and reports the failure', async () => {
    const backend = new Backend();
    backend.failEnqueue = true;
    const writer = backend.open();
    expect(await writer.append(entry('a'))).to.deep.equal({ kind: 'stored', batch: 'g0' });
    await writer.drain();
    expect(backend.unqueued).to.deep.equal(['g0']);
  });

  it('refuses entries beyond the limit', async () => {
    const backend = new Backend();
    const writer = backend.open({ maxWaiting: 2 });
    const all = ['a', 'b', 'c'].map((jti) => codeOf(writer.append(entry(jti))));
    expect(await Promise.all(all)).to.deep.equal(['none', 'none', 'backlog_full']);
  });

  it('writes all accepted entries before a drain ends, and accepts none after', async () => {
    const backend = new Backend();
    const writer = backend.open({ maxBatch: 2 });
    const all = ['a', 'b', 'c', 'd', 'e'].map((jti) => writer.append(entry(jti)));
    await writer.drain();
    expect(backend.batches.flat()).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
    expect(await codeOf(writer.append(entry('f')))).to.equal('backlog_full');
    await Promise.all(all);
  });

  it('ends the linger once the next batch is full', async () => {
    const backend = new Backend();
    const gathered = new EventEmitter();
    const linger = {
      started: () => undefined,
      end: () => void gathered.emit('full'),
      wait: async () => void (await once(gathered, 'full')),
    };
    const writer = backend.open({ maxBatch: 2, linger });
    const first = writer.append(entry('a'));
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(backend.batches).to.deep.equal([]);
    await Promise.all([first, writer.append(entry('b'))]);
    expect(backend.batches).to.deep.equal([['a', 'b']]);
  });

  it('ends a drain only once its batches are queued, and does not linger for it', async () => {
    const backend = new Backend();
    const queued = new EventEmitter();
    const gathered = new EventEmitter();
    const asked = once(gathered, 'asked');
    let turns = 0;
    let ended = false;
    const linger = {
      started: () => undefined,
      end: () => undefined,
      wait: async () => {
        turns += 1;
        gathered.emit('asked');
        if (turns === 1) await once(gathered, 'enough');
      },
    };
    const enqueue = async (): Promise<void> => {
      await once(queued, 'now');
    };
    const writer = backend.open({ maxBatch: 2, linger }, { enqueue });
    const all = [writer.append(entry('a'))];
    await asked;
    all.push(writer.append(entry('b')), writer.append(entry('c')));
    const drained = writer.drain().finally(() => {
      ended = true;
    });
    gathered.emit('enough');
    await Promise.all(all);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect({ ended, turns, batches: backend.batches }).to.deep.equal({
      ended: false,
      turns: 1,
      batches: [['a', 'b'], ['c']],
    });
    queued.emit('now');
    await drained;
  });

  it('resolves each of many concurrent entries once, in batches within the limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 10 }),
        fc.array(fc.boolean(), { maxLength: 10 }),
        async (pauses, maxBatch, failures) => {
          const backend = new Backend();
          const decided: AppendOutcome[][] = [];
          backend.fate = (entries, index) => {
            if (failures[index] === true) return new Error('no primary');
            const outcomes = entries.map((): AppendOutcome => ({ kind: 'stored', batch: `g${index}` }));
            decided.push(outcomes);
            return outcomes;
          };
          const writer = backend.open({ maxBatch });
          const fates: Promise<string>[] = [];
          for (const [index, turns] of pauses.entries()) {
            for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
            fates.push(codeOf(writer.append(entry(`j${index}`))));
          }
          const codes = await Promise.all(fates);
          await writer.drain();
          expect(backend.batches.flat()).to.deep.equal(pauses.map((_, index) => `j${index}`));
          expect(Math.max(...backend.batches.map((batch) => batch.length))).to.be.at.most(maxBatch);
          expect(backend.maxInFlight).to.equal(1);
          expect(codes.filter((code) => code === 'none')).to.have.length(decided.flat().length);
          expect(backend.queued.flatMap(([, jtis]) => jtis)).to.have.length(decided.flat().length);
        },
      ),
      { numRuns: 50 },
    );
  });
});
