/* lockstep top: shows a running server in the terminal. */
#include "cli/common/admin_client.h"
#include "cli/common/arguments.h"
#include "cli/common/clock.h"
#include "cli/common/command.h"
#include "cli/common/screen.h"
#include "cli/top/top_view.h"
#include "core/base/platform.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EVERY_NS LS_SECOND_NS

struct top_options {
    ls_admin_socket socket;
    bool is_once;
};

static const ls_argument argument_list[] = {
    LS_ARGUMENT_TITLE("Output:"),
    LS_ARGUMENT_FLAG("once", struct top_options, is_once,
                     "Measure for a second, print the picture to stdout, and end"),
    {0},
};
static const ls_arguments_part argument_parts[] = {
    {&ls_admin_socket_arguments, offsetof(struct top_options, socket)}, {0}};
static const ls_arguments argument_table = {
    .list = argument_list,
    .parts = argument_parts,
    .doc = "Show a server that runs with `serve --admin PATH`: its rooms, how long ticks take and "
           "how late they are, players, bytes and desyncs, every second. Times are milliseconds. "
           "Since the room was opened, half of the ticks took at most p50, and 99 in 100 at most "
           "p99. Up and Down scroll, `q` ends.\vExit codes:\n"
           "  0  good\n"
           "  2  wrong use, no such socket, or no terminal\n"
           "  5  the server does not answer, or has ended\n"
           "  6  refused: not root or the user of the server\n"
           "  9  the network thread of the server hangs\n"
           "  129, 130, 143  a second SIGHUP, SIGINT or SIGTERM ended it at once"};

struct top {
    int file;
    ls_top_sample before, sample;
    uint32_t first; /* room in the first line */
    int failed;     /* exit code of an error that the server tells */
};

static ls_status take_table(struct top *top, ls_admin_verb verb, ls_admin_table *table, char **text,
                            ls_error *error)
{
    ls_admin_reply reply;
    ls_status status = ls_admin_ask(top->file, verb, NULL, 0, &reply, error);
    *text = reply.body;
    top->failed = reply.failed;
    if (!status && reply.failed)
        return ls_error_set(error, LS_ERROR_FAILED, "%s", reply.body);
    return status ? status : ls_admin_table_parse(table, reply.body, error);
}

static ls_status take_sample(struct top *top, ls_error *error)
{
    ls_top_sample_reset(&top->before);
    top->before = top->sample;
    top->sample = (ls_top_sample){.taken_ns = ls_monotonic_ns()};
    ls_status status =
        take_table(top, LS_ADMIN_SERVER, &top->sample.server, &top->sample.server_text, error);
    if (!status)
        status =
            take_table(top, LS_ADMIN_ROOMS, &top->sample.rooms, &top->sample.rooms_text, error);
    return status;
}

/* Returns the sample to compare with. The first sample is compared with itself. */
static const ls_top_sample *before(const struct top *top)
{
    return top->before.taken_ns ? &top->before : &top->sample;
}

static ls_status print_once(struct top *top, ls_error *error)
{
    ls_builder text = {0};
    ls_status status = take_sample(top, error);
    if (status)
        return status;
    ls_clock_sleep_until(ls_monotonic_ns() + EVERY_NS);
    status = take_sample(top, error);
    if (status)
        return status;
    ls_top_print(&text, before(top), &top->sample, 0);
    fputs(text.data, stdout);
    ls_free(text.data);
    return LS_OK;
}

static void draw(const struct top *top)
{
    ls_builder text = {0};
    ls_top_print(&text, before(top), &top->sample, top->first);
    erase();
    int line = 0;
    for (char *at = text.data, *next; at && *at && line < LINES; at = next, line++) {
        next = strchr(at, '\n');
        *next++ = 0;
        attrset(line == 0 || line == LS_TOP_HEAD_LINES - 1 ? A_BOLD : A_NORMAL);
        mvaddnstr(line, 0, at, COLS);
    }
    refresh();
    ls_free(text.data);
}

/* Handles a key. False: leave the program. */
static bool press(struct top *top, int key)
{
    if (key == KEY_DOWN && top->first + 1 < top->sample.rooms.row_count)
        top->first++;
    if (key == KEY_UP && top->first > 0)
        top->first--;
    return key != 'q';
}

static ls_status show(struct top *top, ls_error *error)
{
    ls_status status = take_sample(top, error);
    uint64_t due_ns = ls_monotonic_ns() + EVERY_NS;
    if (!status)
        status = ls_screen_begin("`lockstep top --once`", LS_SCREEN_NEVER, error);
    while (!status && !ls_screen_is_over()) {
        uint64_t now_ns = ls_monotonic_ns();
        draw(top);
        int key = ls_screen_key(now_ns < due_ns ? (uint32_t)((due_ns - now_ns) / LS_NS_PER_MS) : 0);
        if (key >= 0 && !press(top, key))
            break;
        if (ls_monotonic_ns() < due_ns)
            continue;
        status = take_sample(top, error);
        due_ns += EVERY_NS;
    }
    ls_screen_end();
    return status;
}

ls_exit ls_command_top(int count, char **arguments)
{
    struct top_options options = {0};
    struct top top = {0};
    ls_error error;
    ls_arguments_parse(&argument_table, count, arguments, &options);
    ls_status status = ls_admin_connect(options.socket.path, &top.file, &error);
    if (!status)
        status = options.is_once ? print_once(&top, &error) : show(&top, &error);
    if (top.file >= 0)
        close(top.file);
    ls_top_sample_reset(&top.before);
    ls_top_sample_reset(&top.sample);
    if (!status)
        return LS_EXIT_GOOD;
    ls_exit code = ls_command_fail("top", status, &error);
    return top.failed ? (ls_exit)top.failed : code;
}
