/* lockstep admin: asks a running server, and tells it what to do. */
#include "cli/common/admin_client.h"
#include "cli/common/admin_json.h"
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/menu.h"
#include "core/base/platform.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EXIT_CODES                                                                                 \
    "\vExit codes:\n"                                                                              \
    "  0  good\n"                                                                                  \
    "  2  wrong words: no such action, room, session, ban or socket; or a file that `reload` "     \
    "reads has an error, which the answer names\n"                                                 \
    "  5  the server does not answer, or a disk fails\n"                                           \
    "  6  refused: not root or the user of the server, or the state does not allow it, such "      \
    "as `pause` of a match that is paused or not running, or the successor has another "           \
    "key or simulation\n"                                                                          \
    "  9  the network thread of the server hangs, or a successor did not take a match"

struct admin_options {
    ls_admin_socket socket;
    bool is_json;
    const char *arguments[LS_ADMIN_ARGUMENTS_MAX];
    const char *successor; /* of `drain`; NULL: none */
    bool is_handing_over;  /* the server has begun to hand matches over */
    uint32_t count;
    const ls_admin_verb_info *verb;
};

static void take_argument(const ls_argument_state *state, const ls_argument *argument, void *input,
                          char *text)
{
    struct admin_options *options = input;
    (void)argument;
    if (options->count == options->verb->max)
        ls_argument_fail(state,
                         "'%s' is one argument too many: give `%s %s`, and quote a text that has "
                         "blanks, as in \"supper is ready\"",
                         text, options->verb->name, options->verb->usage);
    options->arguments[options->count++] = text;
}

static void check_arguments(const ls_argument_state *state, void *input)
{
    struct admin_options *options = input;
    if (options->successor)
        options->arguments[options->count++] = options->successor;
    if (options->count < options->verb->min)
        ls_argument_fail(state, "%s is missing", options->verb->usage);
}

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", struct admin_options, is_json, "Print the answer as JSON"),
    {0},
};
static const ls_argument drain_list[] = {
    LS_ARGUMENT_TITLE("Upgrade:"),
    LS_ARGUMENT_TEXT("successor", "HOST:PORT", struct admin_options, successor,
                     "Hand all matches over to the server that clients reach at HOST:PORT and that "
                     "waits with `serve --take-over`; ends when all are there"),
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("json", struct admin_options, is_json, "Print the answer as JSON"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_admin_socket_arguments, offsetof(struct admin_options, socket)}, {0}};

static ls_status print_table(const struct admin_options *options, ls_admin_reply *reply,
                             ls_builder *text, ls_error *error)
{
    ls_admin_table table;
    ls_status status = ls_admin_table_parse(&table, reply->body, error);
    if (!status)
        ls_admin_table_print(&table, options->verb->is_one, text);
    ls_admin_table_reset(&table);
    return status;
}

static void print_text(const ls_admin_reply *reply, ls_builder *text)
{
    bool has_end = reply->bytes && reply->body[reply->bytes - 1] == '\n';
    ls_builder_add(text, "%s%s", reply->body, has_end ? "" : "\n");
}

/* Asks, and prints the answer. `*failed` becomes the exit code of the server's error, or 0. */
static ls_status ask(struct admin_options *options, int *failed, ls_error *error)
{
    int file;
    ls_admin_reply reply = {0};
    ls_builder text = {0};
    ls_status status = ls_admin_connect(options->socket.path, &file, error);
    if (status)
        return status;
    ls_admin_verb verb = ls_admin_verb_find(options->verb->name);
    status = ls_admin_ask(file, verb, options->arguments, options->count, &reply, error);
    close(file);
    *failed = reply.failed;
    options->is_handing_over = !status && options->successor &&
                               strncmp(reply.body, LS_ADMIN_HANDING, strlen(LS_ADMIN_HANDING)) == 0;
    if (!status && reply.failed)
        (void)ls_error_set(error, LS_ERROR_FAILED, "%s", reply.body);
    else if (!status && options->is_json)
        status = ls_admin_json_print(verb, reply.body, reply.is_table, &text, error);
    else if (!status && reply.is_table)
        status = print_table(options, &reply, &text, error);
    else if (!status)
        print_text(&reply, &text);
    if (text.data)
        fputs(text.data, stdout);
    fflush(stdout);
    ls_free(text.data);
    ls_free(reply.body);
    return status;
}

/* How far a handover is, in the words of the server. */
struct handover {
    char state[32], reason[256], moved[16];
};

