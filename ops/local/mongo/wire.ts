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
export async function refuseFatal(message: Buffer): Promise<RoundTrip | null> {
  const command = commandOf(message);
  if (command === null || !FATAL_COMMANDS.test(command)) return null;
  // Loaded here: the engine needs nothing else of the driver.
  const { mongo } = await import('mongoose');
  const refusal = { ok: 0, errmsg: `no such command: '${command}'`, code: 59, codeName: 'CommandNotFound' };
  const response = Buffer.from(mongo.BSON.serialize(refusal));
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
