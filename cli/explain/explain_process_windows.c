/* On Windows a rerun is another process with the same command line; it reads its order with
 * ls_child_words(). Nothing moves addresses here: those of heap and stack may differ by chance from
 * process to process, but the system loads a module at the same address in all of them. */
#include "cli/explain/explain_process.h"

#include "cli/common/address_shift_windows.h"
#include "cli/common/command.h"
#include "core/base/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The lines of the words that a child gets. */
enum { ORDER, ANY_BUILD, SIM, OTHER, PATH, BUNDLE, FINDING, LINES };

const char *ls_explain_process_refuses(const ls_explain_row *row)
{
    return row->kind == LS_EXPLAIN_HEAP
               ? "Windows fills no memory; the heap of noise is the same test"
               : NULL;
}

static ls_status leave(ls_child *child, void *argument, ls_error *error)
{
    (void)child;
    (void)argument;
    return ls_error_set(error, LS_ERROR_IO, "the process has no order");
}

ls_status ls_explain_process_start(ls_child *child, const ls_explain_order *order, ls_error *error)
{
    const ls_explain_config *config = &order->config;
    char text[LS_EXPLAIN_ORDER_BYTES];
    ls_explain_order_print(order, text);
    const char *lines[LINES] = {[ORDER] = text,
                                [ANY_BUILD] = config->any_build ? "--any-build" : NULL,
                                [SIM] = config->sim,
                                [OTHER] = config->other,
                                [PATH] = config->path,
                                [BUNDLE] = config->bundle,
                                [FINDING] = config->finding};
    ls_builder words = {0};
    for (size_t i = 0; i < LINES; i++)
        ls_builder_add(&words, "%s%s", i ? "\n" : "", lines[i] ? lines[i] : "");
    const ls_child_again again = {.timeout_ns = config->timeout_ns, .words = words.data};
    ls_status status = ls_child_start_again(child, &again, leave, NULL, error);
    ls_free(words.data);
    return status;
}

/* Cuts the words into lines; an empty one is NULL. The lines live as long as the process. */
static bool cut(const char *words, const char *lines[LINES])
{
    char *rest = ls_text_duplicate(words);
    for (size_t i = 0; i < LINES; i++) {
        char *end = strchr(rest, '\n');
        if (!end && i + 1 < LINES)
            return false;
        if (end)
            *end = 0;
        lines[i] = rest[0] ? rest : NULL;
        rest = end ? end + 1 : rest;
    }
    return lines[ORDER] && lines[PATH];
}

void ls_explain_process_work(const ls_explain_config *config, const char *text,
                             ls_child_function *run)
{
    const char *words = ls_child_words(), *lines[LINES];
    ls_explain_order order = {.config = *config};
    ls_child child;
    ls_error error;
    (void)text;
    if (!words)
        return;
    if (!cut(words, lines) || !ls_explain_order_parse(lines[ORDER], &order)) {
        fprintf(stderr, "lockstep explain: no row '%s'\n", words);
        exit(LS_EXIT_USAGE);
    }
    order.config.any_build = lines[ANY_BUILD] != NULL;
    order.config.sim = lines[SIM];
    order.config.other = lines[OTHER];
    order.config.path = lines[PATH];
    order.config.bundle = lines[BUNDLE];
    order.config.finding = lines[FINDING];
    order.config.match = NULL;
    order.config.shows_progress = false;
    if (order.row.kind == LS_EXPLAIN_PLACES)
        ls_address_shift(order.row.number);
    const ls_child_again again = {.timeout_ns = config->timeout_ns, .words = words};
    /* Because the words are those that this process was started with, this call works on the order
     * and does not return. */
    exit(ls_child_start_again(&child, &again, run, &order, &error) ? LS_EXIT_MACHINE
                                                                   : LS_EXIT_GOOD);
}
