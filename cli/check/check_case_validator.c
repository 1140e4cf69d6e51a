/* The case that tests the simulation's validator. The same bytes must get the same answer, wherever
 * they are in memory and whatever was asked before, and no bytes may crash it. So each input is
 * passed in two copies. The first ends at a page that cannot be read, so a read past the end
 * crashes. */
#include "cli/check/check_case_validator.h"

#include "cli/check/page_edge.h"
#include "cli/common/child_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define QUESTIONS     20000
#define PRINTED_BYTES 24 /* bytes of an input that a message shows */
#define OTHER_SPACE   (2 * LS_INPUT_BYTES_MAX)

struct asking {
    const ls_check_case *self;
    const ls_sim *sim;
    uint8_t *edge;              /* end of the readable page: the first copy ends here */
    uint8_t other[OTHER_SPACE]; /* the second copy, with garbage around it */
    uint8_t answers[QUESTIONS];
};

/* One call of the validator. `input.data` points to `bytes`. */
struct question {
    ls_input input;
    uint8_t bytes[LS_INPUT_BYTES_MAX];
};

static bool make_edge(struct asking *asking)
{
    asking->edge = ls_page_edge_map();
    return asking->edge != NULL;
}

/* Copies a random input of the match, which the caller then changes, and returns its size. 0: the
 * random tick has no input, or the chosen input is of another kind. */
static uint32_t real_bytes(const struct asking *asking, ls_random_stream stream, uint8_t kind,
                           uint8_t *bytes)
{
    const ls_tick_list *list = asking->self->match->list;
    uint64_t count = ls_tick_list_count(list);
    if (!count)
        return 0;
    ls_tick_cursor cursor;
    uint64_t tick = ls_random_below(ls_random_draw(stream, 0), (uint32_t)count);
    ls_tick_source source = ls_ticks_of_list(&cursor, list, ls_tick_list_first(list) + tick);
    ls_source_tick found;
    if (source.next(source.argument, NULL, &found, NULL) || !found.frame.count)
        return 0;
    const ls_input *input =
        &found.frame.inputs[ls_random_below(ls_random_draw(stream, 1), found.frame.count)];
    if (input->kind != kind)
        return 0;
    memcpy(bytes, input->data, input->bytes);
    return input->bytes;
}

/* Makes the question with this number from the match alone, so that it can be asked again. */
static void make_question(const struct asking *asking, uint32_t index, struct question *question)
{
    const ls_sim *sim = asking->sim;
    ls_random_stream stream =
        ls_random_child(ls_random_root(asking->self->match->match.seed), index);
    uint32_t players = asking->self->match->match.player_count;
    bool is_state = sim->state_bytes && (!sim->input_is_valid || ls_random_draw(stream, 0) % 2);
    uint8_t kind = is_state ? LS_STATE : LS_INPUT;
    memset(question->bytes, 0, sizeof question->bytes);
    uint32_t count = real_bytes(asking, ls_random_child(stream, 1), kind, question->bytes);
    if (is_state)
        count = sim->state_bytes;
    uint32_t made = ls_random_inputs_bytes(ls_random_child(stream, 2), question->bytes, count);
    question->input =
        (ls_input){.player = (uint8_t)ls_random_below(ls_random_draw(stream, 1), players),
                   .kind = kind,
                   .bytes = (uint16_t)(is_state ? sim->state_bytes : made),
                   .data = question->bytes};
}

static void describe(const struct question *question, char *text, size_t room)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * PRINTED_BYTES + 1] = "";
    uint32_t count = question->input.bytes;
    for (uint32_t i = 0; i < count && i < PRINTED_BYTES; i++) {
        hex[2 * i] = digits[question->bytes[i] >> 4];
        hex[2 * i + 1] = digits[question->bytes[i] & 15];
        hex[2 * i + 2] = 0;
    }
    snprintf(text, room, "%s of %u bytes of player %u: %s%s",
             question->input.kind == LS_STATE ? "state" : "order", count, question->input.player,
             hex, count > PRINTED_BYTES ? "..." : "");
}

static bool ask(const struct asking *asking, const struct question *question, uint8_t *place)
{
    ls_input input = question->input;
    memcpy(place, question->bytes, input.bytes);
    input.data = place;
    return ls_sim_accepts(asking->sim, &asking->self->match->match, &input);
}

static ls_status ask_twice(struct asking *asking, ls_child *child, uint32_t index, bool is_second,
                           ls_error *error)
{
    struct question question;
    make_question(asking, index, &question);
    char text[sizeof child->report->doing];
    describe(&question, text, sizeof text);
    memcpy(child->report->doing, text, sizeof text);
    bool at_edge = ask(asking, &question, asking->edge - question.input.bytes);
    memset(asking->other, (int)(index | 1), sizeof asking->other);
    bool at_offset = ask(asking, &question, asking->other + index % 64);
    if (at_edge != at_offset)
        return ls_error_set(error, LS_ERROR_DIVERGED,
                            "the validator %s it at one address and %s it at another: %s",
                            at_edge ? "takes" : "refuses", at_offset ? "takes" : "refuses", text);
    if (is_second && asking->answers[index] != at_edge)
        return ls_error_set(error, LS_ERROR_DIVERGED,
                            "the validator %s it when first asked and %s it after other "
                            "questions: %s",
                            at_edge ? "refuses" : "takes", at_edge ? "takes" : "refuses", text);
    asking->answers[index] = at_edge;
    return LS_OK;
}

/* Asks all questions, then all of them again in the opposite order. */
static ls_status ask_all(struct asking *asking, ls_child *child, ls_error *error)
{
    ls_status status = LS_OK;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < QUESTIONS && !status; i++) {
        status = ask_twice(asking, child, i, false, error);
        taken += asking->answers[i];
        __atomic_store_n(&child->report->ticks, i / 1000, __ATOMIC_RELAXED);
    }
    for (uint32_t i = QUESTIONS; i > 0 && !status; i--) {
        status = ask_twice(asking, child, i - 1, true, error);
        __atomic_store_n(&child->report->ticks, (2 * QUESTIONS - i) / 1000, __ATOMIC_RELAXED);
    }
    snprintf(child->report->note, sizeof child->report->note, "%u of %u made-up inputs taken",
             taken, QUESTIONS);
    return status;
}

ls_status ls_check_case_validator(const ls_check_case *self, ls_child *child, ls_error *error)
{
    struct asking *asking = ls_alloc(sizeof *asking);
    asking->self = self;
    asking->sim = ls_program_sim(self->match->program);
    ls_status status = LS_OK;
    if (!asking->sim->input_is_valid && !asking->sim->state_bytes)
        snprintf(child->report->note, sizeof child->report->note, "it takes no inputs");
    else if (!make_edge(asking))
        status = ls_error_set(error, LS_ERROR_IO, "cannot map two pages");
    else
        status = ask_all(asking, child, error);
    /* the progress counted questions, which are no ticks */
    __atomic_store_n(&child->report->ticks, 0, __ATOMIC_RELAXED);
    ls_free(asking);
    return status;
}
