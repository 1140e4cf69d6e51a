/* The values that random programs make up: those of cells, of rows of match data and of inputs. */
#ifndef LS_MODEL_PROGRAM_VALUES_H
#define LS_MODEL_PROGRAM_VALUES_H

#include "tests/model/program.h"

enum {
    CELL_BYTES = 16,
    PROGRAM_PLAYERS = 4,
    PROGRAM_INPUTS_MAX = 16,
    PROGRAM_INPUT_BYTES = 4,
    PROGRAM_STATE_BYTES = 3,
    PROGRAM_ROWS = 3,   /* of each table */
    PROGRAM_TABLES = 4, /* of layouts 1 to 4, in this order */
};

/* Fills a cell with values derived from one number. References get `entity`, but one item of an
 * array may be null. */
void program_make_cell(const program_layout *layout, uint64_t number, ls_entity entity,
                       uint8_t *cell);
/* Combines the items of a field. */
uint64_t program_load_field(const ls_field *field, const uint8_t *cell);
/* A coordinate of a position: mostly near 0 and on a raster, so that distances are often equal. */
ls_fix program_coordinate(uint64_t number);

/* The table of match data whose rows are of this layout; NULL without one. */
const ls_component *program_table(uint32_t layout);
/* All tables, for ls_sim. */
const ls_match_table *program_tables(void);
/* A row of the table, which depends on the seed of the match. */
void program_row(uint32_t layout, uint64_t seed, uint32_t row, uint8_t *cell);

typedef struct program_frame {
    ls_frame frame;
    ls_input inputs[PROGRAM_INPUTS_MAX];
    uint8_t data[PROGRAM_INPUTS_MAX][PROGRAM_INPUT_BYTES];
} program_frame;

/* The inputs of a tick; none if the program asks for none. */
const ls_frame *program_inputs(const struct program *program, uint64_t tick, program_frame *made);

#endif
