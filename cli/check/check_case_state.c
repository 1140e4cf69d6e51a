#include "cli/check/check_case_state.h"

#include <lockstep/bytes.h>

/* Returns the size of the match data. Rows are handed over as they are in memory, because both
 * processes run on one machine. */
static size_t table_bytes(const ls_world *world)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    size_t bytes = 0;
    for (uint32_t i = 0; i < sim->table_count; i++) {
        uint32_t count;
        ls_world_rows(world, sim->tables[i].row, &count);
        bytes += sizeof count + (size_t)count * sim->tables[i].row->bytes;
    }
    return bytes;
}

static void write_tables(const ls_world *world, ls_writer *writer)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    for (uint32_t i = 0; i < sim->table_count; i++) {
        uint32_t count;
        const void *rows = ls_world_rows(world, sim->tables[i].row, &count);
        ls_write_u32(writer, count);
        ls_write_bytes(writer, rows, (size_t)count * sim->tables[i].row->bytes);
    }
}

ls_status ls_check_case_state_give(ls_child *child, ls_world *world, ls_error *error)
{
    uint8_t *state;
    size_t count;
    ls_world_encode(world, &state, &count);
    size_t room = sizeof(uint64_t) + count + table_bytes(world);
    ls_writer writer;
    ls_writer_init(&writer, ls_alloc(room), room);
    ls_write_u64(&writer, count);
    ls_write_bytes(&writer, state, count);
    write_tables(world, &writer);
    LS_ASSERT(!writer.failed);
    ls_status status = ls_child_give(child, writer.data, writer.count, error);
    ls_free(writer.data);
    ls_free(state);
    return status;
}

struct found {
    ls_difference_visit *visit;
    void *argument;
    bool is_any;
};

static bool pass_on(void *argument, const ls_difference *difference)
{
    struct found *found = argument;
    found->is_any = true;
    return found->visit(found->argument, difference);
}

static bool compare_tables(const ls_world *world, ls_reader *reader, struct found *found)
{
    const ls_sim *sim = ls_program_sim(ls_world_program(world));
    for (uint32_t i = 0; i < sim->table_count; i++) {
        uint32_t count = ls_read_u32(reader);
        const uint8_t *rows = ls_read_view(reader, (size_t)count * sim->tables[i].row->bytes);
        if (reader->failed)
            return false;
        ls_world_diff_rows(world, i, rows, count, pass_on, found);
    }
    return ls_reader_done(reader);
}

static ls_status compare(ls_world *world, ls_reader *reader, struct found *found, ls_error *error)
{
    uint64_t said = ls_read_u64(reader);
    size_t count = said <= ls_reader_left(reader) ? (size_t)said : 0;
    const uint8_t *state = count ? ls_read_view(reader, count) : NULL;
    if (!state || !compare_tables(world, reader, found))
        return ls_error_set(error, LS_ERROR_CORRUPT, "the parent process sent no valid state");
    if (found->is_any)
        return LS_OK;
    ls_world *other = ls_world_create_sibling(world);
    ls_status status = ls_world_decode(other, state, count, error);
    if (!status)
        ls_world_diff(world, other, pass_on, found);
    ls_world_destroy(other);
    return status;
}

ls_status ls_check_case_state_compare(const ls_child *child, ls_world *world,
                                      ls_difference_visit *visit, void *argument, ls_error *error)
{
    uint8_t *bytes;
    size_t count;
    ls_status status = ls_child_take(child, &bytes, &count, error);
    if (status)
        return status;
    ls_reader reader;
    ls_reader_init(&reader, bytes, count);
    struct found found = {.visit = visit, .argument = argument};
    status = compare(world, &reader, &found, error);
    ls_free(bytes);
    return status;
}
