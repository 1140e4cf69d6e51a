/* Every example of docs/ecs.md does what the page asserts, however its systems are run. */
#include "tests/tutorial/examples.h"
#include "tests/unit/core/harness.h"

#define SHUFFLES 5

/* Destroys the executor. */
static void run_all(ls_executor *executor)
{
    for (uint32_t i = 0; i < example_count; i++) {
        harness self;
        print_message("%s\n", examples[i].title);
        harness_begin(&self, examples[i].sim, 1);
        examples[i].run(self.world, executor);
        harness_end(&self);
    }
    ls_executor_destroy(executor);
}

TEST(test_examples_hold_serially)
{
    assert_true(example_count > 25);
    run_all(NULL);
}

TEST(test_examples_hold_in_any_order)
{
    for (uint64_t seed = 1; seed <= SHUFFLES; seed++)
        run_all(harness_executor(1, seed));
}

TEST(test_examples_hold_on_threads)
{
    run_all(harness_executor(2, 1));
}

TEST(test_examples_hold_under_the_check)
{
    run_all(harness_checker());
}
