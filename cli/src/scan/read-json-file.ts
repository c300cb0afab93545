import { readFileSync, statSync } from 'node:fs';
import type { UsageSink } from '../sources/source.ts';

/** The largest JSON document that is loaded, in bytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/** Reads a file that is one JSON document. Undefined, and reported as skipped, when it is not JSON or too large. */
export function readJsonFile(path: string, sink: UsageSink): unknown {
  if (statSync(path).size > MAX_DOCUMENT_BYTES) {
    sink.skip('too_long');
    return undefined;
  }
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    // Includes a document that was cut off while being written.
    sink.skip('not_json');
    return undefined;
  }
}
