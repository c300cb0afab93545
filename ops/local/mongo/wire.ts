import { HEADER_BYTES } from './message-reader.ts';
import type { RoundTrip } from './native-engine.ts';

/** Operation codes of the MongoDB wire protocol. */
const OP_REPLY = 1;
const OP_MSG = 2013;

const FLAGS_BYTES = 4;
const SECTION_BODY = 0;

/** Commands that end the embedded engine's process, which has no session catalog. Drivers never send them to it. */
const FATAL_COMMANDS = /^(start|end|kill|killAll|refresh)Sessions?(ByPattern)?$/;

/** The refusal of a command that would end the engine; null when the message is safe. */
export function refuseFatal(message: Buffer): RoundTrip | null {
  const command = commandOf(message);
  if (command === null || !FATAL_COMMANDS.test(command)) return null;
  const response = document([
    bsonDouble('ok', 0),
    bsonString('errmsg', `no such command: '${command}'`),
    bsonInt32('code', 59),
    bsonString('codeName', 'CommandNotFound'),
  ]);
  return { requestId: message.readInt32LE(4), moreToCome: false, legacy: false, response };
}

/** The header of a reply, which its document follows. */
export function replyHeader(reply: RoundTrip, replyId: number): Buffer {
  // OP_REPLY: flags, cursor id, starting from, number returned. OP_MSG: flags and the kind of its one section.
  const header = Buffer.alloc(HEADER_BYTES + (reply.legacy ? 20 : 5));
  header.writeInt32LE(header.length + reply.response.length, 0);
  header.writeInt32LE(replyId, 4);
  header.writeInt32LE(reply.requestId, 8);
  header.writeInt32LE(reply.legacy ? OP_REPLY : OP_MSG, 12);
  if (reply.legacy) header.writeInt32LE(1, HEADER_BYTES + 16);
  return header;
}

/** The command of an OP_MSG: the first field of its body section. */
function commandOf(message: Buffer): string | null {
  if (message.readInt32LE(12) !== OP_MSG) return null;
  let at = HEADER_BYTES + FLAGS_BYTES;
  while (at + 5 < message.length && message[at] !== SECTION_BODY) {
    at += 1 + Math.max(message.readInt32LE(at + 1), 4);
  }
  // The kind, the document's length and the first field's type precede its name.
  const name = at + 1 + 4 + 1;
  const end = message.indexOf(0, name);
  return end === -1 ? null : message.toString('latin1', name, end);
}

function document(fields: readonly Buffer[]): Buffer {
  const body = Buffer.concat([...fields, Buffer.from([0])]);
  return Buffer.concat([int32(body.length + 4), body]);
}

function field(type: number, name: string, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
}

function bsonDouble(name: string, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return field(1, name, bytes);
}

function bsonString(name: string, value: string): Buffer {
  return field(2, name, Buffer.concat([int32(Buffer.byteLength(value) + 1), Buffer.from(`${value}\0`)]));
}

function bsonInt32(name: string, value: number): Buffer {
  return field(16, name, int32(value));
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
