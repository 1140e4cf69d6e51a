#include "plants.h"

uint32_t plants_line;

void plants_begin(plants *self, const ls_sim *sim, const ls_sim *other)
{
    *self = (plants){.has_two_builds = other != NULL};
    harness_begin(&self->a, sim, 1);
    if (other)
        harness_begin(&self->b, other, 1);
    else
        self->b = (harness){.program = self->a.program, .world = harness_world(&self->a)};
    self->runs[0] = (ls_run_variant){.world = self->a.world, .stack_fill = 0x11};
    self->runs[1] = (ls_run_variant){.world = self->b.world, .stack_fill = 0x22};
}

static void assert_unchanged(ls_world *world, uint8_t *before, size_t count)
{
    size_t again;
    uint8_t *after = harness_bytes(world, &again);
    assert_int_equal(again, count);
    assert_memory_equal(after, before, count);
    ls_free(after);
    ls_free(before);
}

ls_blame plants_find(plants *self)
{
    size_t counts[2];
    uint8_t *bytes[2] = {harness_bytes(self->a.world, &counts[0]),
                         harness_bytes(self->b.world, &counts[1])};
    const ls_frame frame = {.tick = ls_world_tick(self->a.world)};
    ls_error error = {""};
    ls_suspect_reset(&self->suspect);
    if (ls_desync_find_system(&self->runs[0], &self->runs[1], &frame, &self->suspect, &error) !=
        LS_OK)
        fail_msg("%s", error.text);
    assert_unchanged(self->a.world, bytes[0], counts[0]);
    assert_unchanged(self->b.world, bytes[1], counts[1]);
    return self->suspect.blame;
}

void plants_end(plants *self)
{
    ls_suspect_reset(&self->suspect);
    if (self->has_two_builds)
        harness_end(&self->b);
    else
        ls_world_destroy(self->b.world);
    harness_end(&self->a);
}

ls_blame plants_blame(plants *self, const ls_system *systems, uint32_t count)
{
    static ls_sim sim; /* must outlive the program */
    sim = check_sim(systems, count);
    plants_begin(self, &sim, NULL);
    return plants_find(self);
}

void plants_expect(const plants *self, ls_difference_site site, const char *system,
                   const char *cell)
{
    const ls_suspect *suspect = &self->suspect;
    if (suspect->site != site || !suspect->system || strcmp(suspect->system, system) != 0)
        fail_msg("not %s: %s", system, suspect->text);
    if (!suspect->place || strcmp(suspect->place, cell) != 0)
        fail_msg("not %s: %s", cell, suspect->text);
}

static void assert_line(const ls_stores *stores, const ls_write_log *store, const char *file,
                        uint32_t line)
{
    ls_sources *sources = ls_sources_open();
    ls_source_place found = ls_write_log_line(stores, store, sources);
    const char *name = found.file ? strrchr(found.file, '/') : NULL;
    char *trace = ls_write_log_trace(stores, store, sources);
    if (found.line != line || !name || strcmp(name + 1, file) != 0)
        fail_msg("not line %u of %s, but %u of %s:\n%s", line, file, found.line,
                 found.file ? found.file : "?", trace);
    ls_free(trace);
    ls_sources_close(sources);
}

void plants_expect_store(plants *self, const char *cell, const char *file, uint32_t line,
                         const char *now)
{
    ls_stores stores[2];
    const ls_write_log *first[2];
    const ls_frame frame = {.tick = ls_world_tick(self->a.world)};
    ls_error error = {""};
    for (uint32_t i = 0; i < 2; i++) {
        if (ls_desync_watch(&self->runs[i], i, &frame, &self->suspect, &stores[i], &error) != LS_OK)
            fail_msg("%s", error.text);
        assert_int_equal(stores[i].left_out, 0);
    }
    assert_true(ls_stores_compare(&stores[0], &stores[1], &self->suspect, &first[0], &first[1]));
    assert_non_null(first[0]);
    char *text = ls_write_log_print(first[0], self->a.program);
    if (strncmp(text, cell, strlen(cell)) != 0)
        fail_msg("not %s, but %s", cell, text);
    if (now && strcmp(first[0]->now_text, now) != 0)
        fail_msg("not %s, but %s", now, text);
    ls_free(text);
    assert_line(&stores[0], first[0], file, line);
    if (first[1])
        assert_line(&stores[1], first[1], file, line);
    for (uint32_t i = 0; i < 2; i++)
        ls_stores_reset(&stores[i]);
}
