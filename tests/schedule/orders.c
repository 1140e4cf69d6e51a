/* The linker replaces the call of ls_executor_run() in core/run/tick.c by __wrap_ls_executor_run().
 * So the test chooses the order of systems, and the engine does everything else. */
#include "tests/schedule/orders.h"

#include "core/run/run.h"

#include <string.h>

static const order *chosen_order;
static uint32_t chosen_count;
uint64_t order_calls, order_refused[ORDER_REFUSALS];

void __wrap_ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                            uint32_t end);
void __real_ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                            uint32_t end);

static void run_one(const ls_tick_job *job, uint32_t position)
{
    if (job->world->scratch->runs[position].is_off)
        return;
    ls_run_begin(job, position);
    uint32_t chunks = job->world->scratch->runs[position].chunks;
    if (chunks)
        ls_run_chunk(job, position, 0, chunks, &(ls_run_by){0});
    ls_run_end(job, position);
}

void __wrap_ls_executor_run(ls_executor *executor, const ls_tick_job *job, uint32_t first,
                            uint32_t end)
{
    if (!chosen_order) {
        __real_ls_executor_run(executor, job, first, end);
        return;
    }
    order_calls++;
    for (uint32_t i = 0; i < chosen_count; i++) {
        uint32_t position = chosen_order->positions[i];
        if (position >= first && position < end)
            run_one(job, position);
    }
}

static order_refusal find_reason(const char *text)
{
    static const char *const words[ORDER_REFUSALS] = {
        "declares incompatible", "LS_PARTNER_FIRST_WINS", "two sides of par", "its own ancestor"};
    uint32_t i = 0;
    while (i < ORDER_REFUSALS && !strstr(text, words[i]))
        i++;
    return (order_refusal)i;
}

uint64_t order_run(ls_world *world, const order *chosen, ls_executor *executor)
{
    const ls_frame frame = {.tick = ls_world_tick(world)};
    chosen_order = chosen;
    chosen_count = ls_program_system_count(ls_world_program(world));
    ls_error error = {""};
    ls_status status = ls_world_advance(world, &frame, executor, &error);
    chosen_order = NULL;
    if (status == LS_OK)
        return ls_world_root(world);
    order_refusal reason = find_reason(error.text);
    LS_ASSERT(reason < ORDER_REFUSALS);
    order_refused[reason]++;
    return mix(ls_world_root(world), frame.tick);
}

uint32_t order_step(const ls_program *program, bool is_merge)
{
    for (uint32_t i = 0; i < ls_program_system_count(program); i++) {
        if (strcmp(ls_program_system(program, i)->name, is_merge ? "par (merge)" : "par") == 0)
            return i;
    }
    return POSITIONS_MAX;
}

order order_around(const ls_program *program, uint32_t system, bool is_after)
{
    order made = {{0}};
    uint32_t used = 0, place = order_step(program, is_after);
    for (uint32_t i = 0; i < ls_program_system_count(program); i++) {
        if (i == place && !is_after)
            made.positions[used++] = (uint8_t)system;
        if (i != system)
            made.positions[used++] = (uint8_t)i;
        if (i == place && is_after)
            made.positions[used++] = (uint8_t)system;
    }
    return made;
}

order order_beside(const ls_program *program, uint32_t first, uint32_t second)
{
    order made = {{0}};
    uint32_t count = ls_program_system_count(program), used = 0;
    bool comes_before[POSITIONS_MAX];
    for (uint32_t i = 0; i < count; i++) {
        comes_before[i] =
            i != first && i != second &&
            (ls_program_is_ordered(program, i, first) || ls_program_is_ordered(program, i, second));
        if (comes_before[i])
            made.positions[used++] = (uint8_t)i;
    }
    made.positions[used++] = (uint8_t)first;
    made.positions[used++] = (uint8_t)second;
    for (uint32_t i = 0; i < count; i++) {
        if (!comes_before[i] && i != first && i != second)
            made.positions[used++] = (uint8_t)i;
    }
    return made;
}

struct search {
    const ls_program *program;
    orders *found;
    uint32_t count, max;
    uint64_t random;
    order at;
    bool is_used[POSITIONS_MAX];
};

static bool may_be_next(const struct search *self, uint32_t position)
{
    if (self->is_used[position])
        return false;
    for (uint32_t i = 0; i < self->count; i++) {
        if (!self->is_used[i] && ls_program_is_ordered(self->program, i, position))
            return false;
    }
    return true;
}

/* Appends every legal order that starts with the first `length` systems. False if there are more
 * than `most`. */
static bool extend(struct search *self, uint32_t length)
{
    if (length == self->count) {
        if (self->found->count == self->max)
            return false;
        self->found->list[self->found->count++] = self->at;
        return true;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        if (!may_be_next(self, i))
            continue;
        self->is_used[i] = true;
        self->at.positions[length] = (uint8_t)i;
        bool is_well = extend(self, length + 1);
        self->is_used[i] = false;
        if (!is_well)
            return false;
    }
    return true;
}

static order draw(struct search *self)
{
    order made = {{0}};
    memset(self->is_used, 0, sizeof self->is_used);
    for (uint32_t length = 0; length < self->count; length++) {
        uint32_t candidates[POSITIONS_MAX], count = 0;
        for (uint32_t i = 0; i < self->count; i++) {
            if (may_be_next(self, i))
                candidates[count++] = i;
        }
        uint32_t next = candidates[mix(self->random++, 3) % count];
        made.positions[length] = (uint8_t)next;
        self->is_used[next] = true;
    }
    return made;
}

void orders_find(const ls_program *program, uint32_t all_max, uint32_t random_count, uint64_t seed,
                 orders *found)
{
    struct search self = {.program = program,
                          .found = found,
                          .count = ls_program_system_count(program),
                          .max = all_max,
                          .random = mix(seed, 5)};
    found->count = 0;
    found->is_all = extend(&self, 0);
    if (found->is_all)
        return;
    found->count = 0;
    for (uint32_t i = 0; i < self.count; i++) {
        for (uint32_t j = i + 1; j < self.count; j++) {
            if (ls_program_is_ordered(program, i, j) || ls_program_is_ordered(program, j, i))
                continue;
            found->list[found->count++] = order_beside(program, i, j);
            found->list[found->count++] = order_beside(program, j, i);
        }
    }
    for (uint32_t i = 0; i < random_count; i++)
        found->list[found->count++] = draw(&self);
}
