/* A world to measure: its components, its entities, and the handles of these. */
#ifndef LS_BENCH_SCENE_H
#define LS_BENCH_SCENE_H

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
extern const ls_component scene_extras[SCENE_EXTRAS]; /* of the type scene_place */

/* The functions below get no context pointer, so a bench keeps its data in statics. */
typedef struct scene_plan {
    const ls_component *const *components; /* ends with NULL */
    const ls_system *systems;
    uint32_t system_count;
    const ls_stage *stages; /* none: one */
    uint32_t stage_count;
    const ls_set *sets;
    uint32_t set_count;
    uint32_t entities;
    bool adapts; /* the executor decides whether to share work; otherwise it shares everything */
    /* Gives entity number i its initial cells, through the terms below. May be NULL. */
    void (*furnish)(ls_context *context, ls_entity entity, uint32_t i);
    ls_term terms[LS_TERMS_MAX];
} scene_plan;

typedef struct scene {
    ls_sim sim;
    ls_system setup;
    ls_program *program;
    ls_world *world;
    ls_executor *executor; /* of two threads */
    ls_entity *entities;   /* in the order of spawning, which is that of slots */
    uint32_t count;
} scene;

/* In lanes: systems spawn into "young", the plan's entities are in "unit". */
void scene_begin(scene *self, const scene_plan *plan);
void scene_end(scene *self);
/* Advances the world; returns the nanoseconds taken. */
double scene_tick(scene *self, uint32_t threads);

/* The numbers 0 to count - 1 in a fixed pseudo-random order. */
void scene_shuffle(uint32_t *numbers, uint32_t count);

#endif
