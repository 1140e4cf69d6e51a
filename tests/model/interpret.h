/* Interprets a system's body. Reads and effects go through a machine, implemented by the model and
 * by the engine. Terms are named by index; cells are copied. */
#ifndef LS_MODEL_INTERPRET_H
#define LS_MODEL_INTERPRET_H

#include "tests/model/program_values.h"
#include <lockstep/cell_change.h>
#include <lockstep/fix3.h>
#include <lockstep/grid.h>

typedef struct machine machine;
typedef void machine_visit(void *self, const uint8_t *event);
typedef void machine_visit_match(void *self, ls_entity entity);
typedef void machine_visit_change(void *self, const ls_cell_change *change);

typedef void machine_visit_neighbour(void *self, const ls_neighbour *found, const uint8_t *value);
typedef void machine_visit_input(void *self, const ls_input *input);

/* A ball or a disc. */
typedef struct machine_area {
    ls_fix3 at;
    ls_fix radius;
} machine_area;

/* A part of a prefab: a value, or a row of the table of the component's layout. */
typedef struct machine_part {
    uint8_t component, row;
    bool is_row;
    uint8_t cell[CELL_BYTES];
} machine_part;
enum { MACHINE_PARTS_MAX = 4 };

typedef struct machine_functions {
    bool (*read)(machine *self, uint32_t term, ls_entity entity, uint8_t *cell);
    bool (*has)(machine *self, uint32_t term, ls_entity entity);
    /* Writes some bytes of a cell; false if the cell does not exist. */
    bool (*write)(machine *self, uint32_t term, ls_entity entity, uint32_t offset, uint32_t bytes,
                  const uint8_t *value);
    /* Like `write`, for the partner of `own`. */
    bool (*give)(machine *self, uint32_t term, ls_entity own, uint32_t offset, uint32_t bytes,
                 const uint8_t *value);
    bool (*attach)(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell);
    bool (*detach)(machine *self, uint32_t term, ls_entity entity);
    ls_entity (*spawn)(machine *self, uint32_t lane);
    void (*despawn)(machine *self, ls_entity entity);
    bool (*is_alive)(machine *self, ls_entity entity);
    uint64_t (*random)(machine *self, ls_entity entity, uint32_t draw);
    uint64_t (*tick)(machine *self);
    bool (*accumulate)(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell);
    void (*send)(machine *self, uint32_t term, const uint8_t *event);
    void (*each_event)(machine *self, uint32_t term, machine_visit *visit, void *visitor);
    void (*each_match)(machine *self, uint32_t query, machine_visit_match *visit, void *visitor);
    void (*each_change)(machine *self, uint32_t term, machine_visit_change *visit, void *visitor);
    void (*command_attach)(machine *self, uint32_t term, ls_entity entity, const uint8_t *cell);
    void (*command_detach)(machine *self, uint32_t term, ls_entity entity);
    ls_entity (*command_spawn)(machine *self, uint32_t lane);
    void (*enter)(machine *self, uint8_t state);
    /* Access by a term of the whole world. */
    bool (*world_read)(machine *self, uint32_t component, ls_entity entity, uint8_t *cell);
    bool (*world_attach)(machine *self, uint32_t component, ls_entity entity, const uint8_t *cell);
    bool (*world_detach)(machine *self, uint32_t component, ls_entity entity);
    /* The grids and joins of the system. With `has_values`, each entity has its value of the
     * component that the grid or join filters by. A join gives no places. */
    void (*each_neighbour)(machine *self, uint32_t grid, const machine_area *area, bool has_values,
                           machine_visit_neighbour *visit, void *visitor);
    uint32_t (*nearest)(machine *self, uint32_t grid, const machine_area *area, uint32_t count,
                        ls_neighbour *found);
    void (*each_of_key)(machine *self, uint32_t join, uint64_t key, bool has_values,
                        machine_visit_neighbour *visit, void *visitor);
    uint32_t (*count_of_key)(machine *self, uint32_t join, uint64_t key);
    void (*each_input)(machine *self, uint32_t player, machine_visit_input *visit, void *visitor);
    ls_entity (*spawn_prefab)(machine *self, uint32_t lane, bool is_command,
                              const machine_part *parts, uint32_t count);
} machine_functions;

struct machine {
    const machine_functions *functions;
    const struct program *program;
    const program_system *system;
    uint32_t from; /* the first instruction after the bulk instructions, which are done already */
};

/* 0 for lane 0, else 1 + rank of the lane's name. */
uint32_t program_lane_number(const struct program *program, uint8_t lane);
/* Runs the body for one match. */
void interpret(machine *self, const ls_entity *entities);
/* Runs the setup: spawns the groups of the program. Term i is component i. */
void interpret_setup(machine *self);
/* Runs a bulk instruction for one entity; interpret_bulk_value() gives the value that
 * OP_BULK_ATTACH attaches. */
void interpret_bulk(machine *self, const struct instruction *at, ls_entity entity);
void interpret_bulk_value(const machine *self, const struct instruction *instruction,
                          uint8_t *cell);
static inline bool interpret_bulk_takes(const struct instruction *instruction, uint32_t slot)
{
    return instruction->imm == 0 || (instruction->imm >> (slot % 32) & 1);
}

#endif
