/* Instructions that find entities by grids and joins, that read inputs, and that spawn prefabs. */
#include "tests/model/registers.h"

#include "tests/model/model.h"

#include <string.h>

/* A hash of all that was found, in its order. */
struct found {
    const program_layout *layout; /* of the values of neighbours */
    uint64_t sum;
    ls_entity last;
};

static void add(struct found *found, uint64_t number)
{
    found->sum = found->sum * 31 + number;
}

static void add_neighbour(void *self, const ls_neighbour *neighbour, const uint8_t *value)
{
    struct found *found = self;
    add(found, neighbour->entity + 7);
    found->last = neighbour->entity;
    add(found, (uint64_t)neighbour->x);
    add(found, (uint64_t)neighbour->y);
    add(found, (uint64_t)neighbour->z);
    for (uint32_t i = 0; value && i < found->layout->field_count; i++)
        add(found, program_load_field(&found->layout->fields[i], value));
}

static void add_input(void *self, const ls_input *input)
{
    struct found *found = self;
    add(found, input->player);
    add(found, input->kind);
    for (uint32_t i = 0; i < input->bytes; i++)
        add(found, input->data[i] + 1u);
}

/* The place of the entity; one made of a number if the entity has none. */
static ls_fix3 place_of(machine *self, const struct instruction *at, const struct registers *r,
                        const program_grid *grid)
{
    uint8_t cell[CELL_BYTES];
    ls_fix place[3] = {0};
    bool is_read = at->term < self->system->term_count &&
                   self->functions->read(self, at->term, r->entities[at->entity], cell);
    for (uint32_t i = 0; i < (grid->has_z ? 3u : 2u); i++) {
        place[i] = program_coordinate(r->numbers[at->a] % 64 + i);
        if (is_read)
            memcpy(&place[i], cell + grid->offsets[i], sizeof place[i]);
    }
    return ls_fix3_make(place[0], place[1], place[2]);
}

static void find_near(machine *self, const struct instruction *at, struct registers *r)
{
    static const ls_fix radii[NEAR_RADII] = {
        0, LS_FIX_ONE / 2, LS_FIX_ONE, 3 * LS_FIX_ONE, 8 * LS_FIX_ONE, 40 * LS_FIX_ONE, LS_FIX_MAX,
        -1};
    const program_grid *grid = &self->system->grids[at->b];
    struct found found = {.layout = program_layout_of(self->program, grid->with)};
    const machine_area area = {place_of(self, at, r, grid),
                               radii[at->imm / NEAR_KINDS % NEAR_RADII]};
    uint32_t kind = at->imm % NEAR_KINDS, most = at->imm / NEAR_KINDS / NEAR_RADII % NEAR_MOST;
    if (kind == NEAR_NEAREST) {
        ls_neighbour nearest[NEAR_MOST];
        uint32_t count = self->functions->nearest(self, at->b, &area, most, nearest);
        for (uint32_t i = 0; i < count; i++)
            add_neighbour(&found, &nearest[i], NULL);
    } else {
        self->functions->each_neighbour(self, at->b, &area, kind == NEAR_WITH, add_neighbour,
                                        &found);
    }
    r->numbers[at->c] = found.sum;
    r->entities[at->to] = found.last;
}

/* A key of the kind that cells have: the entity, or a number as in a cell of the first state. */
static uint64_t key_of(const machine *self, const struct instruction *at, const struct registers *r)
{
    const program_join *join = &self->system->joins[at->b];
    const program_layout *layout = program_layout_of(self->program, join->component);
    uint8_t cell[CELL_BYTES];
    if (layout->fields[join->field].type == LS_TYPE_ENTITY)
        return r->entities[at->entity];
    program_make_cell(layout, (r->numbers[at->a] + at->imm / KEYS_KINDS) % 16, LS_ENTITY_NULL,
                      cell);
    return model_number(cell, &layout->fields[join->field]);
}

static void find_keys(machine *self, const struct instruction *at, struct registers *r)
{
    uint32_t kind = at->imm % KEYS_KINDS;
    struct found found = {.layout =
                              program_layout_of(self->program, self->system->joins[at->b].with)};
    uint64_t key = key_of(self, at, r);
    if (kind == KEYS_COUNT)
        found.sum = self->functions->count_of_key(self, at->b, key);
    else
        self->functions->each_of_key(self, at->b, key, kind == KEYS_WITH, add_neighbour, &found);
    r->numbers[at->c] = found.sum;
    r->entities[at->to] = found.last;
}

/* Bits of imm choose among the components that the system may give, and between a row and a value
 * for each. */
static void spawn_prefab(machine *self, const struct instruction *at, struct registers *r)
{
    bool is_command = at->op == OP_COMMAND_PREFAB;
    machine_part parts[MACHINE_PARTS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < self->system->term_count && count < MACHINE_PARTS_MAX; i++) {
        const program_term *term = &self->system->terms[i];
        uint64_t hash = program_hash(at->imm, i);
        if (!program_is_prefab_term(term, is_command) || hash % 4 == 0)
            continue;
        machine_part *part = &parts[count++];
        *part = (machine_part){.component = term->component, .row = hash >> 8 & 1 ? 2 : 0};
        part->is_row =
            program_table(self->program->components[term->component].layout) && hash >> 9 & 1;
        program_make_cell(program_layout_of(self->program, term->component), hash >> 16 & 15,
                          LS_ENTITY_NULL, part->cell);
    }
    r->entities[at->entity] =
        self->functions->spawn_prefab(self, at->imm % 2, is_command, parts, count);
}

void interpret_find(machine *self, const struct instruction *at, struct registers *r)
{
    struct found found = {0};
    switch (at->op) {
    case OP_NEAR:
        find_near(self, at, r);
        break;
    case OP_KEYS:
        find_keys(self, at, r);
        break;
    case OP_INPUT:
        self->functions->each_input(self, at->imm % PROGRAM_PLAYERS, add_input, &found);
        r->numbers[at->c] = found.sum;
        break;
    default:
        spawn_prefab(self, at, r);
        break;
    }
}
