/** Codes of the errors by which Node and the body reader report a client that went away. */
const ABORTED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether an error of reading a request or sending its answer only means that the client went away. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ABORTED.has(error.code);
}
