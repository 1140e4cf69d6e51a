/* Resolves the grids (joins by distance) and the joins by key in a system's description, and checks
 * their rules. Systems with equal joins share one join of the program, and so one index. */
#include "core/schedule/resolve_join.h"

#include "core/base/builder.h"
#include "core/schedule/lists.h"
#include "core/schedule/modules.h"
#include "core/schedule/program_data.h"
#include "core/schema/codec.h"

#include <string.h>

uint32_t ls_component_find(const ls_component *const *list, uint32_t count,
                           const ls_component *component)
{
    uint32_t named = UINT32_MAX, twin = UINT32_MAX;
    for (uint32_t i = 0; component && i < count; i++) {
        if (list[i] == component)
            return i;
    }
    for (uint32_t i = 0; component && component->name && i < count; i++) {
        bool is_twin = ls_component_is_twin(list[i], component);
        if (strcmp(list[i]->name, component->name) == 0) {
            named = i;
            if (is_twin)
                return i;
        }
        if (is_twin)
            twin = i;
    }
    return twin != UINT32_MAX ? twin : named;
}

const ls_field *ls_component_field_at(const ls_component *component, uint32_t offset)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        if (component->fields[i].offset == offset)
            return &component->fields[i];
    }
    return NULL;
}

uint32_t ls_program_find_column(const ls_program *program, const ls_component *component)
{
    return ls_component_find(program->components, program->column_count, component);
}

uint32_t ls_lane_find(const ls_program *program, const char *name)
{
    for (uint32_t lane = 0; lane < program->lane_count; lane++) {
        if (strcmp(program->lanes[lane], name) == 0)
            return lane;
    }
    return LS_LANES_MAX;
}

uint32_t ls_plan_find_lane(const ls_program *program, const ls_plan_system *plan, const char *name)
{
    if (!plan->part || strcmp(name, "world") == 0)
        return ls_lane_find(program, name);
    ls_builder full = {0};
    ls_part_full_name(&program->merged->parts.parts[plan->part], name, (uint32_t)strlen(name),
                      &full);
    uint32_t lane = ls_lane_find(program, full.data);
    ls_free(full.data);
    return lane;
}

/* The join being checked, for error messages. */
struct place {
    const ls_program *program;
    ls_plan_system *plan;
    const char *what; /* "grid" or "join" */
    uint32_t number;
    ls_error *error;
};

static ls_status refuse(const struct place *at, ls_status status, const char *component,
                        const char *why)
{
    return ls_error_set(at->error, status, "system \"%s\", %s %u over \"%s\": %s",
                        at->plan->system->name, at->what, at->number, component, why);
}

static ls_status find_column(const struct place *at, const ls_component *component,
                             uint32_t *column)
{
    if (component->event_ticks)
        return refuse(at, LS_ERROR_USAGE, component->name,
                      "an event has no entities; receive it through RECEIVES(...)");
    *column = ls_program_find_column(at->program, component);
    if (*column == UINT32_MAX)
        return refuse(at, LS_ERROR_USAGE, component->name,
                      "the simulation does not list this component; add it to its "
                      "components");
    const ls_component *found = at->program->components[*column];
    if (found->bytes != component->bytes)
        return refuse(at, LS_ERROR_USAGE, component->name,
                      "the simulation lists another component of this name");
    if (found->is_singleton)
        return refuse(at, LS_ERROR_USAGE, component->name,
                      "a singleton has no entities; read it through READS_SINGLETON(...)");
    return LS_OK;
}

/* Refuses a concurrent system that changes a column on its own entities and also finds entities by
 * that column through an index. The column then has two values within the tick, and the index has
 * the earlier one. The system must declare that with `.start`. */
static ls_status check_self_conflict(const struct place *at, uint32_t column, ls_access looks_at,
                                     bool start)
{
    const ls_plan_system *plan = at->plan;
    for (uint32_t i = 0; plan->system->mode == LS_CONCURRENT && !start && i < plan->term_count;
         i++) {
        const ls_plan_term *own = &plan->terms[i];
        if (own->column == column && own->kind < LS_OTHERS &&
            own->access >= (looks_at == LS_ACCESS_PRESENCE ? LS_ACCESS_STRUCTURE : LS_ACCESS_WRITE))
            return refuse(at, LS_ERROR_REFUSED, at->program->components[column]->name,
                          "the system conflicts with itself, because it changes the component on "
                          "its own entities; set .start to find all as they were when it began, or "
                          "write to another component and let a second system copy it");
    }
    return LS_OK;
}

/* Whether there is a fix number at the offset, also within a vector or an array. */
static bool is_fix_at(const ls_component *component, uint32_t offset)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        if (offset >= field->offset && offset - field->offset < field->bytes)
            return (field->type == LS_TYPE_FIX || ls_type_is_vector(field->type)) &&
                   (offset - field->offset) % sizeof(ls_fix) == 0;
    }
    return false;
}

