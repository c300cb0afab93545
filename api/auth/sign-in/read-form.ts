import type { IncomingMessage } from 'node:http';

/** Bytes of the largest form. */
const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a form that was sent, or null when it is none or too large. A field given twice counts once. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part: unknown = chunk;
    if (!Buffer.isBuffer(part)) return null;
    bytes += part.length;
    // What is too large is read to its end, so that its sender gets to see the answer.
    if (bytes <= MAX_FORM_BYTES) chunks.push(part);
    else if (bytes > 64 * MAX_FORM_BYTES) return null;
  }
  if (type !== 'application/x-www-form-urlencoded' || bytes > MAX_FORM_BYTES) return null;
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
