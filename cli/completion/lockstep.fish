# Completes `lockstep` in fish.
function __lockstep_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l typed (commandline -ct)
    set -l before (string match -r -- '^--[^=]*=' $typed)
    for answer in ($words[1] completion words $words[2..-1] 2>/dev/null)
        switch $answer
            case ':files*'
                set -l ending (string replace -r '^:files ?' '' -- $answer)
                set -l value (string replace -r '^--[^=]*=' '' -- $typed)
                for file in $value*
                    if test -d $file
                        printf '%s%s/\n' "$before" $file
                    else if test -z "$ending"; or string match -q -- "*.$ending" $file
                        printf '%s%s\n' "$before" $file
                    end
                end
            case '*'
                printf '%s\n' $answer
        end
    end
end
complete -c lockstep -f -a '(__lockstep_complete)'
