#include "cli/bisect/bisect_print.h"

#include "core/base/json_writer.h"

#include <inttypes.h>

static const char *const words[] = {
    [LS_BISECT_SAME] = "same",   [LS_BISECT_INPUTS] = "inputs",   [LS_BISECT_START] = "start",
    [LS_BISECT_STATE] = "state", [LS_BISECT_FAILURE] = "failure", [LS_BISECT_CRASH] = "crash",
};

static void print_tick(const ls_bisect *bisect, ls_result_writer *result)
{
    bool is_same = bisect->kind == LS_BISECT_SAME;
    if (is_same)
        ls_result_line(result, "same", "%" PRIu64 " ticks", bisect->ticks);
    else if (bisect->kind == LS_BISECT_START)
        ls_result_line(result, "differ", "before the first tick: the setup");
    else if (bisect->kind == LS_BISECT_INPUTS)
        ls_result_line(result, "differ", "in the inputs of tick %" PRIu64, bisect->tick);
    else if (bisect->kind == LS_BISECT_CRASH && bisect->texts[0] && bisect->texts[1])
        ls_result_line(result, "differ", "nowhere before tick %" PRIu64, bisect->tick);
    else
        ls_result_line(result, "differ", "in tick %" PRIu64, bisect->tick);
    ls_json_string(&result->json, "result", words[bisect->kind]);
    ls_json_u64(&result->json, "ticks", bisect->ticks);
    if (!is_same)
        ls_json_u64(&result->json, "tick", bisect->tick);
}

/* Reports what separate processes found that one process did not. */
static void print_apart(const ls_bisect *bisect, ls_result_writer *result)
{
    if (!bisect->is_apart)
        return;
    if (bisect->has_difference)
        ls_result_line(result, "apart",
                       "in separate processes they already differ in tick %" PRIu64 "",
                       bisect->apart_tick);
    else
        ls_result_line(result, "apart",
                       "each in a process of its own; in one they come to the "
                       "same, or differ later");
    ls_json_bool(&result->json, "is_apart", true);
    ls_json_u64(&result->json, "apart_tick", bisect->apart_tick);
}

static void print_recorded(const ls_bisect *bisect, uint32_t side, const char *name,
                           ls_result_writer *result)
{
    ls_bisect_recorded recorded = bisect->recorded[side];
    if (recorded == LS_BISECT_UNCOMPARED)
        return;
    if (recorded == LS_BISECT_AGREES)
        ls_result_line(result, "recording", "%s: agrees with it", name);
    else if (recorded == LS_BISECT_DIVERGES_AT_START)
        ls_result_line(result, "recording", "%s: differs from it before the first tick", name);
    else
        ls_result_line(result, "recording", "%s: differs from it in tick %" PRIu64, name,
                       bisect->recorded_ticks[side]);
    ls_json_bool(&result->json, "agrees_with_recording", recorded == LS_BISECT_AGREES);
    if (recorded == LS_BISECT_DIVERGES)
        ls_json_u64(&result->json, "departs_tick", bisect->recorded_ticks[side]);
}

static void print_side(const ls_bisect *bisect, uint32_t side, const char *name,
                       ls_result_writer *result)
{
    const char *word = bisect->kind == LS_BISECT_INPUTS  ? "inputs"
                       : bisect->kind == LS_BISECT_CRASH ? "crashes"
                                                         : "refuses";
    ls_json_open(&result->json, NULL, '{');
    ls_json_string(&result->json, "name", name);
    if (bisect->has_roots) {
        ls_result_line(result, "root", "%s: %016" PRIx64, name, bisect->roots[side]);
        ls_json_root(&result->json, "root", bisect->roots[side]);
    }
    print_recorded(bisect, side, name, result);
    if (bisect->floats[side] && bisect->floats[side][0]) {
        ls_result_line(result, "floats",
                       "%s: loading it changes how the whole process computes with them: %s", name,
                       bisect->floats[side]);
        ls_json_string(&result->json, "floats", bisect->floats[side]);
    }
    if (bisect->texts[side]) {
        ls_result_line(result, word, "%s: %s", name, bisect->texts[side]);
        ls_json_string(&result->json, "text", bisect->texts[side]);
    }
    if (bisect->variants[side][0]) {
        ls_result_line(result, "run", "%s: %s", name, bisect->variants[side]);
        ls_json_string(&result->json, "run", bisect->variants[side]);
    } else if (bisect->variant_count) {
        ls_result_line(result, "run", "%s: none of %" PRIu32 " ways ends in its state", name,
                       bisect->variant_count);
    }
    ls_json_close(&result->json, '}');
}

/* Reports the difference between the two sides' runs of the tick. */
static void print_difference(const ls_bisect *bisect, const char *const names[2],
                             ls_result_writer *result)
{
    ls_result_writer culprit;
    if (bisect->is_guess)
        ls_result_line(result, "guess", "what follows is how two runs here differ");
    ls_json_bool(&result->json, "is_guess", bisect->is_guess);
    if (!bisect->has_difference) {
        ls_json_string(&result->json, "culprit", NULL);
        return;
    }
    ls_result_begin(&culprit, "");
    ls_first_difference_print(&bisect->difference, names, &culprit);
    ls_result_end(&culprit);
    ls_result_add(result, "culprit", &culprit);
}

static void print_files(const ls_bisect *bisect, const char *const names[2],
                        ls_result_writer *result)
{
    const ls_divergence *files = &bisect->recorded_diff;
    if (!bisect->has_recorded_diff) {
        ls_json_string(&result->json, "recorded", NULL);
        return;
    }
    if (bisect->has_difference)
        ls_result_line(result, "recorded", "what follows is how the two files differ");
    if (!files->writers[0])
        ls_result_line(result, "system", "unknown");
    ls_json_open(&result->json, "recorded", '{');
    ls_json_u64(&result->json, "seen_tick", files->seen_tick);
    ls_divergence_print_cell(files, result);
    if (files->expected[0] || files->found[0])
        ls_result_line(result, "value", "%s: %s, %s: %s", names[0], files->expected, names[1],
                       files->found);
    ls_json_open(&result->json, "values", '[');
    ls_json_string(&result->json, NULL, files->expected);
    ls_json_string(&result->json, NULL, files->found);
    ls_json_close(&result->json, ']');
    ls_result_words(result, "known", "known", files->how);
    if (files->agrees_tick) {
        ls_result_line(result, "again",
                       "from tick %" PRIu64 " on both files have the same roots again: one root is "
                       "wrong by itself, or what differed was written over",
                       files->agrees_tick);
        ls_json_u64(&result->json, "agrees_tick", files->agrees_tick);
    }
    ls_json_close(&result->json, '}');
}

static const char *next_of(const ls_bisect *bisect)
{
    return bisect->is_apart
               ? "look for what loading a build changes in its process: constructors, libraries, "
                 "how it is linked (-ffast-math)"
               : "the difference does not show again here: give the build of the second side with "
                 "--other, or look at the match with `lockstep explain`";
}

void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_result_writer *result)
{
    print_tick(bisect, result);
    print_apart(bisect, result);
    ls_json_open(&result->json, "sides", '[');
    for (uint32_t i = 0; i < 2; i++)
        print_side(bisect, i, names[i], result);
    ls_json_close(&result->json, ']');
    print_difference(bisect, names, result);
    ls_result_words(result, "rerun", "rerun", bisect->trouble.text);
    print_files(bisect, names, result);
    if (!bisect->has_difference && bisect->has_roots)
        ls_result_line(result, "next", "%s", next_of(bisect));
}
