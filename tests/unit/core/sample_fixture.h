/* A world of the sample simulation as the fixture of cmocka tests. */
#ifndef LS_SAMPLE_FIXTURE_H
#define LS_SAMPLE_FIXTURE_H

#include "harness.h"
#include "sample_sim.h"

/* Sets *state to a harness; harness_teardown() ends it. */
static inline int sample_begin(void **state)
{
    static harness self;
    harness_begin(&self, &sample_sim, 5);
    *state = &self;
    return 0;
}

static inline void sample_advance(ls_world *world, uint32_t ticks, ls_executor *executor)
{
    for (uint32_t i = 0; i < ticks; i++) {
        sample_frame sample;
        ls_error error = {""};
        sample_frame_init(&sample, world);
        if (ls_world_advance(world, &sample.frame, executor, &error) != LS_OK)
            fail_msg("%s", error.text);
    }
}

#endif
