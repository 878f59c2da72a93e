import { keysOf } from '../model/model.ts';
import type { Command } from 'commander';
import { addCommand, argument } from './command.ts';
import { printLines } from './terminal.ts';

/** The words that may follow each command. */
interface Completions {
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly words: ReadonlyMap<string, readonly string[]>;
}

const SHELLS = { bash, zsh, fish, powershell } as const;

export const addCompletion = addCommand({
  name: 'completion',
  about: 'Prints a shell script that completes commands and options.',
  args: [argument('<shell>', 'the shell', { choices: keysOf(SHELLS) })],
  run({ args: [shell], command }) {
    if (command.parent) printLines([SHELLS[shell](completionsOf(command.parent))]);
  },
});

function completionsOf(program: Command): Completions {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
  }));
  const words = new Map(program.commands.map((command) => [command.name(), wordsOf(command)]));
  return { commands, words };
}

/** Options, and the choices of arguments. */
function wordsOf(command: Command): string[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  return [...choices, ...options, '--help'];
}

function bash({ commands, words }: Completions): string {
  const cases = [...words].map(([name, list]) => `    ${name}) words="${list.join(' ')}" ;;`);
  return `# Add to ~/.bashrc:  eval "$(omoide completion bash)"
_omoide() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(({ name }) => name).join(' ')} --help --version"
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ "\${#COMPREPLY[@]}" -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _omoide omoide`;
}

function zsh({ commands, words }: Completions): string {
  const described = commands.map(({ name, description }) => `    ${quoted(`${name}:${description}`)}`);
  const cases = [...words].map(([name, list]) => `    ${name}) compadd -- ${list.join(' ')} ;;`);
  return `#compdef omoide
# Add to ~/.zshrc, after compinit:  eval "$(omoide completion zsh)"
_omoide() {
  local -a commands
  commands=(
${described.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
  _files
}
compdef _omoide omoide`;
}

function fish({ commands, words }: Completions): string {
  const first = commands.map(
    ({ name, description }) =>
      `complete -c omoide -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
  );
  const rest = [...words].flatMap(([name, list]) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    return list.map((word) =>
      word.startsWith('--')
        ? `complete -c omoide ${within} -l ${word.slice(2)}`
        : `complete -c omoide ${within} -a ${word}`,
    );
  });
  return ['# Save as ~/.config/fish/completions/omoide.fish', ...first, ...rest].join('\n');
}

function powershell({ commands, words }: Completions): string {
  const table = [...words].map(([name, list]) => `    '${name}' = '${list.join(' ')}'`);
  return `# Add to $PROFILE:  omoide completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName omoide -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $table = @{
${table.join('\n')}
  }
  $given = $commandAst.CommandElements | ForEach-Object { $_.ToString() }
  $isFirst = $given.Count -eq 1 -or ($given.Count -eq 2 -and $wordToComplete)
  $candidates = if ($isFirst) { '${commands.map(({ name }) => name).join(' ')}' } else { $table[$given[1]] }
  $candidates -split ' ' | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_)
  }
}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
