export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Scripts that ask `chandlery __complete` for candidates. An alias `npx chandlery` has no completion of its own. */
export const shellScripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for chandlery
_chandlery() {
  local IFS=$'\\n' words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(chandlery __complete -- "\${words[@]}" 2>/dev/null))
  # A kind is followed by a slash and a name.
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]] && compopt -o nospace
  return 0
}
# Where nothing is offered, files are.
complete -o default -F _chandlery chandlery
`,
  zsh: `#compdef chandlery
_chandlery() {
  local -a candidates
  candidates=(\${(f)"$(chandlery __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \$#candidates )); then compadd -a candidates; else _files; fi
}
_chandlery "$@"
`,
  fish: `# fish completion for chandlery
function __chandlery_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l candidates (chandlery __complete -- $words[2..-1] 2>/dev/null)
    if test (count $candidates) -gt 0
        printf '%s\\n' $candidates
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c chandlery -f -a '(__chandlery_complete)'
`,
};
