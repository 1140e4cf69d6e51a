/* Finds the first difference between a tick that is run here and the state that another run
 * left. */
#include "core/schedule/resolve_join.h"
#include "desync/first_difference.h"

#include <string.h>

struct claims {
    const ls_world *world, *other;
    ls_cell_claim list[LS_COMPONENTS_MAX];
    uint32_t count;
    char *text; /* the first difference of any kind, in words */
};

/* Takes the first cell of each component in which the two states differ. */
static bool add_claim(void *argument, const ls_difference *difference)
{
    struct claims *claims = argument;
    const ls_component *component = difference->component;
    if (!claims->text) {
        ls_builder text = {0};
        ls_builder_add(&text, "%s: %s here, %s there", difference->place,
                       difference->a ? difference->a : "nothing",
                       difference->b ? difference->b : "nothing");
        claims->text = text.data;
    }
    if (!component)
        return true;
    uint32_t column = ls_program_find_column(claims->world->program, component);
    for (uint32_t i = 0; i < claims->count; i++)
        if (claims->list[i].column == column)
            return true;
    const void *cell = component->is_singleton
                           ? ls_world_singleton(claims->other, component)
                           : ls_world_cell(claims->other, component, difference->entity);
    claims->list[claims->count++] = (ls_cell_claim){column, difference->entity, cell};
    return claims->count < LS_COUNT_OF(claims->list);
}

/* Whether the system of `one` ran before the system of `other`. A stage that repeats runs each of
 * its systems again. */
static bool ran_before(const ls_program *program, const ls_suspect *one, const ls_suspect *other)
{
    uint32_t a = one->positions[0], b = other->positions[0];
    if (one->nth != other->nth && a < ls_program_system_count(program) &&
        b < ls_program_system_count(program) &&
        ls_program_stage_of(program, a) == ls_program_stage_of(program, b))
        return one->nth < other->nth;
    return a < b;
}

/* Finds the cell whose store came first in the tick: the other differences may follow from it. */
static ls_status find_earliest(const ls_run_variant *variant, const ls_frame *frame,
                               const struct claims *claims, ls_first_difference *earliest,
                               ls_error *error)
{
    ls_status status = LS_OK;
    bool has_one = false;
    for (uint32_t i = 0; i < claims->count && !status; i++) {
        ls_first_difference difference;
        status =
            ls_first_difference_find_cell(variant, frame, &claims->list[i], &difference, error);
        if (status)
            break;
        bool is_earlier = !has_one || ran_before(variant->world->program, &difference.suspect,
                                                 &earliest->suspect);
        if (has_one)
            ls_first_difference_reset(is_earlier ? earliest : &difference);
        if (is_earlier)
            *earliest = difference;
        has_one = true;
    }
    if (status && has_one)
        ls_first_difference_reset(earliest);
    return status;
}

ls_status ls_first_difference_find_state(const ls_run_variant *variant, const ls_frame *frame,
                                         ls_world *other, ls_first_difference *difference,
                                         ls_error *error)
{
    ls_world *world = variant->world;
    ls_snapshot *before = ls_world_snapshot(world);
    struct claims claims = {.world = world, .other = other};
    ls_status status = ls_world_advance(world, frame, NULL, error);
    if (!status)
        ls_world_diff(world, other, add_claim, &claims);
    ls_world_restore(world, before);
    ls_snapshot_destroy(before);
    if (variant->statics)
        ls_statics_put(variant->statics);
    if (!status && !claims.text)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "run once more, the tick is the same");
    else if (!status && !claims.count)
        status = ls_error_set(error, LS_ERROR_NOT_FOUND, "%s", claims.text);
    if (!status)
        status = find_earliest(variant, frame, &claims, difference, error);
    ls_free(claims.text);
    return status;
}
