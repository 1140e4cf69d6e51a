#include "cli/explain/explain_target.h"

#include "test.h"

/* tests/desync plants faults to test which run `explain` examines. */

static const char checked[] = "tick 5: system \"move\" depends on what is not in the world\n"
                              "tick 6: system \"steer\" depends on what is not in the world";

typedef struct fixture {
    ls_explain_case the;
    ls_explain_row check;
    ls_explain_result result;
    char where[256];
} fixture;

/* The sides differ in the simulation's second component. */
static void begin(fixture *self)
{
    *self = (fixture){.check = {.kind = LS_EXPLAIN_CHECK}};
    assert_ok(ls_sim_load("skirmish", &self->the.loaded, NULL));
    self->the.evidence = ls_alloc(sizeof *self->the.evidence);
    *self->the.evidence = (ls_evidence){.column_count = 3};
    self->the.evidence->server.columns[1] = 1;
    snprintf(self->check.text, sizeof self->check.text, "%s", checked);
    self->result = (ls_explain_result){.subject = &self->the, .rows = &self->check, .row_count = 1};
}

static void end(fixture *self)
{
    ls_free(self->the.evidence);
    ls_sim_unload(&self->the.loaded);
}

static const char *doubt_of(fixture *self, const char *system, uint32_t column)
{
    const char *component = ls_program_component(self->the.loaded.program, column)->name;
    snprintf(self->where, sizeof self->where, "{\"system\": \"%s\", \"component\": \"%s\"}", system,
             component);
    self->result.where_json = self->where;
    self->result.doubt = (ls_error){0};
    ls_explain_target_find_doubt(&self->result);
    return self->result.doubt.text;
}

TEST(test_explain_target_doubts_a_contradicted_result)
{
    fixture self;
    char expected[128];
    begin(&self);
    const ls_program *program = self.the.loaded.program;
    snprintf(expected, sizeof expected,
             "the sides differ in %s, not in %s, and the check executor "
             "names system \"move\"",
             ls_program_component(program, 1)->name, ls_program_component(program, 2)->name);
    assert_non_null(strstr(doubt_of(&self, "fly", 2), expected));
    assert_string_equal(doubt_of(&self, "fly", 1), "");
    assert_string_equal(doubt_of(&self, "move", 2), "");
    assert_string_equal(doubt_of(&self, "steer", 2), "");
    end(&self);
}

TEST(test_explain_target_has_no_doubt_without_other_witnesses)
{
    fixture self;
    begin(&self);
    self.check.text[0] = 0;
    assert_string_equal(doubt_of(&self, "fly", 2), "");
    snprintf(self.check.text, sizeof self.check.text, "%s", checked);
    self.the.evidence->server.columns[1] = 0;
    assert_string_equal(doubt_of(&self, "fly", 2), "");
    self.result.where_json = "{\"system\": null, \"component\": null}";
    ls_explain_target_find_doubt(&self.result);
    assert_string_equal(self.result.doubt.text, "");
    end(&self);
}
