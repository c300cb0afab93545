/** The header of a detached JWS, as far as tests look at it. */
export interface SignedHeader {
  readonly kid: string;
  readonly stream: string;
  readonly epoch: number;
  readonly counting?: string;
  readonly as_of?: number;
  readonly jti: string;
}

/** A submitted snapshot, as far as tests look at it. */
export interface SnapshotBody {
  readonly signature: string;
}

/** The protected header of a snapshot's request body. */
export function signedHeader(body: string): SignedHeader {
  const { signature }: SnapshotBody = JSON.parse(body);
  const header: SignedHeader = JSON.parse(Buffer.from(signature.split('.')[0]!, 'base64url').toString('utf8'));
  return header;
}

/** What a promise fails with; fails the test if it does not. */
export async function failureOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => 'nothing failed',
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error(`expected an error, got ${String(outcome)}`);
}

/** What a dry run prints of the submission. */
export interface PlannedSubmission {
  readonly requests: ReadonlyArray<{ readonly body: string }>;
  readonly new_epoch: { readonly epoch: number | null; readonly reason: string; readonly text: string } | null;
}

/** A snapshot without what differs in each submission. */
export function unsigned(body: string): object {
  const { signature: _, ...counts }: { readonly signature: string } = JSON.parse(body);
  const { jti: _id, iat: _time, ...header }: Readonly<Record<string, unknown>> = { ...signedHeader(body) };
  return { ...counts, header };
}
