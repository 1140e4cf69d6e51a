#include "physics.h"

LS_COMPONENTS(components, body, landing);
enum { GRAVITY, BOUNCE };
static const ls_option options[] = {
    [GRAVITY] = {"gravity", "loss of speed in a tick, in thousandths", 1, 1000, 20},
    [BOUNCE] = {"bounce", "percent of the speed that a landing keeps", 0, 90, 0},
};

LS_TERMS(moving, WRITES(body), SENDS(landing));

/* A landing is at a height of 0 sharp, and the body leaves the ground in the next tick or stays. */
static LS_EACH_FUNCTION(move, context, span)
{
    LS_USES(context, moving);
    const ls_match *match = ls_match_of(context);
    ls_fix gravity = ls_fix_div(ls_fix_from_int((int32_t)match->options[GRAVITY]), LS_FIX(1000));
    ls_fix bounce = ls_fix_div(ls_fix_from_int((int32_t)match->options[BOUNCE]), LS_FIX(100));
    body *first = LS_WRITE_SPAN(context, body, span);
    LS_EACH_IN_SPAN(span, i)
    {
        body *self = &first[i];
        if (self->at.y == 0 && self->speed.y == 0)
            continue;
        self->speed.y = ls_fix_sub(self->speed.y, gravity);
        self->at = ls_fix2_add(self->at, self->speed);
        if (self->at.y > 0)
            continue;
        self->at.y = 0;
        self->speed = ls_fix2_scale(ls_fix2_make(self->speed.x, -self->speed.y), bounce);
        if (self->speed.y < gravity)
            self->speed = ls_fix2_make(0, 0);
        LS_SEND(context, landing, .body = ls_span_entity(span, i), .x = self->at.x);
    }
}

static const ls_system systems[] = {
    {.name = "move", .mode = LS_CONCURRENT, .each = move, .terms = moving}};

const ls_module ls_physics = {
    .name = "physics",
    .options = options,
    .option_count = LS_COUNT_OF(options),
    .components = components,
    .component_count = LS_COUNT_OF(components),
    .systems = systems,
    .system_count = LS_COUNT_OF(systems),
};
