#include "core/schedule/resolve_partner.h"

#include "core/schedule/lists.h"
#include "core/schedule/resolve_join.h"

static ls_status refuse(const ls_plan_system *plan, ls_status status, const char *component,
                        const char *why, ls_error *error)
{
    return ls_error_set(error, status, "system \"%s\", partner by \"%s\": %s", plan->system->name,
                        component, why);
}

static bool is_own(const ls_plan_term *term)
{
    return term->kind <= LS_OPTIONAL && term->query == 0;
}

static const ls_plan_term *find_partner_term(const ls_plan_system *plan)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].kind == LS_PARTNER)
            return &plan->terms[i];
    }
    return NULL;
}

static bool is_reference(const ls_component *component, uint32_t offset)
{
    const ls_field *field = ls_component_field_at(component, offset);
    return field && field->type == LS_TYPE_ENTITY && field->bytes == sizeof(ls_entity);
}

/* The rule about the reference that the system violates; NULL when it violates none. */
static const char *fault_of_reference(const ls_program *program, const ls_plan_system *plan,
                                      uint32_t column)
{
    bool is_read = false;
    if (!is_reference(program->components[column], plan->system->partner.offset))
        return "at the offset there is no single reference to an entity; use LS_KEY()";
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        if (!is_own(term) || term->column != column)
            continue;
        is_read |= term->kind == LS_INCLUDE && term->access == LS_ACCESS_READ;
        if (term->access > LS_ACCESS_READ)
            return "the system changes this component itself, and with it the partners; let "
                   "another system do so";
    }
    return is_read ? NULL : "query 0 does not read it; add READS(...)";
}

/* Notes whether the system looks at the partners' column on its own entities: then no match may be
 * the partner of another one. Refuses a system that attaches or detaches the component itself, or
 * looks at it on other entities. */
static ls_status check_column(const ls_program *program, ls_plan_system *plan, uint32_t column,
                              ls_error *error)
{
    bool looks = false;
    for (uint32_t i = 0; i < plan->term_count; i++) {
        const ls_plan_term *term = &plan->terms[i];
        bool is_other = term->kind == LS_OTHERS || (term->kind <= LS_OPTIONAL && term->query != 0);
        if (term->column != column || (!is_own(term) && !is_other))
            continue;
        plan->meets_partner |= is_own(term) && term->access >= LS_ACCESS_READ;
        looks |= (is_own(term) && term->access == LS_ACCESS_STRUCTURE) ||
                 (is_other && term->access >= LS_ACCESS_READ);
    }
    for (uint32_t i = 0; i < plan->grid_count; i++) {
        const ls_plan_grid *grid = &program->grids[plan->grids[i]];
        looks |= !plan->system->grids[i].start &&
                 (grid->column == column || (grid->carries && grid->with == column));
    }
    for (uint32_t i = 0; i < plan->join_count; i++) {
        const ls_plan_join *join = &program->joins[plan->joins[i]];
        looks |= !plan->system->joins[i].start &&
                 (join->column == column || (join->carries && join->with == column));
    }
    if (!looks)
        return LS_OK;
    return ls_error_set(
        error, LS_ERROR_REFUSED,
        "system \"%s\" conflicts with itself: it writes \"%s\" of partners, and "
        "looks at it on others or attaches it; read it as it was at the start "
        "(OTHERS_START(...), or .start of a grid or join), or use another component",
        plan->system->name, program->components[column]->name);
}

static ls_status check_terms(const ls_program *program, ls_plan_system *plan, ls_error *error)
{
    ls_status status = LS_OK;
    for (uint32_t i = 0; i < plan->term_count && status == LS_OK; i++) {
        if (plan->terms[i].kind == LS_PARTNER)
            status = check_column(program, plan, plan->terms[i].column, error);
    }
    return status;
}

ls_status ls_plan_resolve_partner(ls_program *program, ls_plan_system *plan, ls_error *error)
{
    const ls_partner *partner = &plan->system->partner;
    const ls_plan_term *term = find_partner_term(plan);
    if (!term && !partner->component)
        return LS_OK;
    if (!partner->component)
        return refuse(plan, LS_ERROR_USAGE, program->components[term->column]->name,
                      "the term writes a partner, and the system names none; add "
                      ".partner = {LS_KEY(component, field)}",
                      error);
    const char *name = partner->component->name;
    if (!term)
        return refuse(plan, LS_ERROR_USAGE, name,
                      "no term writes the partner; add PARTNER_WRITES(...), or take it out", error);
    if (plan->system->mode != LS_CONCURRENT)
        return refuse(plan, LS_ERROR_USAGE, name,
                      "a sequential system writes any entity; use OTHERS_WRITE(...)", error);
    if (plan->query_count != 1)
        return refuse(plan, LS_ERROR_USAGE, name,
                      "the system has a query vector; let its function walk the other queries, or "
                      "make it sequential",
                      error);
    if ((uint32_t)partner->clash > LS_PARTNER_FIRST_WINS)
        return refuse(plan, LS_ERROR_USAGE, name,
                      "its clash is LS_PARTNER_FAILS or LS_PARTNER_FIRST_WINS", error);
    uint32_t column = ls_program_find_column(program, partner->component);
    const char *fault = column == UINT32_MAX ? "the simulation does not list this component; add "
                                               "it to its components"
                                             : fault_of_reference(program, plan, column);
    if (fault)
        return refuse(plan, LS_ERROR_USAGE, name, fault, error);
    plan->has_partner = true;
    plan->partner_column = column;
    plan->partner_offset = partner->offset;
    program->can_fail |= partner->clash == LS_PARTNER_FAILS;
    return check_terms(program, plan, error);
}
