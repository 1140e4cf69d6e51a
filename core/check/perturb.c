#include "core/check/perturb.h"

#include <lockstep/random.h>

#include <string.h>

enum { OTHERS_MAX = 16 };

/* Some living entities: replacement values for references. */
struct others {
    ls_entity list[OTHERS_MAX];
    uint32_t count;
};

static void find_others(const ls_world *world, struct others *others)
{
    others->count = 0;
    for (ls_page_place place = {.column = ls_liveness(world)};
         others->count < OTHERS_MAX && ls_page_place_next(world, &place);) {
        uint32_t slot = ls_mask_next_set(place.live->present, 0);
        for (; slot < LS_PAGE_SLOTS && others->count < OTHERS_MAX;
             slot = ls_mask_next_set(place.live->present, slot + 1))
            others->list[others->count++] =
                ls_entity_make(place.lane, place.page * LS_PAGE_SLOTS + slot,
                               ls_page_generations(place.live)[slot]);
    }
}

/* A number of 0..max that differs from `value`. */
static uint64_t other_below(uint64_t value, uint64_t max, uint64_t bits)
{
    if (value > max)
        return bits % (max + 1);
    return (value + 1 + bits % max) % (max + 1);
}

static void perturb_reference(uint8_t *item, const struct others *others, uint64_t bits)
{
    ls_entity value, other = LS_ENTITY_NULL;
    memcpy(&value, item, sizeof value);
    if (others->count)
        other = others->list[bits % others->count];
    if (other == value)
        other = LS_ENTITY_NULL;
    memcpy(item, &other, sizeof other);
}

/* Constant sizes let the compiler inline the copies, which are most of a check's cost. */
static uint64_t load(const uint8_t *item, uint32_t bytes)
{
    uint16_t half;
    uint32_t word;
    uint64_t value;
    switch (bytes) {
    case 1:
        return *item;
    case 2:
        memcpy(&half, item, sizeof half);
        return half;
    case 4:
        memcpy(&word, item, sizeof word);
        return word;
    default:
        memcpy(&value, item, sizeof value);
        return value;
    }
}

static void store(uint8_t *item, uint32_t bytes, uint64_t value)
{
    const uint16_t half = (uint16_t)value;
    const uint32_t word = (uint32_t)value;
    switch (bytes) {
    case 1:
        *item = (uint8_t)value;
        break;
    case 2:
        memcpy(item, &half, sizeof half);
        break;
    case 4:
        memcpy(item, &word, sizeof word);
        break;
    default:
        memcpy(item, &value, sizeof value);
    }
}

static void perturb_item(const ls_field *field, uint8_t *item, uint32_t bytes, uint64_t bits)
{
    uint64_t max = field->type == LS_TYPE_BOOL ? 1 : field->max;
    if (field->type == LS_TYPE_ENUM && max == 0)
        return;
    uint64_t value = load(item, bytes);
    if (max != 0 && max != UINT64_MAX)
        value = other_below(value, max, bits);
    else
        value ^= bits | 1;
    store(item, bytes, value);
}

static void perturb_cell(const ls_perturbation *self, const ls_component *component, uint8_t *cell,
                         uint64_t bits, const struct others *others)
{
    for (uint32_t i = 0; i < component->field_count; i++) {
        const ls_field *field = &component->fields[i];
        uint32_t unit = ls_type_unit(field->type);
        if (self->field != UINT32_MAX && self->field != i)
            continue;
        for (uint32_t at = 0; at < field->bytes; at += unit) {
            uint64_t more = (bits ^ (field->offset + at)) * LS_RANDOM_FACTOR_;
            more ^= more >> 32;
            if (field->type == LS_TYPE_ENTITY)
                perturb_reference(cell + field->offset + at, others, more);
            else
                perturb_item(field, cell + field->offset + at, unit, more);
        }
    }
}

static void perturb_page(ls_world *world, ls_perturbation *self, const ls_page_place *place,
                         const struct others *others)
{
    const ls_page_source *source = &world->sources[place->column];
    ls_random_stream page =
        ls_random_child(ls_random_child(ls_random_root(self->seed), place->column),
                        place->lane << 16 | place->page);
    uint64_t readable[LS_PAGE_WORDS];
    ls_access_rights_mask(self->rights, self->rights->reads[place->column], place, self->before,
                          readable);
    for (uint32_t slot = 0; slot < source->cells; slot++) {
        bool is_readable = readable[slot / 64] >> (slot % 64) & ls_page_has(place->live, slot);
        if (is_readable)
            continue;
        uint32_t number = self->count++;
        if (number < self->first || number >= self->end)
            continue;
        self->place = *place;
        self->slot = slot;
        perturb_cell(self, source->component,
                     ls_page_cells(place->live) + source->cell_bytes * slot,
                     ls_random_draw(page, slot), others);
    }
}

void ls_world_perturb(ls_world *world, ls_perturbation *perturbation)
{
    struct others others;
    find_others(world, &others);
    perturbation->count = 0;
    for (ls_page_place place = {0}; ls_page_place_next(world, &place);) {
        bool is_chosen = perturbation->column == UINT32_MAX || perturbation->column == place.column;
        if (is_chosen && place.column < ls_liveness(world) &&
            world->sources[place.column].cell_bytes > 0 &&
            perturbation->rights->reads[place.column] != LS_RIGHT_ANY)
            perturb_page(world, perturbation, &place, &others);
    }
}
