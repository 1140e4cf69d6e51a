#include "tests/schedule/op.h"

#include "tests/schedule/schedule.h"

bool op_has_values(uint32_t column)
{
    return column <= COLUMN_C;
}

static bool is_cells(uint32_t column)
{
    return column <= COLUMN_U;
}

bool op_is_matched(op_kind kind)
{
    return kind <= OP_PAIR_ALL || (kind >= OP_PARTNER && kind <= OP_IN_LANE) || kind == OP_ANY_OF ||
           kind == OP_PAIR_JOINED || kind == OP_PAIR_REFERS;
}

static bool is_of_reference(op_kind kind)
{
    return kind <= OP_DETACH ? kind != OP_BUMP
                             : (kind >= OP_OTHERS_ASK && kind <= OP_START) || kind == OP_WALK ||
                                   kind == OP_OBSERVE || kind == OP_COMMAND ||
                                   kind == OP_SPAWN_WITH || kind == OP_JOIN_REFERENCE ||
                                   kind == OP_PAIR_REFERS || kind == OP_PARENTS_FIRST;
}

bool op_is_of(op_kind kind, uint32_t column)
{
    if (column == COLUMN_P)
        return is_of_reference(kind);
    if (column == COLUMN_G)
        return kind == OP_STATE || kind == OP_ENTER;
    switch (kind) {
    case OP_READ:
    case OP_MAYBE_READ:
    case OP_WRITE:
    case OP_BUMP:
    case OP_PAIR_READ:
    case OP_START:
    case OP_GRID:
    case OP_JOIN:
    case OP_WALK:
    case OP_PARTNER:
    case OP_CHANGED:
    case OP_ADDED:
    case OP_REMOVED:
    case OP_JOIN_COUNT:
    case OP_JOIN_START:
    case OP_GRID_START:
    case OP_GRID_NEAREST:
    case OP_GRID_VALUES:
    case OP_PAIR_JOINED:
        return op_has_values(column);
    case OP_JOIN_REFERENCE:
    case OP_PAIR_REFERS:
    case OP_PARENTS_FIRST:
    case OP_STATE:
    case OP_ENTER:
        return false;
    case OP_OTHERS_READ:
    case OP_OTHERS_WRITE:
    case OP_ADD:
    case OP_MIN:
    case OP_MAX:
    case OP_OR:
    case OP_ARG_MIN:
    case OP_ARG_MAX:
    case OP_COMBINE:
        return op_has_values(column) || column == COLUMN_S;
    case OP_IN_LANE:
        return column <= LANES;
    case OP_GRID_WITH:
        return is_cells(column) && column != COLUMN_A;
    case OP_SEND:
    case OP_RECEIVE:
        return column == COLUMN_E || column == COLUMN_F;
    case OP_SPAWN:
    case OP_COMMAND_SPAWN:
        return column < LANES;
    case OP_DESPAWN:
    case OP_GUESS:
    case OP_RANDOM:
    case OP_READS_WORLD:
    case OP_WRITES_WORLD:
        return column == 0;
    default:
        return is_cells(column);
    }
}

bool op_is_own_change(op_kind kind)
{
    return kind == OP_WRITE || kind == OP_BUMP || kind == OP_ATTACH || kind == OP_DETACH;
}

/* Access to other entities. A concurrent system may not combine it with a change of its own cell in
 * the same column. */
static bool is_of_others(op_kind kind)
{
    switch (kind) {
    case OP_START:
    case OP_ANY_OF:
    case OP_JOIN_START:
    case OP_GRID_START:
        return false;
    default:
        return (kind >= OP_PAIR_READ && kind <= OP_OR) || kind >= OP_ARG_MIN;
    }
}

bool op_touches(const op *done, uint32_t column)
{
    switch (done->kind) {
    case OP_GRID_WITH:
    case OP_GRID_VALUES:
    case OP_PAIR_JOINED:
    case OP_PAIR_REFERS:
        return done->column == column || column == COLUMN_A;
    case OP_PARTNER:
        return done->column == column || column == COLUMN_P;
    case OP_ANY_OF:
        return done->column == column || op_alternative(done->column) == column;
    case OP_READS_WORLD:
    case OP_WRITES_WORLD:
        return column != COLUMN_E && column != COLUMN_F;
    default:
        return done->column == column;
    }
}

static bool share(const op *one, const op *other)
{
    bool do_share = false;
    for (uint32_t column = 0; column < COLUMN_COUNT; column++)
        do_share |= op_touches(one, column) && op_touches(other, column);
    return do_share;
}

/* The forms of access that a system with partners may have besides. */
static bool fits_beside_partner(op_kind kind)
{
    return kind <= OP_COMBINE || kind == OP_ANY_OF || kind == OP_JOIN_START ||
           kind == OP_GRID_START || kind == OP_STATE;
}

/* Whether the two drive one query, or one of them is the vector that the other must not have. */
static bool is_second_drive(op_kind kind, op_kind other)
{
    bool is_drive = kind == OP_PAIR_JOINED || kind == OP_PAIR_REFERS;
    return is_drive && (other == OP_PAIR_JOINED || other == OP_PAIR_REFERS);
}

/* A system writes a column of partners only if it looks at no other entity's and attaches none. It
 * reads P by query 0, and has no other access to it. */
static bool fits_partner(const actor *plan, uint32_t column)
{
    bool fits = plan->is_concurrent;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        op_kind other = (op_kind)plan->ops[i].kind;
        bool is_harmless = other == OP_OTHERS_ASK || other == OP_COMMAND || other == OP_SPAWN_WITH;
        fits &=
            !op_touches(&plan->ops[i], COLUMN_P) && other != OP_PAIR_READ && other != OP_PAIR_ALL;
        if (op_touches(&plan->ops[i], column) && !is_harmless)
            fits &= !is_of_others(other) && other != OP_ATTACH && other != OP_DETACH;
    }
    return fits;
}

bool op_fits(const actor *plan, op_kind kind, uint32_t column)
{
    bool spawns = false;
    if (!op_is_of(kind, column) ||
        (plan->is_concurrent &&
         (kind == OP_OTHERS_WRITE || kind == OP_OTHERS_CHANGE || kind == OP_ENTER ||
          kind == OP_WRITES_WORLD || kind == OP_PARENTS_FIRST)) ||
        (kind == OP_PARTNER && !fits_partner(plan, column)))
        return false;
    for (uint32_t i = 0; i < plan->op_count; i++) {
        op_kind other = (op_kind)plan->ops[i].kind;
        spawns |= other == OP_SPAWN;
        if (other == kind && (plan->ops[i].column == column || kind >= OP_SPAWN ||
                              kind == OP_PAIR_READ || kind == OP_PAIR_ALL))
            return false;
        if ((other == OP_PARTNER && !fits_beside_partner(kind)) || is_second_drive(kind, other) ||
            (op_is_of_world(kind) && op_is_of_world(other)))
            return false;
        const op wanted = {(uint8_t)kind, (uint8_t)column};
        bool is_shared = share(&plan->ops[i], &wanted);
        if (is_shared && other == OP_PARTNER && (kind == OP_ATTACH || kind == OP_DETACH))
            return false;
        if (is_shared && plan->is_concurrent &&
            ((op_is_own_change(other) && is_of_others(kind)) ||
             (op_is_own_change(kind) && is_of_others(other))))
            return false;
        /* A system that bumps a column must not access it in any other way. */
        if (is_shared && (kind == OP_BUMP || other == OP_BUMP))
            return false;
    }
    return kind != OP_SPAWN_WITH || spawns;
}
