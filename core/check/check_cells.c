/* Compares cells, liveness and counters after a run with the system's declaration, and with the
 * result of another run. */
#include "core/check/check_cells.h"

#include "core/check/findings.h"
#include "core/schedule/value_text.h"
#include <lockstep/executor.h>

#include <inttypes.h>
#include <string.h>

static bool mask_has(const uint64_t *mask, uint32_t slot)
{
    return mask[slot / 64] >> (slot % 64) & 1;
}

static ls_builder *fresh(ls_check *check)
{
    check->text.count = 0;
    ls_builder_add(&check->text, "%s", "");
    return &check->text;
}

/* One page, and the slots where the system may write, attach or detach. */
struct look {
    const ls_page_place *place;
    const ls_page *before;
    uint64_t writes[LS_PAGE_WORDS], structure[LS_PAGE_WORDS];
};

static bool is_zero(const uint8_t *cell, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (cell[i])
            return false;
    }
    return true;
}

/* Whether a match function has not asked by handle to write to the cell. False for systems with
 * spans or blocks, which get many cells at once, and for the cell of a singleton. */
static bool goes_past_cells(const ls_check *check, const ls_page_place *place, uint32_t slot)
{
    uint32_t index = place->lane << 24 | (place->page * LS_PAGE_SLOTS + slot);
    return check->plan->system->match && check->world->sources[place->column].cells != 1 &&
           !ls_write_set_has(&check->asked, place->column, index);
}

/* Returns true if it reported a finding. */
static bool check_slot(ls_check *check, const struct look *look, uint32_t slot)
{
    const ls_page_source *source = &check->world->sources[look->place->column];
    const ls_page *live = look->place->live;
    const uint8_t *before = ls_page_cell(source, look->before, slot);
    const uint8_t *after = ls_page_cell(source, live, slot);
    bool was = ls_page_has(look->before, slot), is = ls_page_has(live, slot);
    if (was != is && !mask_has(look->structure, slot)) {
        ls_check_print_cell(check, fresh(check), look->place, slot, NULL);
        ls_check_add(check, "%s without declaring it: %s", is ? "attaches" : "detaches",
                     check->text.data);
        return true;
    }
    if (!is && !is_zero(after, source->cell_bytes) &&
        memcmp(before, after, source->cell_bytes) != 0) {
        ls_check_print_cell(check, fresh(check), look->place, slot, NULL);
        ls_check_add(check, "writes where there is no cell: %s", check->text.data);
        return true;
    }
    if (was && is && !mask_has(look->writes, slot) &&
        memcmp(before, after, source->cell_bytes) != 0) {
        ls_check_print_change(check, fresh(check), look->place, slot, before, after);
        ls_check_add(check, LS_CHECK_WRITES ": %s", check->text.data);
        return true;
    }
    if (is && goes_past_cells(check, look->place, slot) &&
        memcmp(before, after, source->cell_bytes) != 0) {
        ls_check_print_change(check, fresh(check), look->place, slot, before, after);
        ls_check_add(check,
                     "writes past the cells that it asked for: %s; is its struct larger than "
                     "the component's %" PRIu32 " bytes?",
                     check->text.data, source->component->bytes);
        return true;
    }
    return false;
}

static bool check_page(ls_check *check, struct look *look)
{
    uint32_t column = look->place->column;
    const ls_page_source *source = &check->world->sources[column];
    const ls_access_rights *rights = &check->rights;
    ls_access_rights_mask(rights, rights->writes[column], look->place, &check->before,
                          look->writes);
    ls_access_rights_mask(rights, rights->structure[column], look->place, &check->before,
                          look->structure);
    for (uint32_t slot = 0; slot < source->cells; slot++) {
        if (check_slot(check, look, slot))
            return true;
    }
    bool is_same =
        memcmp(look->before->present, look->place->live->present, sizeof look->before->present) ==
            0 &&
        memcmp(ls_page_cell(source, look->before, 0), ls_page_cell(source, look->place->live, 0),
               source->cell_bytes * source->cells) == 0;
    if (is_same)
        ls_check_add(check, "writes over the head of page %" PRIu32 " of \"%s\" in lane %s",
                     look->place->page, source->component->name,
                     check->world->program->lanes[look->place->lane]);
    return is_same;
}

