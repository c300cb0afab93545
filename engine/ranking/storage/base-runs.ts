import type { mongo } from 'mongoose';
import { WINDOWS } from '../../contract/windows.ts';
import { DURABLE } from '../../mongo/index.ts';
import {
  type BuiltBaseRun,
  decodeDirectories,
  decodeOperatorPage,
  decodeOrderPage,
  encodeDirectories,
  encodeOperatorPage,
  encodeOrderPage,
  OPERATOR_PAGE_SLOTS,
  type OperatorPage,
  type OrderPage,
  type WindowDirectory,
} from '../core/board/index.ts';
import { bytesOf, toBinary } from './binary.ts';
import { bytesInOrder } from './find.ts';
import { forEachConcurrent } from './for-each-concurrent.ts';

export interface BaseRunDocument {
  _id: string;
  created_at: Date;
  /** Board version of the table from which it was built. */
  version: number;
  /** `lastSegment` of the newest segment that it contains; its own id when it was not built from a board. */
  lastSegment: string;
  hour: number;
  methodology: number;
  slots: number;
  /** The encoded directories of all windows. */
  directories: mongo.Binary;
}

/** A page of a base run: `_id` is `base/order/window/n` or `base/operators/n`. */
export interface PageDocument {
  _id: string;
  base: string;
  bytes: mongo.Binary;
}

/** Bytes of pages per write command; the last page may exceed it. */
const BYTES_A_COMMAND = 3 * 1024 * 1024;

/** Concurrent write commands: pages are encoded while the store writes others. */
const COMMANDS_AT_ONCE = 3;

/** A base run without its pages. */
export interface BaseRunHeader
  extends Readonly<Pick<BaseRunDocument, 'version' | 'lastSegment' | 'hour' | 'methodology' | 'slots'>> {
  readonly id: string;
  readonly directories: readonly WindowDirectory[];
}

const orderPageId = (base: string, window: number, page: number): string => `${base}/order/${WINDOWS[window]}/${page}`;
const operatorPageId = (base: string, page: number): string => `${base}/operators/${page}`;

function* pagesOf(id: string, base: BuiltBaseRun): Generator<PageDocument> {
  for (let window = 0; window < WINDOWS.length; window++) {
    let number = 0;
    for (const page of base.orderPages(window)) {
      yield { _id: orderPageId(id, window, number++), base: id, bytes: toBinary(encodeOrderPage(page, window)) };
    }
  }
  let number = 0;
  for (const page of base.operatorPages()) {
    yield { _id: operatorPageId(id, number++), base: id, bytes: toBinary(encodeOperatorPage(page)) };
  }
}

/** Groups pages into write commands. */
function* batchesOf(pages: Iterable<PageDocument>): Generator<PageDocument[]> {
  let batch: PageDocument[] = [];
  let bytes = 0;
  for (const page of pages) {
    batch.push(page);
    bytes += page.bytes.length();
    if (bytes < BYTES_A_COMMAND) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Throws for a page of another size: decoded with this release's layout it would assign ranks to the wrong operators. */
function storedOperatorPage(bytes: Uint8Array): OperatorPage {
  const page = decodeOperatorPage(bytes);
  const slots = page.yields.length / WINDOWS.length;
  if (slots === OPERATOR_PAGE_SLOTS) return page;
  throw new Error(`an operator page has ${slots} slots, not ${OPERATOR_PAGE_SLOTS}: it was stored by another release`);
}

/** Base runs and their pages. */
export function createBaseRuns(bases: mongo.Collection<BaseRunDocument>, pages: mongo.Collection<PageDocument>) {
  async function readPage<T>(id: string, decode: (bytes: Uint8Array) => T): Promise<T | null> {
    const page = await pages.findOne({ _id: id });
    return page === null ? null : decode(bytesOf(page.bytes));
  }

  return {
    /** The methodology of the newest stored base run; null without any. */
    async newestMethodology(): Promise<number | null> {
      const newest = await bases.findOne({}, { sort: { version: -1 }, projection: { methodology: 1 } });
      return newest?.methodology ?? null;
    },

    /** Call after `writeBaseRun`, so that every page belongs to a base run that garbage collection can find. */
    async writePages(id: string, base: BuiltBaseRun): Promise<void> {
      await forEachConcurrent(batchesOf(pagesOf(id, base)), COMMANDS_AT_ONCE, (batch) =>
        pages.insertMany(batch, DURABLE),
      );
    },

    async writeBaseRun(
      id: string,
      base: BuiltBaseRun,
      facts: Pick<BaseRunDocument, 'version' | 'lastSegment' | 'hour' | 'methodology' | 'created_at'>,
    ) {
      const directories = toBinary(encodeDirectories(base.directories));
      await bases.insertOne({ _id: id, ...facts, slots: base.slots, directories }, DURABLE);
    },

    async base(id: string): Promise<BaseRunHeader | null> {
      const found = await bases.findOne({ _id: id });
      if (found === null) return null;
      const { version, lastSegment, hour, methodology, slots } = found;
      const directories = decodeDirectories(bytesOf(found.directories));
      return { id, version, lastSegment, hour, methodology, slots, directories };
    },

    orderPage(base: string, window: number, page: number): Promise<OrderPage | null> {
      return readPage(orderPageId(base, window, page), (bytes) => decodeOrderPage(bytes, window));
    },

    operatorPage(base: string, page: number): Promise<OperatorPage | null> {
      return readPage(operatorPageId(base, page), storedOperatorPage);
    },

    /** Up to `count` operator pages from `first` on, in order; fewer at the end or when one is gone. */
    async operatorPages(base: string, first: number, count: number): Promise<readonly OperatorPage[]> {
      const ids = Array.from({ length: count }, (_, index) => operatorPageId(base, first + index));
      return (await bytesInOrder(pages, ids)).map(storedOperatorPage);
    },

    /** One operator page of several base runs in one read, by base id; base runs without that page are absent. */
    async operatorPageIn(ids: readonly string[], page: number): Promise<ReadonlyMap<string, OperatorPage>> {
      const found = await pages.find({ _id: { $in: ids.map((id) => operatorPageId(id, page)) } }).toArray();
      return new Map(found.map(({ base, bytes }) => [base, storedOperatorPage(bytesOf(bytes))]));
    },
  };
}
