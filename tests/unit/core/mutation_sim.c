#include "mutation_sim.h"

static const ls_field count_fields[] = {LS_FIELD(tally, value, LS_TYPE_U32)};
static const ls_field link_fields[] = {LS_FIELD(link, to, LS_TYPE_ENTITY)};
static const ls_field total_fields[] = {LS_FIELD(total, sum, LS_TYPE_U64),
                                        LS_FIELD(total, few, LS_TYPE_U32),
                                        LS_FIELD(total, many, LS_TYPE_U32)};
static const ls_field shout_fields[] = {LS_FIELD(shout, who, LS_TYPE_ENTITY),
                                        LS_FIELD(shout, value, LS_TYPE_U32),
                                        LS_FIELD(shout, spare, LS_TYPE_U32)};
const ls_component counts = LS_COMPONENT_TABLE(tally, "count", count_fields);
const ls_component extras = LS_COMPONENT_TABLE(tally, "extra", count_fields);
const ls_component links = LS_COMPONENT_TABLE(link, "link", link_fields);
const ls_component marks = LS_TAG_TABLE("mark");
const ls_component totals = LS_SINGLETON_TABLE(total, "total", total_fields);
const ls_component shouts = LS_EVENT_TABLE(shout, "shout", shout_fields);
const ls_component beeps = {.name = "beep", .event_ticks = 1};

mutation_population population;

int mutation_forget(void **state)
{
    population = (mutation_population){0};
    return 0;
}

static void populate(ls_context *context, const ls_entity *entities)
{
    for (uint32_t i = 0; i < population.count; i++) {
        ls_entity entity = ls_spawn(context, 0);
        if (population.with)
            population.with(context, entity, i);
        else
            ls_cell_attach(context, 0, entity, &(tally){i});
    }
}

static const ls_system setup = {
    .name = "populate",
    .mode = LS_SEQUENTIAL,
    .match = populate,
    .terms = LS_TERM_LIST(LS_OTHERS_STRUCTURE(counts), LS_OTHERS_STRUCTURE(extras),
                          LS_OTHERS_STRUCTURE(links), LS_OTHERS_STRUCTURE(marks),
                          LS_OTHERS_WRITE(totals)),
    .lanes = "a"};

const ls_sim *mutation_sim(const ls_system *systems, uint32_t system_count)
{
    static const ls_component *const components[] = {&counts, &extras, &links, &marks,
                                                     &totals, &shouts, &beeps};
    static const char *const lanes[] = {"a", "b", "c"};
    static ls_sim sim;
    sim = (ls_sim)HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = system_count;
    sim.setup = &setup;
    return &sim;
}

void mutation_agree(const ls_sim *sim, uint32_t ticks, void (*check)(ls_world *world))
{
    static const struct {
        uint32_t threads;
        uint64_t shuffle_seed;
    } executors[] = {{1, 0}, {2, 0}, {4, 0}, {1, 3}, {1, 4}, {1, 5}, {0, 0}};
    uint64_t roots[64];
    assert_true(ticks <= LS_COUNT_OF(roots));
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        harness self;
        harness_begin(&self, sim, 7);
        ls_executor *executor =
            executors[i].threads ? harness_executor(executors[i].threads, executors[i].shuffle_seed)
                                 : harness_checker();
        for (uint32_t tick = 0; tick < ticks; tick++) {
            harness_tick(self.world, executor);
            if (i == 0)
                roots[tick] = ls_world_root(self.world);
            if (ls_world_root(self.world) != roots[tick])
                fail_msg("executor %u reaches another state in tick %u", i, tick);
        }
        if (check)
            check(self.world);
        ls_executor_destroy(executor);
        harness_end(&self);
    }
}

const void *mutation_cell(const ls_world *world, const ls_component *component, uint32_t slot)
{
    const void *cell = ls_world_cell(world, component, mutation_entity(slot));
    if (!cell)
        fail_msg("entity %u has no \"%s\"", slot, component->name);
    return cell;
}