/* While a system runs, entities may come alive only in lanes that it spawns into, and none may
 * die. */
static bool check_lives(ls_check *check, const struct look *look)
{
    const uint32_t *before = ls_page_generations(look->before);
    const uint32_t *after = ls_page_generations(look->place->live);
    for (uint32_t slot = 0; slot < LS_PAGE_SLOTS; slot++) {
        bool was = ls_page_has(look->before, slot), is = ls_page_has(look->place->live, slot);
        bool is_birth = !was && is && after[slot] == before[slot] + 1 &&
                        ls_access_rights_may_spawn(&check->rights, look->place->lane);
        if ((was == is && before[slot] == after[slot]) || is_birth)
            continue;
        ls_check_add(check, "changes a life by hand: slot %" PRIu32 " of lane %s",
                     look->place->page * LS_PAGE_SLOTS + slot,
                     check->world->program->lanes[look->place->lane]);
        return true;
    }
    return false;
}

void ls_check_writes(ls_check *check)
{
    uint32_t reported =
        UINT32_MAX; /* column of the last finding: one finding per column is enough */
    for (ls_page_place place = {0}; ls_page_place_next(check->world, &place);) {
        struct look look = {.place = &place, .before = ls_image_page(&check->before, &place)};
        if (place.column == reported ||
            !ls_page_differs(&check->world->sources[place.column], look.before, place.live))
            continue;
        bool is_liveness = place.column == ls_liveness(check->world);
        if (is_liveness ? check_lives(check, &look) : check_page(check, &look))
            reported = place.column;
    }
}

/* The slots whose cells can be compared. Cells that were scrambled before the run are excluded. */
static void compared_mask(const ls_check *check, const ls_page_place *place, bool is_perturbed,
                          uint64_t mask[LS_PAGE_WORDS])
{
    memset(mask, 0xff, sizeof *mask * LS_PAGE_WORDS);
    if (!is_perturbed || place->column == ls_liveness(check->world))
        return;
    ls_access_rights_mask(&check->rights, check->rights.reads[place->column], place, &check->before,
                          mask);
}

static bool page_differs(ls_check *check, const ls_page_place *place, bool is_perturbed)
{
    const ls_page_source *source = &check->world->sources[place->column];
    const ls_page *first = ls_image_page(&check->after, place);
    uint64_t mask[LS_PAGE_WORDS];
    compared_mask(check, place, is_perturbed, mask);
    for (uint32_t slot = 0; slot < source->cells; slot++) {
        bool was = ls_page_has(first, slot), is = ls_page_has(place->live, slot);
        const uint8_t *before = ls_page_cell(source, first, slot);
        const uint8_t *after = ls_page_cell(source, place->live, slot);
        if (was == is &&
            (!is || !mask_has(mask, slot) || memcmp(before, after, source->cell_bytes) == 0))
            continue;
        if (was == is) {
            ls_check_print_change(check, fresh(check), place, slot, before, after);
        } else {
            ls_check_print_cell(check, fresh(check), place, slot, NULL);
            ls_builder_add(&check->text, " is %s", is ? "there" : "gone");
        }
        return true;
    }
    return false;
}

static bool counters_differ(ls_check *check)
{
    const ls_state *first = &check->after.state, *again = &check->world->state;
    if (memcmp(first->dropped, again->dropped, sizeof first->dropped) == 0 &&
        memcmp(first->refused_spawns, again->refused_spawns,
               sizeof *first->refused_spawns * again->lanes) == 0)
        return false;
    ls_builder_add(fresh(check), "a counter of what was left out is another");
    return true;
}

bool ls_check_cells_differ(ls_check *check, bool is_perturbed)
{
    for (ls_page_place place = {0}; ls_page_place_next(check->world, &place);) {
        const ls_page *first = ls_image_page(&check->after, &place);
        if (ls_page_differs(&check->world->sources[place.column], first, place.live) &&
            page_differs(check, &place, is_perturbed))
            return true;
    }
    return counters_differ(check);
}
