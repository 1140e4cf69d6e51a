# Completes `lockstep` in bash.
_lockstep()
{
    local line=${COMP_LINE:0:COMP_POINT} word answer ending file typed before=
    local -a words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=('')
    word=${words[${#words[@]} - 1]}
    # bash replaces only what follows the last "=" if that separates words.
    [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && before=${word%=*}=
    COMPREPLY=()
    while IFS= read -r answer; do
        if [[ $answer == :files* ]]; then
            ending=${answer#:files}
            typed=
            [[ $word == --*=* ]] && typed=${word%%=*}=
            while IFS= read -r file; do
                [[ -d $file ]] && file+=/
                [[ $file == */ || $file == *"${ending/# /.}" ]] && COMPREPLY+=("${typed#"$before"}$file")
            done < <(compgen -f -- "${word#"$typed"}")
        else
            answer=${answer%%$'\t'*}
            COMPREPLY+=("${answer#"$before"}")
        fi
    done < <("${words[0]}" completion words "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace
}
complete -F _lockstep lockstep
