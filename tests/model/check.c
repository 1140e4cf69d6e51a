#include "tests/model/check.h"

#include "tests/model/compare.h"
#include "tests/model/on_engine.h"
#include "tests/model/on_model.h"
#include "tests/model/program_values.h"
#include <lockstep/world.h>

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Larger programs are skipped: a product of queries may be huge, and spawns may double entities
 * every tick. */
enum { INVOCATIONS_MAX = 12000, ENTITIES_MAX = 3000, CHECK_TICKS_MAX = 16 };

enum way { SERIAL, TWO_THREADS, FOUR_THREADS, SHUFFLED, TURNED, CHECKED, RESTORED, WAY_COUNT };

static const char *const way_names[WAY_COUNT] = {"serial", "2 threads", "4 threads", "shuffled",
                                                 "turned", "checked",   "restored"};

struct trial {
    const struct program *program;
    on_model model;
    on_engine straight, turned;
    ls_program *programs[2];
    ls_world *worlds[WAY_COUNT];
    ls_executor *shuffle;
    ls_snapshot
        *kept; /* of the world with two threads, taken in an early tick and restored at the end */
    uint64_t roots[CHECK_TICKS_MAX + 1];
};

static ls_executor *make_executor(const ls_executor_config *config)
{
    ls_executor *made;
    LS_ASSERT(ls_executor_create(config, &made, NULL) == LS_OK);
    return made;
}

void checker_begin(checker *self)
{
    memset(self, 0, sizeof *self);
    self->two = make_executor(&(ls_executor_config){.threads = 2, .share_from = 1});
    self->four = make_executor(&(ls_executor_config){.threads = 4, .share_from = 1});
    self->check = make_executor(&(ls_executor_config){.threads = 1, .check = true});
}

void checker_end(checker *self)
{
    ls_executor_destroy(self->two);
    ls_executor_destroy(self->four);
    ls_executor_destroy(self->check);
}

static bool fail(checker *self, const struct trial *trial, const char *what, const char *why)
{
    snprintf(self->text, sizeof self->text, "tick %" PRIu64 ", %s: %s", trial->model.state.tick,
             what, why);
    return false;
}

static ls_world *make_world(const ls_program *program, uint64_t seed)
{
    ls_world *world;
    ls_match match = ls_program_match(program, seed);
    LS_ASSERT(ls_world_create(program, &match, &world, NULL) == LS_OK);
    return world;
}

static bool trial_begin(checker *self, struct trial *trial)
{
    const struct program *program = trial->program;
    ls_error error = {""};
    on_model_begin(&trial->model, program);
    on_engine_make(&trial->straight, program, 0);
    on_engine_make(&trial->turned, program, 1 + (uint32_t)(program->seed % 7));
    if (ls_program_create(&trial->straight.sim, &trial->programs[0], &error) != LS_OK ||
        ls_program_create(&trial->turned.sim, &trial->programs[1], &error) != LS_OK)
        return fail(self, trial, "refused", error.text);
    for (uint32_t i = 0; i < RESTORED; i++)
        trial->worlds[i] = make_world(trial->programs[i == TURNED], program->seed);
    trial->shuffle = make_executor(
        &(ls_executor_config){.threads = 1, .shuffle_seed = program_hash(program->seed, 9) | 1});
    for (uint32_t i = 0; i < program->system_count; i++) {
        for (uint32_t turned = 0; turned < 2; turned++) {
            if (strcmp(ls_program_system(trial->programs[turned], i)->name,
                       program->systems[trial->model.order[i]].name) != 0)
                return fail(self, trial, "order of systems", "not the canonical one");
        }
    }
    return true;
}

static void trial_end(struct trial *trial)
{
    if (trial->kept)
        ls_snapshot_destroy(trial->kept);
    for (uint32_t i = 0; i < WAY_COUNT; i++)
        ls_world_destroy(trial->worlds[i]);
    for (uint32_t i = 0; i < 2; i++)
        ls_program_destroy(trial->programs[i]);
    if (trial->shuffle)
        ls_executor_destroy(trial->shuffle);
    on_model_end(&trial->model);
}

static void count_coverage(checker *self, const struct trial *trial)
{
    uint32_t count = trial->program->system_count;
    self->counts.programs++;
    self->counts.systems += count;
    self->counts.entities += model_live_count(&trial->model.state);
    for (uint32_t i = 0; i < count; i++) {
        self->counts.partners += trial->program->systems[i].partner.is_set;
        for (uint32_t j = 0; j < i; j++)
            self->counts.unordered_pairs +=
                !trial->model.is_ordered[i][j] && !trial->model.is_ordered[j][i];
    }
}

