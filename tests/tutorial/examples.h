/* The examples of a page: tests/tutorial/examples.py makes the source that defines them. */
#ifndef LS_TESTS_TUTORIAL_EXAMPLES_H
#define LS_TESTS_TUTORIAL_EXAMPLES_H

#include <lockstep/lockstep.h>

struct example {
    const char *title;
    const ls_sim *sim;
    void (*run)(ls_world *world, ls_executor *executor); /* asserts what the page says */
};

extern const struct example examples[];
extern const uint32_t example_count;

#endif
