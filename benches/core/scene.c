#include "benches/core/scene.h"

#include "benches/bench.h"

#include <lockstep/random.h>

#include <stdio.h>
#include <stdlib.h>

static const ls_field place_fields[] = {LS_FIELD(scene_place, x, LS_TYPE_FIX),
                                        LS_FIELD(scene_place, y, LS_TYPE_FIX)};
static const ls_field motion_fields[] = {LS_FIELD(scene_motion, x, LS_TYPE_FIX),
                                         LS_FIELD(scene_motion, y, LS_TYPE_FIX)};
static const ls_field load_fields[] = {LS_FIELD(scene_load, low, LS_TYPE_U64),
                                       LS_FIELD(scene_load, high, LS_TYPE_U64)};
const ls_component scene_places = LS_COMPONENT_TABLE(scene_place, "place", place_fields);
const ls_component scene_motions = LS_COMPONENT_TABLE(scene_motion, "motion", motion_fields);
const ls_component scene_loads = LS_COMPONENT_TABLE(scene_load, "load", load_fields);
const ls_component scene_marks = LS_TAG_TABLE("mark");
const ls_component scene_extras[SCENE_EXTRAS] = {
    LS_COMPONENT_TABLE(scene_place, "extra 1", place_fields),
    LS_COMPONENT_TABLE(scene_place, "extra 2", place_fields),
    LS_COMPONENT_TABLE(scene_place, "extra 3", place_fields),
    LS_COMPONENT_TABLE(scene_place, "extra 4", place_fields),
    LS_COMPONENT_TABLE(scene_place, "extra 5", place_fields),
};

static const char *const lanes[] = {"unit", "young"};

/* The scene being built. */
static struct {
    scene *scene;
    const scene_plan *plan;
} making;

static void furnish_all(ls_context *context, const ls_entity *entities)
{
    (void)entities;
    for (uint32_t i = 0; i < making.plan->entities; i++) {
        ls_entity entity = ls_spawn(context, 0);
        making.scene->entities[i] = entity;
        if (making.plan->furnish)
            making.plan->furnish(context, entity, i);
    }
}

static void check(ls_status status, const ls_error *error)
{
    if (status == LS_OK)
        return;
    fprintf(stderr, "bench: %s\n", error->text);
    exit(1);
}

void scene_begin(scene *self, const scene_plan *plan)
{
    *self = (scene){.count = plan->entities};
    self->setup = (ls_system){.name = "furnish",
                              .mode = LS_SEQUENTIAL,
                              .match = furnish_all,
                              .terms = plan->terms,
                              .lanes = "unit"};
    uint32_t components = 0;
    while (plan->components[components])
        components++;
    self->sim = (ls_sim){.abi = LS_SIM_ABI,
                         .name = "bench",
                         .version = "1",
                         .summary = "",
                         .source_hash = "",
                         .tick_rate = 20,
                         .player_count = 1,
                         .components = plan->components,
                         .component_count = components,
                         .lanes = lanes,
                         .lane_count = LS_COUNT_OF(lanes),
                         .systems = plan->systems,
                         .system_count = plan->system_count,
                         .stages = plan->stages,
                         .stage_count = plan->stage_count,
                         .sets = plan->sets,
                         .set_count = plan->set_count,
                         .setup = &self->setup};
    self->entities = ls_alloc(sizeof(ls_entity) * (plan->entities + 1));
    making.scene = self;
    making.plan = plan;
    ls_error error;
    check(ls_program_create(&self->sim, &self->program, &error), &error);
    ls_match match = ls_program_match(self->program, 1);
    check(ls_world_create(self->program, &match, &self->world, &error), &error);
    const ls_executor_config config = {.threads = 2, .share_from = plan->adapts ? 0 : 1};
    check(ls_executor_create(&config, &self->executor, &error), &error);
}

void scene_end(void *given)
{
    scene *self = given;
    ls_executor_destroy(self->executor);
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
    ls_free(self->entities);
}

ls_executor *scene_executor(const scene *self, uint32_t threads)
{
    return bench_threads_of(threads) == 2 ? self->executor : NULL;
}

double scene_tick(scene *self, uint32_t threads)
{
    const ls_frame frame = {.tick = ls_world_tick(self->world)};
    ls_error error;
    uint64_t begin = bench_now_ns();
    check(ls_world_advance(self->world, &frame, scene_executor(self, threads), &error), &error);
    return (double)(bench_now_ns() - begin);
}

void scene_shuffle(uint32_t *numbers, uint32_t count)
{
    ls_random_stream stream = ls_random_root(1);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = ls_random_below(ls_random_draw(stream, i), i);
        uint32_t moved = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = moved;
    }
}