static void count_outcome(checker *self, const struct trial *trial)
{
    uint32_t coverage = trial->model.state.coverage;
    bool has_parents = false, has_world = false;
    for (uint32_t i = 0; i < trial->program->system_count; i++)
        has_world |= trial->program->systems[i].world != 0;
    for (uint32_t i = 0; i < trial->program->component_count; i++)
        has_parents |= trial->program->components[i].on_despawn == LS_PARENT;
    for (uint32_t i = 0; i < MODEL_COUNTED; i++)
        self->counts.abilities[i] += coverage >> (MODEL_FIRST_COUNTED + i) & 1;
    self->counts.partnered += (coverage & MODEL_PARTNERED) != 0;
    self->counts.clashed += (coverage & MODEL_CLASHED) != 0;
    self->counts.won += (coverage & MODEL_FIRST_WON) != 0;
    self->counts.parented += has_parents;
    self->counts.worlds += has_world;
    self->counts.changed += (coverage & MODEL_CHANGED) != 0;
    self->counts.paused += (coverage & MODEL_PAUSED) != 0;
    self->counts.cycles += (coverage & MODEL_HAS_CYCLE) != 0;
    self->counts.reordered += (coverage & MODEL_REORDERED) != 0;
}

/* Adds a world that is restored from the snapshot bytes of the serial world. */
static bool restore_one(checker *self, struct trial *trial)
{
    uint8_t *bytes;
    size_t count;
    ls_error error = {""};
    ls_snapshot *snapshot = ls_world_snapshot(trial->worlds[SERIAL]);
    ls_snapshot_encode(snapshot, &bytes, &count);
    trial->worlds[RESTORED] = make_world(trial->programs[1], trial->program->seed);
    ls_status status = ls_world_decode(trial->worlds[RESTORED], bytes, count, &error);
    ls_snapshot_destroy(snapshot);
    ls_free(bytes);
    return status == LS_OK || fail(self, trial, "snapshot", error.text);
}

/* Restores a snapshot and runs the ticks since then again. Their writes must not have changed pages
 * that the snapshot shares. */
static bool roll_back(checker *self, struct trial *trial)
{
    ls_world *world = trial->worlds[TWO_THREADS];
    if (!trial->kept)
        return true;
    uint64_t end = ls_world_tick(world);
    program_frame inputs;
    ls_world_restore(world, trial->kept);
    for (;;) {
        const ls_frame *frame = program_inputs(trial->program, ls_world_tick(world), &inputs);
        if (ls_world_root(world) != trial->roots[frame->tick])
            return fail(self, trial, "restored from a snapshot",
                        "another root than the first time");
        if (frame->tick == end)
            return true;
        LS_ASSERT(ls_world_advance(world, frame, self->two, NULL) == LS_OK);
    }
}

static bool advance_worlds(checker *self, struct trial *trial)
{
    /* A tick on the check executor takes as long as all others together, so only every fourth tick
     * uses it. */
    bool checks = (trial->program->seed + trial->model.state.tick) % 4 == 0;
    ls_executor *executors[WAY_COUNT] = {
        NULL, self->two, self->four, trial->shuffle, NULL, checks ? self->check : NULL, NULL};
    ls_error error = {""};
    for (uint32_t i = 0; i < WAY_COUNT; i++) {
        if (!trial->worlds[i])
            continue;
        program_frame inputs;
        const ls_frame *frame =
            program_inputs(trial->program, ls_world_tick(trial->worlds[i]), &inputs);
        if (ls_world_advance(trial->worlds[i], frame, executors[i], &error) != LS_OK)
            return fail(self, trial, way_names[i], error.text);
    }
    return true;
}

/* Each world must refuse the tick, and be as it was before. */
static bool refuse_tick(checker *self, struct trial *trial)
{
    ls_executor *executors[WAY_COUNT] = {NULL, self->two,   self->four, trial->shuffle,
                                         NULL, self->check, NULL};
    char first[sizeof(((ls_error *)0)->text)] = "";
    for (uint32_t i = 0; i < WAY_COUNT; i++) {
        ls_error error = {""};
        if (!trial->worlds[i])
            continue;
        program_frame inputs;
        const ls_frame *frame =
            program_inputs(trial->program, ls_world_tick(trial->worlds[i]), &inputs);
        uint64_t root = ls_world_root(trial->worlds[i]);
        ls_status status = ls_world_advance(trial->worlds[i], frame, executors[i], &error);
        if (status != LS_ERROR_REFUSED ||
            (!strstr(error.text, "declares incompatible") && !strstr(error.text, "partner") &&
             !strstr(error.text, "ancestor")) ||
            ls_world_root(trial->worlds[i]) != root)
            return fail(self, trial, way_names[i], "the tick should fail");
        if (first[0] && strcmp(first, error.text) != 0)
            return fail(self, trial, first, error.text);
        memcpy(first, error.text, sizeof first);
    }
    self->counts.broken++;
    return true;
}

