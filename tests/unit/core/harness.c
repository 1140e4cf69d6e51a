#include "harness.h"

#include "core/run/despawn.h"
#include "core/run/run.h"
#include "core/state/planes.h"
#include "core/state/store.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

void harness_begin(harness *self, const ls_sim *sim, uint64_t seed)
{
    ls_error error = {""};
    if (ls_program_create(sim, &self->program, &error) != LS_OK)
        fail_msg("%s", error.text);
    ls_match match = ls_program_match(self->program, seed);
    if (ls_world_create(self->program, &match, &self->world, &error) != LS_OK)
        fail_msg("%s", error.text);
}

void harness_end(harness *self)
{
    ls_world_destroy(self->world);
    ls_program_destroy(self->program);
}

int harness_teardown(void **state)
{
    harness_end(*state);
    return 0;
}

void harness_span(ls_context *context, const ls_span *span)
{
}

void harness_match(ls_context *context, const ls_entity *entities)
{
}

void harness_own_all(ls_world *world)
{
    for (uint32_t column = 0; column <= ls_liveness(world); column++)
        ls_store_own(world, column);
}

void harness_mark(ls_world *world, uint32_t worker, ls_entity entity)
{
    ls_run_prepare(world, worker + 1);
    ls_despawn_marks_add(&world->scratch->marks[worker], entity);
}

ls_world *harness_world(const harness *self)
{
    ls_world *world = NULL;
    ls_error error = {""};
    if (ls_world_create(self->program, ls_world_match(self->world), &world, &error) != LS_OK)
        fail_msg("%s", error.text);
    return world;
}

ls_status harness_refusal(const ls_sim *sim, ls_error *error)
{
    ls_program *program;
    *error = (ls_error){""};
    ls_status status = ls_program_create(sim, &program, error);
    assert_int_not_equal(status, LS_OK);
    assert_null(program);
    return status;
}

static void assert_words(const char *text, const char *const *words, const char *file, int line)
{
    for (; *words; words++) {
        if (strstr(text, *words))
            continue;
        print_error("\"%s\" is not in \"%s\"\n", *words, text);
        _fail(file, line);
    }
}

void harness_assert_refused(const ls_sim *sim, ls_status status, const char *const *words,
                            const char *file, int line)
{
    ls_error error;
    ls_status found = harness_refusal(sim, &error);
    assert_words(error.text, words, file, line);
    _assert_int_equal(found, status, file, line);
}

void harness_tick(ls_world *world, ls_executor *executor)
{
    const ls_frame frame = {.tick = ls_world_tick(world)};
    ls_error error = {""};
    if (ls_world_advance(world, &frame, executor, &error) != LS_OK)
        fail_msg("%s", error.text);
}

void harness_assert_tick_refused(ls_world *world, ls_executor *executor, const char *const *words,
                                 ls_error *error)
{
    const ls_frame frame = {.tick = ls_world_tick(world)};
    uint64_t root = ls_world_root(world);
    ls_error again;
    assert_int_equal(ls_world_advance(world, &frame, executor, error), LS_ERROR_REFUSED);
    assert_words(error->text, words, __FILE__, __LINE__);
    assert_int_equal(ls_world_root(world), root);
    assert_int_equal(ls_world_tick(world), frame.tick);
    assert_int_equal(ls_world_advance(world, &frame, executor, &again), LS_ERROR_REFUSED);
    assert_string_equal(again.text, error->text);
    assert_int_equal(ls_world_root(world), root);
    assert_int_equal(ls_world_tick(world), frame.tick);
}

void harness_assert_setup_refused(const ls_sim *sim, ls_error *error)
{
    ls_program *program;
    ls_world *world;
    assert_ok(ls_program_create(sim, &program, NULL));
    const ls_match match = ls_program_match(program, 1);
    assert_int_equal(ls_world_create(program, &match, &world, error), LS_ERROR_REFUSED);
    assert_null(world);
    ls_program_destroy(program);
}

static ls_executor *make_executor(const ls_executor_config *config)
{
    ls_executor *executor = NULL;
    ls_error error = {""};
    if (ls_executor_create(config, &executor, &error) != LS_OK)
        fail_msg("%s", error.text);
    return executor;
}

ls_executor *harness_executor(uint32_t threads, uint64_t shuffle_seed)
{
    return make_executor(&(ls_executor_config){threads, shuffle_seed, .share_from = 1});
}

ls_executor *harness_checker(void)
{
    return make_executor(&(ls_executor_config){.threads = 1, .check = true});
}

void harness_assert_dies(void (*function)(void *), void *argument, const char *const *words,
                         const char *file, int line)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        function(argument);
        _exit(0);
    }
    close(ends[1]);
    char text[4096];
    size_t count = 0;
    for (ssize_t got; (got = read(ends[0], text + count, sizeof text - 1 - count)) > 0;)
        count += (size_t)got;
    text[count] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_words(text, words, file, line);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
        print_error("did not abort\n");
        _fail(file, line);
    }
}

uint8_t *harness_bytes(ls_world *world, size_t *count)
{
    uint8_t *bytes;
    ls_snapshot *snapshot = ls_world_snapshot(world);
    ls_snapshot_encode(snapshot, &bytes, count);
    ls_snapshot_destroy(snapshot);
    return bytes;
}

void harness_each_copy(const harness *self, void (*check)(ls_world *world, ls_world *other))
{
    for (uint32_t form = 0; form < 3; form++) {
        uint8_t *bytes = NULL;
        size_t count;
        ls_snapshot *snapshot = ls_world_snapshot(self->world);
        ls_world *other = form == 2 ? ls_world_create_sibling(self->world) : harness_world(self);
        if (form == 0) {
            ls_snapshot_encode(snapshot, &bytes, &count);
            assert_int_equal(ls_world_decode(other, bytes, count, NULL), LS_OK);
        } else if (form == 1) {
            ls_planes_encode(snapshot, NULL, &bytes, &count);
            assert_int_equal(ls_planes_decode(other, NULL, bytes, count, NULL), LS_OK);
        }
        check(self->world, other);
        ls_world_restore(self->world, snapshot);
        ls_free(bytes);
        ls_world_destroy(other);
        ls_snapshot_destroy(snapshot);
    }
}

uint64_t harness_seed(const char *test)
{
    const char *given = getenv("LS_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;
    print_message("%s: LS_TEST_SEED=%" PRIu64 "\n", test, seed);
    return seed;
}

ls_fix harness_coordinate(uint64_t *random, uint32_t extent)
{
    static const ls_fix extremes[] = {INT32_MIN, INT32_MAX, INT32_MIN + 1, INT32_MAX - 1, 0, -1, 1};
    uint64_t bits = test_random(random);
    if (extent)
        return (ls_fix)(bits % extent) - (ls_fix)(extent / 2);
    return bits % 3 == 0 ? extremes[(bits >> 8) % LS_COUNT_OF(extremes)] : (ls_fix)(bits >> 32);
}
