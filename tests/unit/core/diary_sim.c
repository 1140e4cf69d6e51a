#include "diary_sim.h"

static const ls_field diary_fields[] = {LS_FIELD(diary, count, LS_TYPE_U32),
                                        LS_FIELD(diary, letters, LS_TYPE_U8)};
static const ls_field tally_fields[] = {LS_FIELD(tally, value, LS_TYPE_U32)};
const ls_component diaries = LS_SINGLETON_TABLE(diary, "diary", diary_fields);
const ls_component pings = LS_EVENT_TABLE(tally, "ping", tally_fields);
const ls_component diary_counts = LS_COMPONENT_TABLE(tally, "count", tally_fields);
const ls_component diary_extras = LS_COMPONENT_TABLE(tally, "extra", tally_fields);
static const ls_component tags = LS_TAG_TABLE("tag");
static const ls_component *const components[] = {&diaries, &diary_counts, &diary_extras, &tags};
static const char *const lanes[] = {"a"};

void diary_note(ls_context *context, uint8_t letter)
{
    diary *all = ls_singleton_write(context, 0);
    if (all->count < LETTERS)
        all->letters[all->count++] = letter;
}

void diary_write(ls_context *context, const ls_entity *entities)
{
    diary_note(context, *(const uint8_t *)ls_system_data(context));
}

void diary_command(ls_context *context, const ls_entity *entities)
{
    ls_command_attach(context, 1, ls_command_spawn(context, 0), &(tally){7});
    diary_note(context, 'c');
}

void diary_decide(ls_context *context, const ls_entity *unused)
{
    const diary *all = ls_singleton_read(context, 0);
    const char *answers = ls_system_data(context);
    char answer = answers[all->count % strlen(answers)];
    if (answer != '-')
        ls_decide(context, answer == 'y'   ? LS_YES
                           : answer == 'Y' ? LS_YES_AND_AGAIN
                           : answer == 'N' ? LS_NO_AND_AGAIN
                                           : LS_NO);
}

void diary_repeat(ls_context *context, const ls_entity *unused)
{
    const char *times = ls_system_data(context);
    ls_decide(context,
              ls_iteration(context) + 1 < (uint32_t)(*times - '0') ? LS_YES_AND_AGAIN : LS_YES);
}

void diary_draw(ls_context *context, const ls_entity *unused)
{
    diary_note(context, (uint8_t)('a' + ls_random(context, LS_ENTITY_NULL, 0) % 26));
    diary_note(context, (uint8_t)('0' + ls_iteration(context)));
}

ls_sim diary_sim(const ls_system *systems, uint32_t system_count)
{
    ls_sim sim = HARNESS_SIM(components, lanes, ((ls_system[1]){{0}}));
    sim.systems = systems;
    sim.system_count = system_count;
    return sim;
}

void assert_diary(const ls_world *world, const char *expected, const char *who)
{
    char letters[LETTERS + 1] = "";
    const diary *all = ls_world_singleton(world, &diaries);
    memcpy(letters, all->letters, all->count);
    if (strcmp(letters, expected) != 0)
        fail_msg("%s wrote \"%s\", not \"%s\"", who, letters, expected);
}

void diary_add_pings(ls_sim *sim)
{
    static const ls_component *const with_pings[] = {&diaries, &diary_counts, &pings};
    sim->components = with_pings;
    sim->component_count = LS_COUNT_OF(with_pings);
}

void diary_send(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_event_send(context, 0, &(tally){1});
}

void diary_receive(ls_context *context, const ls_entity *unused)
{
    (void)unused;
    ls_event_walk walk;
    ls_event_begin(context, 1, &walk);
    while (ls_event_next(&walk))
        diary_note(context, 'e');
    diary_note(context, '.');
}

void assert_writes(const ls_sim *sim, uint32_t ticks, const char *expected)
{
    static const struct {
        uint32_t threads;
        uint64_t shuffle;
        const char *name;
    } executors[] = {{1, 0, "one thread"},
                     {3, 0, "three threads"},
                     {1, 5, "a shuffled order"},
                     {0, 0, "a check"}};
    for (uint32_t i = 0; i < LS_COUNT_OF(executors); i++) {
        harness self;
        ls_executor *executor = executors[i].threads
                                    ? harness_executor(executors[i].threads, executors[i].shuffle)
                                    : harness_checker();
        harness_begin(&self, sim, 1);
        for (uint32_t tick = 0; tick < ticks; tick++)
            harness_tick(self.world, executor);
        assert_diary(self.world, expected, executors[i].name);
        harness_end(&self);
        ls_executor_destroy(executor);
    }
}
