import { type Command, InvalidArgumentError } from 'commander';
import type { BillingConfig } from '../../config/billing.ts';
import type { EnvSource } from '../../config/env.ts';

/** The environment of a command; tests replace it. */
export interface CommandContext {
  readonly environment: EnvSource;
  /** In place of the environment's; only tests have it. */
  readonly billing?: BillingConfig | undefined;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Prefix of all Redis keys. */
  readonly queuePrefix: string;
  /** Writes results to standard output. */
  readonly print: (text: string) => void;
  /** Writes errors and progress to standard error. */
  readonly printError: (text: string) => void;
}

/** Options that many commands have. */
export interface CommandOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/**
 * Adds one command to a group; `name` is followed by its arguments that need no description. It takes `--json` and prints a result,
 * unless its output is text alone.
 */
export type AddCommand = (name: string, description: string, output?: 'text') => Command;

export function commandGroup(program: Command, group: string, about: string): AddCommand {
  const parent = program.command(group).description(about);
  return (name, description, output) => {
    const command = parent.command(name).description(description);
    return output === 'text' ? command : command.option('--json', 'print one JSON object');
  };
}

/** Prints a result: with `--json` as one line of JSON, otherwise as text for people. */
export function printResult({ print }: CommandContext, { json }: CommandOptions, value: object, text: string): void {
  print(json === true ? `${JSON.stringify(value)}\n` : text);
}

/** A command failed: the message is the problem, `next` the remedy, both for people. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly next: string;

  constructor(problem: string, next: string, options?: ErrorOptions) {
    super(problem, options);
    this.next = next;
  }
}

/** A parser of arguments that are numbers; it refuses others with the hint. `read` returns NaN for a text without a number. */
export function numberParser(
  form: RegExp,
  hint: string,
  { read = (text: string) => Number(text), min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = {},
): (text: string) => number {
  return (text) => {
    const value = form.test(text) ? read(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(hint);
  };
}

/** @throws CommandError unless the change is confirmed. */
export function requireConfirmation({ yes }: CommandOptions, change: string): void {
  if (yes === true) return;
  throw new CommandError(change, 'Nothing was changed. Repeat the command with --yes to do it.');
}

/** Least time between two progress lines, and before the first. */
const PROGRESS_INTERVAL_MS = 5_000;

/** Returns a function that prints progress to standard error, at most every `PROGRESS_INTERVAL_MS`. */
export function logProgress({ printError }: CommandContext): (text: string) => void {
  let printedAt = performance.now();
  return (text) => {
    const now = performance.now();
    if (now - printedAt < PROGRESS_INTERVAL_MS) return;
    printedAt = now;
    printError(`${text}\n`);
  };
}
