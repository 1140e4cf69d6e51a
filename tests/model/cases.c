#include "tests/model/cases.h"

#include "tests/model/check.h"

#include "tests/support/test.h"

struct program case_begin(void)
{
    static const program_component components[CASE_COMPONENTS] = {
        {"A", 1, ROLE_CELL, LS_KEEP},     {"B", 1, ROLE_CELL, LS_KEEP},
        {"T", 0, ROLE_CELL, LS_KEEP},     {"E", 5, ROLE_CELL, LS_KEEP},
        {"V", 1, ROLE_EVENT, LS_KEEP, 1}, {"S", 1, ROLE_SINGLETON, 0},
        {"W", 5, ROLE_EVENT, LS_KEEP, 1}};
    struct program made;
    memset(&made, 0, sizeof made);
    made.seed = 1;
    made.ticks = 1;
    made.component_count = CASE_COMPONENTS;
    memcpy(made.components, components, sizeof components);
    made.lane_count = 2;
    strcpy(made.lanes[0], "a");
    strcpy(made.lanes[1], "b");
    return made;
}

void case_add_group(struct program *program, uint8_t lane, uint16_t count, uint32_t components)
{
    program_group *group = &program->groups[program->group_count++];
    group->lane = lane;
    group->count = count;
    for (uint32_t i = 0; i < CASE_COMPONENTS; i++)
        group->density[i] = components >> i & 1 ? 100 : 0;
}

program_system *case_add_system(struct program *program, bool is_concurrent)
{
    uint32_t index = program->system_count++;
    program_system *made = &program->systems[index];
    snprintf(made->name, sizeof made->name, "s%c", (int)('0' + index));
    made->is_concurrent = is_concurrent;
    for (uint32_t i = 0; i < index; i++)
        program->before[i][index] = true;
    return made;
}

uint8_t case_add_term(program_system *system, ls_match_kind kind, ls_access access,
                      uint8_t component, uint8_t query)
{
    system->terms[system->term_count] =
        (program_term){component, (uint8_t)kind, (uint8_t)access, query};
    return system->term_count++;
}

void case_add(program_system *system, struct instruction instruction)
{
    system->body[system->body_count++] = instruction;
}

void case_run(const struct program *program, on_model *model)
{
    static const uint8_t forms[] = {FORM_SPAN, FORM_EACH, FORM_BLOCK, FORM_MATCH};
    for (uint32_t i = 0; i < LS_COUNT_OF(forms); i++) {
        checker self;
        struct program copy = *program;
        for (uint32_t j = 0; j < copy.system_count; j++)
            copy.systems[j].form = forms[i];
        program_clean(&copy);
        for (uint32_t j = 0; j < copy.system_count; j++) {
            for (uint32_t k = 0; k < copy.systems[j].body_count; k++)
                assert_int_not_equal(copy.systems[j].body[k].op, OP_NOTHING);
        }
        checker_begin(&self);
        if (!check_settle(&self, &copy) || !check_program(&self, &copy))
            fail_msg("%s", self.text);
        if (copy.system_count != program->system_count)
            fail_msg("%s", self.text);
        assert_int_equal(self.counts.ticks, program->ticks);
        checker_end(&self);
    }
    on_model_begin(model, program);
    for (uint32_t i = 0; i < program->ticks; i++) {
        uint64_t budget = UINT32_MAX;
        assert_true(model_advance(&model->state, model->serial, &budget));
    }
}

uint32_t case_number(const on_model *model, uint32_t component, uint32_t index)
{
    uint32_t number;
    assert_true(index < model->state.maps[component].count);
    memcpy(&number, model->state.maps[component].cells[index].value, sizeof number);
    return number;
}