static bool compare_all(checker *self, struct trial *trial)
{
    char why[1024];
    for (uint32_t i = 0; i < WAY_COUNT; i++) {
        if (i != SERIAL && (!trial->worlds[i] || ls_world_root(trial->worlds[i]) ==
                                                     ls_world_root(trial->worlds[SERIAL])))
            continue;
        if (!compare_world(trial->worlds[i], &trial->model.state, why, sizeof why))
            return fail(self, trial, way_names[i], why);
        if (i != SERIAL)
            return fail(self, trial, way_names[i], "another root than serial, equal values");
    }
    return true;
}

/* Advances the model by one tick, once with unordered systems composed by ;, once by ||. False when
 * the tick exceeds the budget. */
static bool advance_model(checker *self, struct trial *trial, bool *is_equal)
{
    uint64_t budget = INVOCATIONS_MAX;
    char why[256];
    model_state *state = &trial->model.state, grouped;
    model_copy(state, &grouped);
    bool is_done = model_advance(state, trial->model.serial, &budget);
    self->counts.invocations += INVOCATIONS_MAX - budget;
    budget = INVOCATIONS_MAX;
    *is_equal = true;
    if (is_done && model_advance(&grouped, trial->model.grouped, &budget) &&
        state->is_broken != grouped.is_broken)
        *is_equal = fail(self, trial, "model, z || z' against z ; z'", "only one has a pair");
    else if (is_done && !state->is_broken && !compare_states(state, &grouped, why, sizeof why))
        *is_equal = fail(self, trial, "model, z || z' against z ; z'", why);
    model_reset(&grouped);
    return is_done;
}

static bool run_ticks(checker *self, struct trial *trial)
{
    LS_ASSERT(trial->program->ticks <= CHECK_TICKS_MAX);
    for (uint32_t tick = 0; tick < trial->program->ticks; tick++) {
        bool is_equal;
        if (!compare_all(self, trial))
            return false;
        trial->roots[tick] = ls_world_root(trial->worlds[TWO_THREADS]);
        if (tick == (trial->program->seed + 1) % 3)
            trial->kept = ls_world_snapshot(trial->worlds[TWO_THREADS]);
        if (tick == trial->program->ticks / 2 && !restore_one(self, trial))
            return false;
        if (model_live_count(&trial->model.state) > ENTITIES_MAX ||
            !advance_model(self, trial, &is_equal)) {
            self->counts.cut_short++;
            return roll_back(self, trial);
        }
        if (is_equal && trial->model.state.is_broken)
            return refuse_tick(self, trial) && roll_back(self, trial);
        if (!is_equal || !advance_worlds(self, trial))
            return false;
        self->counts.ticks++;
    }
    trial->roots[trial->program->ticks] = ls_world_root(trial->worlds[TWO_THREADS]);
    return compare_all(self, trial) && roll_back(self, trial);
}

bool check_program(checker *self, const struct program *program)
{
    struct trial *trial = ls_alloc(sizeof *trial);
    trial->program = program;
    bool is_equal = true;
    if (program->system_count) {
        is_equal = trial_begin(self, trial);
        count_coverage(self, trial);
        is_equal = is_equal && run_ticks(self, trial);
        count_outcome(self, trial);
        trial_end(trial);
    }
    ls_free(trial);
    return is_equal;
}

void check_take_signals(void)
{
    static const int signals[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    for (uint32_t i = 0; i < LS_COUNT_OF(signals); i++)
        signal(signals[i], SIG_DFL);
}

static void run_child(const struct program *program, char *shared, int said)
{
    checker self;
    struct program copy = *program;
    check_take_signals();
    dup2(said, STDERR_FILENO);
    alarm(300); /* only ends a program that hangs */
    checker_begin(&self);
    bool is_equal = check_settle(&self, &copy) && check_program(&self, &copy);
    memcpy(shared, self.text, CHECK_TEXT_BYTES);
    _exit(is_equal ? 0 : 1);
}

bool check_in_child(const struct program *program, char *text)
{
    char *shared =
        mmap(NULL, CHECK_TEXT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int said = memfd_create("stderr", 0);
    fflush(NULL);
    pid_t child = fork();
    LS_ASSERT(shared != MAP_FAILED && said >= 0 && child >= 0);
    if (child == 0)
        run_child(program, shared, said);
    int status;
    LS_ASSERT(waitpid(child, &status, 0) == child);
    memcpy(text, shared, CHECK_TEXT_BYTES);
    /* A sanitizer may exit with its own status. */
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && !text[0])) {
        int used =
            WIFEXITED(status)
                ? snprintf(text, CHECK_TEXT_BYTES, "ended with %d: ", WEXITSTATUS(status))
                : snprintf(text, CHECK_TEXT_BYTES,
                           "ended by signal %d: ", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        ssize_t got = pread(said, text + used, CHECK_TEXT_BYTES - 1 - (size_t)used, 0);
        text[used + (got > 0 ? got : 0)] = 0;
    }
    close(said);
    munmap(shared, CHECK_TEXT_BYTES);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