static uint32_t intern_grid(ls_program *program, const ls_plan_grid *wanted)
{
    for (uint32_t i = 0; i < program->grid_count; i++) {
        const ls_plan_grid *known = &program->grids[i];
        if (known->column == wanted->column && known->with == wanted->with &&
            known->carries == wanted->carries && known->grid.offset_x == wanted->grid.offset_x &&
            known->grid.offset_y == wanted->grid.offset_y &&
            known->grid.has_z == wanted->grid.has_z &&
            known->grid.offset_z == wanted->grid.offset_z && known->grid.cell == wanted->grid.cell)
            return i;
    }
    program->grids = ls_realloc(program->grids, sizeof *program->grids * (program->grid_count + 1));
    program->grids[program->grid_count] = *wanted;
    return program->grid_count++;
}

/* Whether the system may read the values of the column that its grid or join filters by. Then the
 * index has them. */
static bool reads_others(const struct place *at, uint32_t column)
{
    for (uint32_t i = 0; i < at->plan->term_count; i++) {
        const ls_plan_term *term = &at->plan->terms[i];
        if (term->column == column && (term->kind == LS_OTHERS || term->kind == LS_START) &&
            term->access == LS_ACCESS_READ)
            return at->program->components[column]->bytes > 0;
    }
    return false;
}

/* The rule about offsets that the grid violates, in words; NULL when it violates none. */
static const char *position_fault(const ls_component *positions, const ls_grid *grid)
{
    if (!is_fix_at(positions, grid->offset_x) || !is_fix_at(positions, grid->offset_y) ||
        grid->offset_x == grid->offset_y)
        return "its offsets have to be those of two ls_fix: two FIX(...) fields, or two "
               "members of a vector, offsetof(T, at.x) and offsetof(T, at.y)";
    if (!grid->has_z && grid->offset_z)
        return "it has an offset_z but no has_z; set both, as LS_POSITION(T, x, y, z) does";
    if (grid->has_z && (!is_fix_at(positions, grid->offset_z) || grid->offset_z == grid->offset_x ||
                        grid->offset_z == grid->offset_y))
        return "its offset_z has to be that of a third ls_fix: a FIX(...) field, or a member "
               "of a vector, offsetof(T, at.z)";
    return NULL;
}

static ls_status resolve_grid(ls_program *program, const struct place *at, const ls_grid *grid)
{
    ls_plan_grid found = {.grid = *grid, .with = UINT32_MAX};
    ls_status status = find_column(at, grid->component, &found.column);
    if (status == LS_OK && grid->with)
        status = find_column(at, grid->with, &found.with);
    if (status != LS_OK)
        return status;
    const ls_component *positions = program->components[found.column];
    const char *fault = position_fault(positions, grid);
    if (fault)
        return refuse(at, LS_ERROR_USAGE, positions->name, fault);
    if (grid->cell <= 0)
        return refuse(at, LS_ERROR_USAGE, positions->name,
                      "the edge of its cells has to be above 0; take the usual radius");
    ls_plan_note_access(at->plan, found.column, LS_ACCESS_READ);
    if (grid->with)
        ls_plan_note_access(at->plan, found.with, LS_ACCESS_PRESENCE);
    found.carries = grid->with && reads_others(at, found.with);
    at->plan->grids[at->plan->grid_count++] = intern_grid(program, &found);
    status = check_self_conflict(at, found.column, LS_ACCESS_READ, grid->start);
    if (status == LS_OK && grid->with)
        status = check_self_conflict(at, found.with, LS_ACCESS_PRESENCE, grid->start);
    return status;
}

static uint32_t intern_join(ls_program *program, const ls_plan_join *wanted)
{
    for (uint32_t i = 0; i < program->join_count; i++) {
        const ls_plan_join *known = &program->joins[i];
        if (known->column == wanted->column && known->offset == wanted->offset &&
            known->with == wanted->with && known->carries == wanted->carries)
            return i;
    }
    program->joins = ls_realloc(program->joins, sizeof *program->joins * (program->join_count + 1));
    program->joins[program->join_count] = *wanted;
    return program->join_count++;
}

static bool is_key_type(ls_type type)
{
    return type >= LS_TYPE_U8 &&
           (type <= LS_TYPE_BOOL || type == LS_TYPE_ENTITY || type == LS_TYPE_ENUM);
}

