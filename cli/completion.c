/* lockstep completion: prints the completion of a shell. The script runs `lockstep completion
 * words WORD...`, which common/candidates.c answers from the tables of commands and options. */
#include "cli/common/arguments.h"
#include "cli/common/command.h"
#include "cli/completion/scripts.h"

#include <stdio.h>
#include <string.h>

typedef struct completion_options {
    const char *script;
} completion_options;

static void take_shell(const ls_argument_state *state, const ls_argument *argument, void *input,
                       char *text)
{
    completion_options *chosen = input;
    (void)argument;
    if (chosen->script)
        ls_argument_fail(state, "one shell at a time");
    chosen->script = ls_completion_script(text);
    if (!chosen->script)
        ls_argument_fail(state, "'%s' is none of the shells: bash, zsh, fish", text);
}

static void check_options(const ls_argument_state *state, void *input)
{
    const completion_options *chosen = input;
    if (!chosen->script)
        ls_argument_fail(state, "the shell is missing: bash, zsh or fish");
}

static const ls_arguments argument_table = {
    .usage = "bash|zsh|fish",
    .take = take_shell,
    .check = check_options,
    .doc = "Print a script that completes commands, options, simulations and files in a shell. The "
           "installed package has the scripts in place. Without it, a line in the shell's own "
           "file: for bash `source <(lockstep completion bash)` in ~/.bashrc, for zsh the same "
           "after compinit in ~/.zshrc, for fish `lockstep completion fish | source` in "
           "~/.config/fish/config.fish.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use\n"
           "  5  stdout cannot be written"};

ls_exit ls_command_completion(int count, char **arguments)
{
    completion_options options = {0};
    ls_arguments_parse(&argument_table, count, arguments, &options);
    fputs(options.script, stdout);
    return LS_EXIT_GOOD;
}
