/* A world to measure: its components, entities and handles. */
#ifndef LS_BENCH_SCENE_H
#define LS_BENCH_SCENE_H

#include <lockstep/by_index.h>
#include <lockstep/lockstep.h>

typedef struct scene_place {
    ls_fix x, y;
} scene_place;

typedef struct scene_motion {
    ls_fix x, y;
} scene_motion;

typedef struct scene_load {
    uint64_t low, high;
} scene_load;

extern const ls_component scene_places, scene_motions, scene_loads, scene_marks;
#define SCENE_EXTRAS 5
extern const ls_component scene_extras[SCENE_EXTRAS]; /* of type scene_place */

/* A scene's description. Its functions get no context pointer, so a bench keeps its data in static
 * variables. */
typedef struct scene_plan {
    const ls_component *const *components; /* ends with NULL */
    const ls_system *systems;
    uint32_t system_count;
    const ls_stage *stages; /* NULL: one stage */
    uint32_t stage_count;
    const ls_set *sets;
    uint32_t set_count;
    uint32_t entities;
    bool adapts; /* the executor decides whether to share work; false: it shares all work */
    /* Attaches the initial cells of entity number `i`, through `terms` below. May be NULL. */
    void (*furnish)(ls_context *context, ls_entity entity, uint32_t i);
    const ls_term *terms;
} scene_plan;

typedef struct scene {
    ls_sim sim;
    ls_system setup;
    ls_program *program;
    ls_world *world;
    ls_executor *executor; /* with two threads */
    ls_entity *entities;   /* in order of spawning, which is slot order */
    uint32_t count;
} scene;

/* Creates the scene. The plan's entities are in lane "unit"; systems spawn into lane "young". */
void scene_begin(scene *self, const scene_plan *plan);
void scene_end(void *self); /* a scene; the `end` of a group whose `begin` returns it */
/* The executor with two threads; NULL for one thread. */
ls_executor *scene_executor(const scene *self, uint32_t threads);
/* Advances the world by one tick; returns the time in nanoseconds. */
double scene_tick(scene *self, uint32_t threads);

/* Fills in the numbers 0 to count - 1 in a fixed pseudo-random order. */
void scene_shuffle(uint32_t *numbers, uint32_t count);

#endif
