/** Exit statuses of the process. Scripts rely on them: they are documented in the README and never change meaning. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  auth: 3,
  network: 4,
  nothing: 5,
  pending: 6,
  plan: 7,
  files: 8,
  internal: 70,
} as const;

export type ExitName = keyof typeof EXIT;

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

/** A failure as `--json` prints it; `asRun` writes commands as the user types them. */
export function failureResult({ code, message, hint, exit }: CliError, asRun: (text: string) => string): object {
  return { error: { code, message, hint: hint && asRun(hint), exit: EXIT[exit] } };
}

/** The code of a system error, else the message, as one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** Codes of system errors that users meet, in words. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['LINK_OUTSIDE', 'a link that leads out of the folder is not followed'],
  ['COMPRESSED', 'compressed; Node 22.15 or newer reads it'],
  ['ENCRYPTED', 'encrypted or damaged'],
  ['NEWER_FORMAT', 'in a newer form that this version does not read'],
]);

/** What `reasonOf` returned, for people. */
export function reasonText(reason: string): string {
  return REASONS.get(reason) ?? reason;
}
