/**
 * The fields of a message by number, as far as they are read: the name in the JSON encoding, ending in `[]` for a repeated
 * field, and the type.
 */
export interface MessageSchema {
  readonly [field: number]: readonly [name: string, type: 'text' | 'integer' | 'fixed64' | 'double' | MessageSchema];
}

type Decoded = Record<string, unknown>;

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const MAX_VARINT_BYTES = 10;

/**
 * Decodes a protobuf message into the object that its JSON encoding would give: 64-bit numbers are text, unknown fields are
 * left out. Throws a RangeError when the bytes are not such a message.
 */
export function decodeMessage(bytes: Buffer, schema: MessageSchema): Decoded {
  const message: Decoded = {};
  for (let at = 0; at < bytes.length; ) {
    const [tag, valueAt] = readVarint(bytes, at);
    const wire = tag % 8;
    const [value, end] = readValue(bytes, valueAt, wire);
    at = end;
    const field = schema[Math.floor(tag / 8)];
    if (field !== undefined) addValue(message, field, value, wire);
  }
  return message;
}

/** The value at a place, and where it ends. */
function readValue(bytes: Buffer, at: number, wire: number): [value: number | Buffer, end: number] {
  if (wire === WIRE.varint) return readVarint(bytes, at);
  const [length, start] = wire === WIRE.bytes ? readVarint(bytes, at) : [fixedLength(wire), at];
  const end = start + length;
  if (end > bytes.length) throw new RangeError('a field ends after its message');
  return [bytes.subarray(start, end), end];
}

function fixedLength(wire: number): number {
  if (wire === WIRE.fixed64) return 8;
  if (wire === WIRE.fixed32) return 4;
  throw new RangeError(`there is no wire type ${wire}`);
}

/** Exact below 2^53, which tags, lengths and enumerations are. */
function readVarint(bytes: Buffer, start: number): [value: number, end: number] {
  let value = 0;
  for (let index = 0; index < MAX_VARINT_BYTES; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return [value, start + index + 1];
  }
  throw new RangeError('a number has no end');
}

/** A value of another type than the field's is left out, as an unknown field. */
function addValue(message: Decoded, [name, type]: MessageSchema[number], value: number | Buffer, wire: number): void {
  const decoded = decodeValue(type, value, wire);
  if (decoded === undefined) return;
  if (!name.endsWith('[]')) message[name] = decoded;
  else {
    const list = (message[name.slice(0, -2)] ??= []);
    if (Array.isArray(list)) list.push(decoded);
  }
}

function decodeValue(type: MessageSchema[number][1], value: number | Buffer, wire: number): unknown {
  if (typeof value === 'number') return type === 'integer' ? value : undefined;
  if (wire === WIRE.fixed64) {
    if (type === 'double') return value.readDoubleLE();
    return type === 'fixed64' ? String(value.readBigInt64LE()) : undefined;
  }
  if (wire !== WIRE.bytes) return undefined;
  if (type === 'text') return value.toString('utf8');
  return typeof type === 'object' ? decodeMessage(value, type) : undefined;
}
