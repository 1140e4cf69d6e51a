/* The first state of a random schedule. */
#include "tests/schedule/build.h"
#include "tests/schedule/columns.h"

#include <lockstep/by_index.h>
#include <lockstep/context.h>
#include <lockstep/world.h>

#include <stddef.h>
#include <string.h>

/* Most entities of even number refer to the next one or to one of another page, and few others do:
 * few clash about a partner. In some states, half of them refer to entities to come. Parents are
 * earlier entities, so that none is its own ancestor. */
static void attach_reference(ls_context *context, ls_entity newborn, uint32_t index,
                             const schedule *from, uint64_t number)
{
    bool is_parent = from->on_despawn == LS_PARENT;
    bool with_unborn = ls_match_of(context)->seed % 4 == 0;
    quad given = cell_in(COLUMN_P, with_unborn ? number & ~UINT64_C(7) : number);
    ls_entity other = ls_entity_make(0, ls_entity_slot(newborn) ^ (index < 64 ? 1 : 257), 1);
    if (is_parent)
        other = index ? ls_entity_make(0, ls_entity_slot(newborn) / 2, 1) : LS_ENTITY_NULL;
    if (is_parent || (with_unborn ? number >> 20 & 1 : number >> 20 & 15))
        memcpy((char *)&given + offsetof(reference, entity), &other, sizeof other);
    if ((number >> 25 & 3) == 0 ? index % 2 : !(index % 2))
        ls_cell_attach(context, SETUP_P, newborn, &given);
}

/* Creates the first state from the match seed; seeds from 1000 on give several pages. */
void body_populate(ls_context *context, const ls_entity *entities)
{
    uint64_t seed = ls_match_of(context)->seed;
    const schedule *from = ls_system_data(context);
    uint32_t count = seed >= 1000 ? 700 : 6 + (uint32_t)(mix(seed, 1) % 14);
    roster *known = ls_singleton_write(context, SETUP_ROSTER);
    quad *one = ls_singleton_write(context, COLUMN_S);
    *one = cell_of(seed);
    for (uint32_t i = 0; i < count; i++) {
        ls_entity newborn = ls_spawn(context, 0);
        bool has_first_tag = false;
        for (uint32_t term = COLUMN_A; term < COLUMN_S; term++) {
            uint64_t number = mix(mix(seed, i), term);
            const quad given = cell_of(number);
            bool is_had =
                number % 8 < 5 && !(from->never_both && has_first_tag && term == COLUMN_U);
            has_first_tag |= is_had && term == COLUMN_T;
            if (is_had)
                ls_cell_attach(context, term, newborn, term >= COLUMN_T ? NULL : &given);
        }
        if (from->has_partners)
            attach_reference(context, newborn, i, from, mix(seed, i + 1000));
        if (i < ROSTER)
            known->entities[i] = newborn;
    }
}
