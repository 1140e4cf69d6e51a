#include "core/schedule/query_hints.h"

#include "core/schedule/incompatibilities.h"
#include "core/schedule/schedule_report_internal.h"

/* The word that LS_TERMS has for a term that requires or excludes a component. */
static const char *word_of(const ls_plan_term *term)
{
    static const char *const words[] = {[LS_ACCESS_PRESENCE] = "WITH",
                                        [LS_ACCESS_READ] = "READS",
                                        [LS_ACCESS_WRITE] = "WRITES",
                                        [LS_ACCESS_STRUCTURE] = "DETACHES"};
    static const char *const filters[] = {[LS_FILTER_CHANGED] = "CHANGED",
                                          [LS_FILTER_ADDED] = "ADDED",
                                          [LS_FILTER_REMOVED] = "REMOVED"};
    if (term->filter)
        return filters[term->filter];
    return term->kind == LS_EXCLUDE ? "WITHOUT" : words[term->access];
}

static bool decides(const ls_plan_term *term)
{
    return term->kind == LS_INCLUDE || term->kind == LS_EXCLUDE;
}

/* Why no entity matches both terms of one query; NULL: some may. */
static const char *find_reason(const ls_program *program, const ls_plan_term *one,
                               const ls_plan_term *other)
{
    if (one->kind != other->kind)
        return one->column == other->column ? "which contradict each other" : NULL;
    return one->kind == LS_INCLUDE &&
                   ls_columns_are_incompatible(program, one->column, other->column)
               ? "which LS_NEVER_BOTH keeps from one entity"
               : NULL;
}

/* Finds the first two terms of the query that no entity can match together. */
static bool find_pair(const ls_program *program, const ls_plan_system *plan, uint32_t query,
                      const ls_plan_term *pair[2], const char **why)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            pair[0] = &plan->terms[j];
            pair[1] = &plan->terms[i];
            if (!decides(pair[0]) || !decides(pair[1]) || pair[0]->query != query ||
                pair[1]->query != query)
                continue;
            *why = find_reason(program, pair[0], pair[1]);
            if (*why)
                return true;
        }
    }
    return false;
}

static void hint_queries(const ls_program *program, const ls_plan_system *plan,
                         struct ls_schedule_report *report)
{
    const ls_plan_term *pair[2];
    const char *why, *name = plan->step ? NULL : plan->system->name;
    for (uint32_t query = 0; name && query < plan->query_end; query++) {
        if (!find_pair(program, plan, query, pair, &why))
            continue;
        ls_schedule_report_add(
            report, LS_FINDING_HINT, name, NULL,
            "query %u of \"%s\" never matches: it has %s(%s) and %s(%s), %s; take one of the two "
            "out",
            query, name, word_of(pair[0]), program->components[pair[0]->column]->name,
            word_of(pair[1]), program->components[pair[1]->column]->name, why);
    }
}

void ls_query_hints_find(const ls_program *program, struct ls_schedule_report *report)
{
    for (uint32_t i = 0; i < program->setup_count; i++)
        hint_queries(program, &program->setups[i], report);
    for (uint32_t i = 0; i < program->system_count; i++)
        hint_queries(program, &program->systems[i], report);
}
