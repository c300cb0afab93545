/** A request's answer, read whole. `json` is null when the body is none. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>> | null;
}
