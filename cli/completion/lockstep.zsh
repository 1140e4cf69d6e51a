#compdef lockstep
# Completes `lockstep` in zsh.
_lockstep()
{
    local answer word text
    local -a spaced open texts_spaced texts_open endings
    for answer in "${(@f)$("$words[1]" completion words "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        word=${answer%%$'\t'*}
        text=$word
        [[ $answer == *$'\t'* ]] && text="$word  -- ${answer#*$'\t'}"
        case $answer in
        :files) endings+=('') ;;
        :files*) endings+=(${answer#:files }) ;;
        *=|*=$'\t'*) open+=("$word"); texts_open+=("$text") ;;
        ?*) spaced+=("$word"); texts_spaced+=("$text") ;;
        esac
    done
    (( $#open )) && compadd -l -S '' -d texts_open -a open
    (( $#spaced )) && compadd -l -d texts_spaced -a spaced
    if (( $#endings )); then
        compset -P '--*='
        for answer in "${(@)endings}"; do
            if [[ -n $answer ]]; then
                _files -g "*.$answer"
            else
                _files
            fi
        done
    fi
}
if [[ $funcstack[1] == _lockstep ]]; then
    _lockstep
else
    compdef _lockstep lockstep
fi
