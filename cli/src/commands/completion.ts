import { CliError } from '../cli-error.ts';
import type { Screen } from '../output/screen.ts';

/** A command and its options, for a shell to complete. */
export interface CompletionWords {
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Prints a script that completes commands and options in the named shell. */
export function completionCommand(shell: string, words: CompletionWords, screen: Screen): 'ok' {
  const script = scriptFor(shell, words);
  screen.print(script);
  screen.result({ shell, script });
  return 'ok';
}

function scriptFor(shell: string, { commands, options }: CompletionWords): string {
  const all = [...commands, ...options].join(' ');
  switch (shell) {
    case 'bash':
      return [
        '# Put this into ~/.bashrc:  source <(upsilon completion bash)',
        '_upsilon() {',
        `  COMPREPLY=($(compgen -W "${all}" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
        '}',
        'complete -o default -F _upsilon upsilon',
      ].join('\n');
    case 'zsh':
      return [
        '# Put this into ~/.zshrc, after compinit:  source <(upsilon completion zsh)',
        `_upsilon() { compadd -- ${all} || _files }`,
        'compdef _upsilon upsilon',
      ].join('\n');
    case 'fish':
      return [
        '# Put this into ~/.config/fish/config.fish:  upsilon completion fish | source',
        `complete -c upsilon -n __fish_use_subcommand -a "${commands.join(' ')}"`,
        ...options.map((option) => `complete -c upsilon -l ${option.replace(/^--/, '')}`),
      ].join('\n');
    default:
      throw new CliError('usage', 'usage', `no completion for "${shell}"`, `There is one for ${SHELLS.join(', ')}.`);
  }
}
