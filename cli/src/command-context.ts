import type { ExitName } from './cli-error.ts';
import type { Environment } from './environment.ts';
import type { Screen } from './output/screen.ts';
import type { Settings } from './settings.ts';

/** Everything that a command needs. */
export interface CommandContext<Options = unknown> {
  readonly settings: Settings;
  readonly env: Environment;
  readonly screen: Screen;
  /** The command's own options and arguments. */
  readonly options: Options;
}

export type Command<Options = unknown> = (context: CommandContext<Options>) => Promise<ExitName>;
