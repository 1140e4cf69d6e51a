#include "core/schedule/cycles.h"

#include "core/schedule/schedule_report_internal.h"

#include <stdio.h>
#include <string.h>

static void report_cycle(ls_build *build, const uint32_t *path, uint32_t length)
{
    const ls_plan_system *systems = build->program->systems;
    enum { NAMED = 16 }; /* names shown; of a longer cycle, the first and last ones */
    char text[NAMED * 80 + 200];
    size_t used = 0;
    for (uint32_t i = 0; i < length; i++) {
        if (length > NAMED && i == NAMED / 2) {
            used += (size_t)snprintf(text + used, sizeof text - used, " before %u others",
                                     length - NAMED);
            i = length - NAMED / 2;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, " before \"%.60s\"",
                                 systems[path[(i + 1) % length]].system->name);
    }
    ls_schedule_report_add(build->report, LS_FINDING_CYCLE, systems[path[0]].system->name,
                           systems[path[1 % length]].system->name,
                           "the order has a cycle: \"%s\"%s; take one of these orders away",
                           systems[path[0]].system->name, text);
}

/* Finds for each system all systems that a path leads to; the graph may have cycles. */
static void close_cyclic(const ls_graph *edges, ls_graph *closure)
{
    ls_graph_init(closure, edges->count);
    memcpy(closure->after, edges->after, sizeof *edges->after * edges->words * edges->count);
    for (uint32_t k = 0; k < closure->count; k++) {
        for (uint32_t i = 0; i < closure->count; i++) {
            if (ls_graph_has(closure, i, k))
                ls_bits_or(ls_graph_row(closure, i), ls_graph_row(closure, k), closure->words);
        }
    }
}

void ls_cycles_report(ls_build *build)
{
    enum { CYCLES_MAX = 16 };
    uint32_t *path = ls_alloc(sizeof *path * (build->edges.count + 1)), length, count = 0;
    close_cyclic(&build->edges, &build->cyclic);
    while ((length = ls_graph_find_cycle(&build->edges, path)) > 0) {
        if (count++ < CYCLES_MAX)
            report_cycle(build, path, length);
        ls_graph_cut(&build->edges, path, length);
    }
    ls_free(path);
}
