#include "cli/explain/explain_process.h"

#include "cli/common/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <unistd.h>

const char *ls_explain_process_refuses(const ls_explain_row *row)
{
    (void)row;
    return NULL;
}

static void fix_addresses(void)
{
    int now = personality(0xffffffff);
    if (now >= 0)
        (void)personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

/* glibc fills memory from malloc with the complement of the byte `perturb`, except memory from the
 * thread's cache, which is therefore turned off. */
static void fill_heap(uint32_t byte)
{
    char tunables[96];
    snprintf(tunables, sizeof tunables, "glibc.malloc.tcache_count=0:glibc.malloc.perturb=%u",
             byte ^ 0xffu);
    setenv("GLIBC_TUNABLES", tunables, 1);
}

static void set_surroundings(const ls_explain_row *row)
{
    if (row->kind == LS_EXPLAIN_HEAP)
        fill_heap(row->number);
    if (row->kind == LS_EXPLAIN_HEAP_NOISE) /* the run fills the memory itself */
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1);
    if (row->kind != LS_EXPLAIN_PLACES)
        fix_addresses();
}

/* A search in a tick runs both variants in one process, so addresses are fixed, and only the fill
 * of the heap is set as the row asks. The search for a fill compares with the state of a run with
 * another fill, and the fill overwrites what earlier calls left in memory. */
static void set_surroundings_of_search(const ls_explain_row *row)
{
    if (row->kind == LS_EXPLAIN_HEAP)
        fill_heap(row->number);
    fix_addresses();
}

static ls_status become(ls_child *child, void *argument, ls_error *error)
{
    const ls_explain_order *order = argument;
    const ls_explain_config *config = &order->config;
    char row[LS_EXPLAIN_ORDER_BYTES], timeout[32];
    snprintf(timeout, sizeof timeout, "%" PRIu64, config->timeout_ns / LS_SECOND_NS);
    ls_explain_order_print(order, row);
    if (order->output != LS_EXPLAIN_WHERE)
        set_surroundings(&order->row);
    else
        set_surroundings_of_search(&order->row);
    const char *arguments[20] = {"lockstep", "explain", "--row", row, "--timeout", timeout};
    uint32_t count = 6;
    const char *const options[][2] = {{"--sim", config->sim},
                                      {"--other", config->other},
                                      {"--finding", config->finding},
                                      {"--bundle", config->bundle}};
    for (size_t i = 0; i < LS_COUNT_OF(options); i++) {
        if (!options[i][1])
            continue;
        arguments[count++] = options[i][0];
        arguments[count++] = options[i][1];
    }
    if (config->any_build)
        arguments[count++] = "--any-build";
    arguments[count++] = "--";
    arguments[count++] = config->path;
    return ls_child_become(child, child->bytes_file, (char *const *)(uintptr_t)arguments, environ,
                           error);
}

ls_status ls_explain_process_start(ls_child *child, const ls_explain_order *order, ls_error *error)
{
    ls_explain_order own = *order;
    return ls_child_start(child, order->config.timeout_ns, become, &own, error);
}

void ls_explain_process_work(const ls_explain_config *config, const char *text,
                             ls_child_function *run)
{
    ls_child child;
    ls_explain_order order = {.config = *config};
    ls_error error = {0};
    if (!text)
        return;
    ls_status status = ls_child_attach(&child, &error);
    if (!status && !ls_explain_order_parse(text, &order))
        status = ls_error_set(&error, LS_ERROR_USAGE, "no row '%s'", text);
    if (status) {
        fprintf(stderr, "lockstep explain: %s\n", error.text);
        exit(LS_EXIT_USAGE);
    }
    status = run(&child, &order, &error);
    ls_child_exit(&child, status, &error);
}
