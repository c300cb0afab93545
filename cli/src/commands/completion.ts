import { CliError } from '../cli-error.ts';
import type { Command } from '../command-context.ts';

export interface CompletionWords {
  /** By command: its options and subcommands. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  /** Options that every command takes. */
  readonly options: readonly string[];
  /** By option: its values, where they are known. */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

const SCRIPTS: Readonly<Record<string, (words: CompletionWords) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** Prints a script that completes commands, options and their values in the shell that the argument names. */
export const completionCommand =
  (words: CompletionWords): Command<{ readonly argument: string }> =>
  async (context) => {
    const {
      screen,
      options: { argument: shell },
    } = context;
    const makeScript = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
    if (makeScript === undefined) {
      const hint = `Supported shells: ${Object.keys(SCRIPTS).join(', ')}.`;
      throw new CliError('usage', 'usage', `completion is not supported for "${shell}"`, hint);
    }
    const script = makeScript(words);
    screen.print(script);
    screen.result({ shell, script });
    return 'ok';
  };

function bashScript({ commands, options, values }: CompletionWords): string {
  return [
    '# Add this to ~/.bashrc:  source <(upsilon completion bash)',
    '_upsilon() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} each',
    `  local words="${[...Object.keys(commands), ...options].join(' ')}"`,
    '  for each in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$each" in',
    ...Object.entries(commands).map(([name, own]) => `      ${name}) words="${[...own, ...options].join(' ')}" ;;`),
    '    esac',
    '  done',
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    ...Object.entries(values).map(([option, known]) => `    ${option}) words="${known.join(' ')}" ;;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _upsilon upsilon',
  ].join('\n');
}

function zshScript({ commands, options, values }: CompletionWords): string {
  return [
    '# Add this to ~/.zshrc, after compinit:  source <(upsilon completion zsh)',
    '_upsilon() {',
    '  case "${words[CURRENT-1]}" in',
    ...Object.entries({ ...commands, ...values })
      .filter(([, own]) => own.length > 0)
      .map(([before, own]) => `    ${before}) compadd -- ${own.join(' ')} && return ;;`),
    '  esac',
    `  compadd -- ${[...Object.keys(commands), ...options].join(' ')} || _files`,
    '}',
    'compdef _upsilon upsilon',
  ].join('\n');
}

function fishScript({ commands, options, values }: CompletionWords): string {
  return [
    '# Add this to ~/.config/fish/config.fish:  upsilon completion fish | source',
    `complete -c upsilon -n __fish_use_subcommand -a "${Object.keys(commands).join(' ')}"`,
    ...Object.entries(commands).flatMap(([command, own]) =>
      own.map((word) => {
        const option = word.startsWith('--') ? `-l ${bareName(word)}` : `-a ${word}`;
        return `complete -c upsilon -n "__fish_seen_subcommand_from ${command}" ${option}`;
      }),
    ),
    ...options.map((option) => {
      const known = values[option];
      return `complete -c upsilon -l ${bareName(option)}${known === undefined ? '' : ` -x -a "${known.join(' ')}"`}`;
    }),
  ].join('\n');
}

/** An option without its dashes, which fish adds itself. */
function bareName(option: string): string {
  return option.replace(/^--/, '');
}