/* Asks the server how far the handover is. False: the server does not tell. */
static bool ask_handover(const struct admin_options *options, struct handover *handover)
{
    int file;
    ls_error error;
    ls_admin_reply reply = {0};
    ls_admin_table table = {0};
    if (ls_admin_connect(options->socket.path, &file, &error) != LS_OK)
        return false;
    bool is_good = ls_admin_ask(file, LS_ADMIN_SERVER, NULL, 0, &reply, &error) == LS_OK &&
                   !reply.failed && reply.is_table &&
                   ls_admin_table_parse(&table, reply.body, &error) == LS_OK &&
                   table.row_count == 1;
    close(file);
    if (is_good) {
        snprintf(handover->state, sizeof handover->state, "%s",
                 ls_admin_table_cell(&table, 0, "handover"));
        snprintf(handover->reason, sizeof handover->reason, "%s",
                 ls_admin_table_cell(&table, 0, "handover_reason"));
        snprintf(handover->moved, sizeof handover->moved, "%s",
                 ls_admin_table_cell(&table, 0, "handed_over"));
    }
    ls_admin_table_reset(&table);
    ls_free(reply.body);
    return is_good && handover->state[0];
}

/* Waits for the end of a handover, and tells on stderr how far it is. Returns the exit code. */
static ls_exit await_handover(const struct admin_options *options)
{
    struct handover handover = {0};
    char last[320] = "", now[320];
    for (;;) {
        if (!ask_handover(options, &handover)) {
            fprintf(stderr, "lockstep admin: the server does not tell any more how far it is: its "
                            "log has the result\n");
            return LS_EXIT_MACHINE;
        }
        if (strcmp(handover.state, "done") == 0) {
            fprintf(stderr, "handed over: %s%s%s\n", handover.moved, handover.reason[0] ? "; " : "",
                    handover.reason);
            return LS_EXIT_GOOD;
        }
        if (strcmp(handover.state, "begins") != 0 && strcmp(handover.state, "waits") != 0) {
            fprintf(stderr,
                    "lockstep admin: the handover has failed after %s: %s; the matches go "
                    "on here\n",
                    handover.moved, handover.reason);
            return LS_EXIT_FAILED;
        }
        snprintf(now, sizeof now, "handed over: %s%s%s", handover.moved,
                 handover.reason[0] ? "; waits: " : "", handover.reason);
        if (strcmp(now, last) != 0)
            fprintf(stderr, "%s\n", now);
        strcpy(last, now);
        ls_clock_sleep_until(ls_monotonic_ns() + LS_SECOND_NS / 5);
    }
}

/* The help of an action: its summary as a sentence. */
static void describe(const ls_admin_verb_info *verb, ls_builder *doc)
{
    bool is_of_all =
        verb == ls_admin_verb_get(LS_ADMIN_PLAYERS) || verb == ls_admin_verb_get(LS_ADMIN_SAY);
    const char *room = "";
    if (strncmp(verb->usage, "[ROOM]", 6) == 0)
        room =
            is_of_all ? " Without ROOM: all rooms." : " ROOM may be left out if only one is open.";
    ls_builder_add(doc, "%c%s.%s" EXIT_CODES, toupper((unsigned char)verb->summary[0]),
                   verb->summary + 1, room);
}

static ls_exit run_action(int count, char **arguments)
{
    const char *name = strrchr(arguments[0], ' ') + 1;
    const ls_admin_verb_info *verb = ls_admin_verb_get(ls_admin_verb_find(name));
    struct admin_options options = {.verb = verb};
    ls_builder doc = {0};
    ls_error error;
    int failed = 0;
    describe(verb, &doc);
    bool is_drain = verb == ls_admin_verb_get(LS_ADMIN_DRAIN);
    const ls_arguments table = {.list = is_drain ? drain_list : argument_list,
                                .parts = argument_parts,
                                .usage = verb->usage[0] && !is_drain ? verb->usage : NULL,
                                .doc = doc.data,
                                .take = verb->max && !is_drain ? take_argument : NULL,
                                .check = check_arguments};
    ls_arguments_parse(&table, count, arguments, &options);
    ls_status status = ask(&options, &failed, &error);
    ls_free(doc.data);
    if (status)
        return ls_command_fail("admin", status, &error);
    if (failed)
        (void)ls_command_fail("admin", LS_ERROR_FAILED, &error);
    if (!failed && options.is_handing_over)
        return await_handover(&options);
    return (ls_exit)failed;
}

ls_exit ls_command_admin(int count, char **arguments)
{
    ls_command entries[LS_ADMIN_VERBS];
    for (uint32_t i = 0; i < LS_ADMIN_VERBS; i++) {
        const ls_admin_verb_info *verb = ls_admin_verb_get(i);
        entries[i] = (ls_command){verb->name, verb->summary, run_action};
    }
    const ls_menu menu = {
        .noun = "action",
        .before =
            "Usage: lockstep admin ACTION [ARGUMENT...] [OPTION...]\n\n"
            "Ask a server that runs with `serve --admin PATH`, or tell it what to do. What\n"
            "changes it is in the server's log, with the user and the process that asked.\n\n",
        .after = "\n`lockstep admin ACTION --help` lists the options of an action.\n"
                 "`lockstep top` shows a server in the terminal.\n",
        .entries = entries,
        .count = LS_ADMIN_VERBS,
    };
    return ls_menu_run(&menu, count, arguments);
}