static ls_status find_key(const struct place *at, const ls_component *component, uint32_t offset,
                          ls_plan_join *key)
{
    *key = (ls_plan_join){
        .offset = offset, .items = 1, .count_offset = UINT32_MAX, .with = UINT32_MAX};
    ls_status status = find_column(at, component, &key->column);
    if (status != LS_OK)
        return status;
    const ls_field *field = ls_component_field_at(at->program->components[key->column], offset);
    if (!field)
        return refuse(at, LS_ERROR_USAGE, component->name,
                      component->bytes ? "no field starts at the offset; take it with offsetof()"
                                       : "a tag has no field; ask for it in a term");
    if (!is_key_type(field->type) || field->bytes != ls_type_bytes(field->type))
        return ls_error_set(at->error, LS_ERROR_USAGE,
                            "system \"%s\", %s %u over \"%s\": field \"%s\" is no key; a key is "
                            "one integer, bool, enum or reference to an entity, no array",
                            at->plan->system->name, at->what, at->number, component->name,
                            field->name);
    key->type = field->type;
    return LS_OK;
}

static bool includes(const ls_plan_system *plan, uint32_t query, uint32_t column)
{
    for (uint32_t i = 0; i < plan->term_count; i++) {
        if (plan->terms[i].query == query && plan->terms[i].column == column &&
            plan->terms[i].kind == LS_INCLUDE)
            return true;
    }
    return false;
}

/* Resolves a join that drives a query: the join selects the query's entities. */
static ls_status resolve_driven(const struct place *at, const ls_join *join,
                                const ls_plan_join *found)
{
    ls_plan_system *plan = at->plan;
    ls_plan_join *from = &plan->join_from[at->number];
    if (join->query >= plan->query_count)
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      "the system has no query of this number; give it terms, or 0 to walk the "
                      "join with ls_join_begin() only");
    if (plan->query_joins[join->query])
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      "another join drives this query already; give the second one its own");
    if (!includes(plan, join->query, found->column))
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      "the query that the join drives does not include the component; add "
                      "READS(...) or WITH(...) of it");
    *from = (ls_plan_join){.column = UINT32_MAX, .type = LS_TYPE_ENTITY};
    if (join->from) {
        ls_status status = find_key(at, join->from, join->from_offset, from);
        if (status != LS_OK)
            return status;
        if (!includes(plan, 0, from->column))
            return refuse(at, LS_ERROR_USAGE, join->component->name,
                          "query 0 does not include the component that .from names; add "
                          "READS(...) or WITH(...) of it");
        ls_plan_note_access(plan, from->column, LS_ACCESS_READ);
    }
    if ((from->type == LS_TYPE_ENTITY) != (found->type == LS_TYPE_ENTITY))
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      "a reference is compared with a number; join references with references (or "
                      "without .from), numbers with numbers");
    plan->query_joins[join->query] = 1 + at->number;
    plan->keeps_keys |= join->from && plan->system->mode == LS_SEQUENTIAL &&
                        (plan->touches[from->column] & LS_TOUCH_WRITE);
    return LS_OK;
}

static ls_status resolve_join_with(const struct place *at, const ls_join *join, ls_plan_join *found)
{
    if (join->query != 0)
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      ".with is for a join that the function walks; give the query that the join "
                      "drives a term WITH(...)");
    ls_status status = find_column(at, join->with, &found->with);
    if (status != LS_OK)
        return status;
    ls_plan_note_access(at->plan, found->with, LS_ACCESS_PRESENCE);
    found->carries = reads_others(at, found->with);
    return check_self_conflict(at, found->with, LS_ACCESS_PRESENCE, join->start);
}

static ls_status resolve_join(ls_program *program, const struct place *at, const ls_join *join)
{
    ls_plan_join found;
    ls_status status = find_key(at, join->component, join->offset, &found);
    if (status == LS_OK && join->with)
        status = resolve_join_with(at, join, &found);
    if (status != LS_OK)
        return status;
    ls_plan_note_access(at->plan, found.column, LS_ACCESS_READ);
    at->plan->joins[at->plan->join_count++] = intern_join(program, &found);
    status = check_self_conflict(at, found.column, LS_ACCESS_READ, join->start);
    if (status == LS_OK && join->query != 0)
        return resolve_driven(at, join, &found);
    if (status == LS_OK && join->from)
        return refuse(at, LS_ERROR_USAGE, join->component->name,
                      ".from is the key of a query that the join drives; say which with .query");
    return status;
}

ls_status ls_plan_resolve_joins(ls_program *program, ls_plan_system *plan, ls_error *error)
{
    const ls_system *system = plan->system;
    struct place at = {.program = program, .plan = plan, .what = "grid", .error = error};
    ls_status status = LS_OK;
    for (uint32_t i = 0; status == LS_OK && ls_grid_of(system, i); i++) {
        at.number = i;
        status = resolve_grid(program, &at, &system->grids[i]);
    }
    at.what = "join";
    for (uint32_t i = 0; status == LS_OK && ls_join_of(system, i); i++) {
        at.number = i;
        status = resolve_join(program, &at, &system->joins[i]);
    }
    return status;
}
