#include "tests/model/program_values.h"

#include "tests/model/model.h"

#include <string.h>

static bool is_fix(ls_type type)
{
    return type == LS_TYPE_FIX || type == LS_TYPE_FIX2 || type == LS_TYPE_FIX3;
}

ls_fix program_coordinate(uint64_t number)
{
    uint64_t hash = program_hash(number, 77);
    ls_fix near = ((ls_fix)(hash % 24) - 12) * (LS_FIX_ONE / 2);
    if ((hash >> 8) % 200)
        return near + (ls_fix)(hash >> 20 & 3 ? 0 : (hash >> 24) % 3) - 1;
    return hash >> 20 & 1 ? LS_FIX_MAX : LS_FIX_MIN;
}

void program_make_cell(const program_layout *layout, uint64_t number, ls_entity entity,
                       uint8_t *cell)
{
    memset(cell, 0, CELL_BYTES);
    for (uint32_t i = 0; i < layout->field_count; i++) {
        const ls_field *field = &layout->fields[i];
        uint32_t unit = model_unit_bytes(field->type);
        for (uint32_t at = field->offset; at < field->offset + field->bytes; at += unit) {
            uint64_t value = number + at * UINT64_C(0x9e3779b1);
            bool is_left_out = field->bytes > unit && number % 3 == 1 + at / unit % 2;
            if (field->type == LS_TYPE_ENTITY)
                value = is_left_out ? LS_ENTITY_NULL : entity;
            if (is_fix(field->type))
                value = (uint64_t)program_coordinate(value);
            memcpy(cell + at, &value, unit);
        }
    }
}

/* A copy of a constant size is one instruction: programs load each field of each event. */
static uint64_t load_unit(const uint8_t *from, uint32_t bytes)
{
    uint64_t value = 0;
    switch (bytes) {
    case 1:
        memcpy(&value, from, 1);
        break;
    case 2:
        memcpy(&value, from, 2);
        break;
    case 4:
        memcpy(&value, from, 4);
        break;
    default:
        memcpy(&value, from, 8);
    }
    return value;
}

uint64_t program_load_field(const ls_field *field, const uint8_t *cell)
{
    uint64_t sum = 0;
    uint32_t unit = model_unit_bytes(field->type);
    for (uint32_t at = field->offset; at < field->offset + field->bytes; at += unit)
        sum = sum * 31 + load_unit(cell + at, unit);
    return sum;
}

void program_row(uint32_t layout, uint64_t seed, uint32_t row, uint8_t *cell)
{
    program_make_cell(&program_layouts[layout], program_hash(seed, row) % 64, LS_ENTITY_NULL, cell);
}

static uint32_t count_rows(const ls_match *match)
{
    (void)match;
    return PROGRAM_ROWS;
}

static void fill_rows(uint32_t layout, uint64_t seed, void *rows, uint32_t count)
{
    uint32_t bytes = program_layouts[layout].bytes;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t cell[CELL_BYTES];
        program_row(layout, seed, i, cell);
        memcpy((uint8_t *)rows + (size_t)bytes * i, cell, bytes);
    }
}

#define FILL(layout)                                                                               \
    static void fill_##layout(const ls_match *match, void *rows, uint32_t count)                   \
    {                                                                                              \
        fill_rows(layout, match->seed, rows, count);                                               \
    }
FILL(1)
FILL(2)
FILL(3)
FILL(4)

#define TABLE(layout, bytes, count)                                                                \
    {                                                                                              \
        .name = "rows" #layout, bytes, count, program_layouts[layout].fields                       \
    }
static const ls_component tables[PROGRAM_TABLES] = {TABLE(1, 4, 1), TABLE(2, 8, 2), TABLE(3, 16, 4),
                                                    TABLE(4, 8, 3)};

const ls_component *program_table(uint32_t layout)
{
    return layout >= 1 && layout <= PROGRAM_TABLES ? &tables[layout - 1] : NULL;
}

const ls_match_table *program_tables(void)
{
    static const ls_match_table list[PROGRAM_TABLES] = {{&tables[0], count_rows, fill_1},
                                                        {&tables[1], count_rows, fill_2},
                                                        {&tables[2], count_rows, fill_3},
                                                        {&tables[3], count_rows, fill_4}};
    return list;
}

static uint8_t choose_kind(const struct program *program, uint64_t hash)
{
    static const uint8_t kinds[] = {LS_INPUT, LS_INPUT, LS_JOIN,  LS_LEAVE,
                                    LS_INPUT, LS_JOIN,  LS_STATE, LS_SUBSTITUTE};
    return kinds[hash % (program->inputs == INPUTS_WITH_STATES ? 8 : 5)];
}

const ls_frame *program_inputs(const struct program *program, uint64_t tick, program_frame *made)
{
    made->frame = (ls_frame){.tick = tick, .inputs = made->inputs};
    for (uint32_t player = 0; program->inputs && player < PROGRAM_PLAYERS; player++) {
        uint64_t hash = program_hash(program_hash(program->seed, tick), player);
        for (uint32_t left = hash % 4; left-- > 0;) {
            uint32_t i = made->frame.count++;
            uint64_t own = program_hash(hash, left);
            uint8_t kind = choose_kind(program, own >> 40);
            bool has_data = kind == LS_INPUT || kind == LS_STATE || kind == LS_SUBSTITUTE;
            memcpy(made->data[i], &own, PROGRAM_INPUT_BYTES);
            made->inputs[i] = (ls_input){.player = (uint8_t)player, .kind = kind};
            if (!has_data)
                continue;
            made->inputs[i].data = made->data[i];
            made->inputs[i].bytes =
                (uint16_t)(kind == LS_INPUT ? 1 + (own >> 56) % 4 : PROGRAM_STATE_BYTES);
        }
    }
    return &made->frame;
}
