import { EXIT, type ExitName } from './exit-codes.ts';

/** A failure that is shown to the user: what happened, with a stable code, and what to do next. */
export class CliError extends Error {
  readonly exit: ExitName;
  readonly code: string;
  readonly hint: string | null;

  constructor(exit: ExitName, code: string, message: string, hint: string | null = null) {
    super(message);
    this.name = 'CliError';
    this.exit = exit;
    this.code = code;
    this.hint = hint;
  }
}

/** A failure as `--json` prints it. */
export function failureResult({ code, message, hint, exit }: CliError): object {
  return { error: { code, message, hint, exit: EXIT[exit] } };
}

/** The code of a system error, else the message, as one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) {
    const code: unknown = 'code' in error ? error.code : undefined;
    return typeof code === 'string' ? code : error.message;
  }
  return String(error);
}
