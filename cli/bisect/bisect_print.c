#include "cli/bisect/bisect_print.h"

#include "core/base/json_writer.h"

#include <inttypes.h>
#include <string.h>

static const char *const words[] = {
    [LS_BISECT_SAME] = "same",   [LS_BISECT_INPUTS] = "inputs",   [LS_BISECT_START] = "start",
    [LS_BISECT_STATE] = "state", [LS_BISECT_FAILURE] = "failure", [LS_BISECT_CRASH] = "crash",
};

static void print_place(const ls_bisect *bisect, ls_builder *text)
{
    if (bisect->kind == LS_BISECT_START)
        ls_builder_add(text, "differ     before the first tick: the setup\n");
    else if (bisect->kind == LS_BISECT_INPUTS)
        ls_builder_add(text, "differ     in the inputs of tick %" PRIu64 "\n", bisect->tick);
    else if (bisect->kind == LS_BISECT_CRASH && bisect->texts[0] && bisect->texts[1])
        ls_builder_add(text, "differ     nowhere before tick %" PRIu64 "\n", bisect->tick);
    else
        ls_builder_add(text, "differ     in tick %" PRIu64 "\n", bisect->tick);
}

static void print_variants(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (bisect->variants[i][0])
            ls_builder_add(text, "run        %s: %s\n", names[i], bisect->variants[i]);
        else if (bisect->variant_count)
            ls_builder_add(text, "run        %s: none of %" PRIu32 " ways ends in its state\n",
                           names[i], bisect->variant_count);
    }
}

static void print_row(ls_builder *text, const char *name, const char *value)
{
    if (value[0])
        ls_builder_add(text, "%-10s %s\n", name, value);
}

static void print_held(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    const ls_divergence *held = &bisect->recorded_diff;
    if (held->writers[0])
        ls_builder_add(text, "system     one of those that write %s: %s\n", held->component,
                       held->writers);
    else
        print_row(text, "system", "unknown");
    print_row(text, "component", held->component);
    if (strcmp(held->columns, held->component) != 0)
        print_row(text, "of", held->columns);
    print_row(text, "entity", held->entity);
    print_row(text, "field", held->field);
    if (held->expected[0] || held->found[0])
        ls_builder_add(text, "value      %s: %s, %s: %s\n", names[0], held->expected, names[1],
                       held->found);
    print_row(text, "known", held->how);
    if (held->agrees_tick)
        ls_builder_add(text,
                       "again      from tick %" PRIu64
                       " on both files have the same roots again: one "
                       "root is wrong by itself, or what differed was written over\n",
                       held->agrees_tick);
}

/* The results of the builds, each in a process of its own. */
static void print_builds(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    if (bisect->is_apart && bisect->has_difference)
        ls_builder_add(text,
                       "apart      each in a process of its own they differ in tick %" PRIu64
                       " already\n",
                       bisect->apart_tick);
    else if (bisect->is_apart)
        ls_builder_add(text, "apart      each in a process of its own; in one they come to the "
                             "same, or differ later\n");
    for (uint32_t i = 0; i < 2; i++) {
        if (bisect->recorded[i] == LS_BISECT_AGREES)
            ls_builder_add(text, "recording  %s: agrees with it\n", names[i]);
        else if (bisect->recorded[i] == LS_BISECT_DEPARTS_START)
            ls_builder_add(text, "recording  %s: differs from it before the first tick\n",
                           names[i]);
        else if (bisect->recorded[i] == LS_BISECT_DEPARTS)
            ls_builder_add(text, "recording  %s: differs from it in tick %" PRIu64 "\n", names[i],
                           bisect->recorded_ticks[i]);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (bisect->floats[i] && bisect->floats[i][0])
            ls_builder_add(text,
                           "floats     %s: loading it changes how the whole process computes with "
                           "them: %s\n",
                           names[i], bisect->floats[i]);
}

static const char *next_of(const ls_bisect *bisect)
{
    return bisect->is_apart
               ? "look for what loading a build changes in its process: constructors, libraries, "
                 "how it is linked (-ffast-math)"
               : "the difference does not show again here: give the build of the second side with "
                 "--other, or look at the match with `lockstep explain`";
}

void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    if (bisect->kind == LS_BISECT_SAME) {
        ls_builder_add(text, "same       %" PRIu64 " ticks\n", bisect->ticks);
        print_builds(bisect, names, text);
        return;
    }
    print_place(bisect, text);
    for (uint32_t i = 0; bisect->has_roots && i < 2; i++)
        ls_builder_add(text, "root       %s: %016" PRIx64 "\n", names[i], bisect->roots[i]);
    print_builds(bisect, names, text);
    const char *word = bisect->kind == LS_BISECT_INPUTS  ? "inputs"
                       : bisect->kind == LS_BISECT_CRASH ? "crashes"
                                                         : "refuses";
    for (uint32_t i = 0; i < 2; i++) {
        if (bisect->texts[i])
            ls_builder_add(text, "%-10s %s: %s\n", word, names[i], bisect->texts[i]);
    }
    print_variants(bisect, names, text);
    if (bisect->is_guess)
        ls_builder_add(text, "guess      what follows is how two runs here differ\n");
    if (bisect->has_difference)
        ls_first_difference_print(&bisect->difference, names, text);
    print_row(text, "rerun", bisect->trouble.text);
    if (bisect->has_difference && bisect->has_recorded_diff)
        ls_builder_add(text, "recorded   what follows is how the two files differ\n");
    if (bisect->has_recorded_diff)
        print_held(bisect, names, text);
    if (!bisect->has_difference && bisect->has_roots)
        print_row(text, "next", next_of(bisect));
}

static void add_held(const ls_bisect *bisect, ls_builder *text)
{
    const ls_divergence *held = &bisect->recorded_diff;
    ls_json_words(text, "rerun", bisect->trouble.text);
    if (!bisect->has_recorded_diff) {
        ls_json_string(text, "recorded", NULL);
        return;
    }
    ls_json_open(text, "recorded", '{');
    ls_json_u64(text, "seen_tick", held->seen_tick);
    if (held->agrees_tick)
        ls_json_u64(text, "agrees_tick", held->agrees_tick);
    ls_json_words(text, "component", held->component);
    ls_json_words(text, "columns", held->columns);
    ls_json_words(text, "writers", held->writers);
    ls_json_words(text, "entity", held->entity);
    ls_json_words(text, "field", held->field);
    ls_json_open(text, "values", '[');
    ls_json_string(text, NULL, held->expected);
    ls_json_string(text, NULL, held->found);
    ls_json_close(text, ']');
    ls_json_words(text, "known", held->how);
    ls_json_close(text, '}');
}

static void add_side(const ls_bisect *bisect, uint32_t side, const char *name, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", name);
    if (bisect->has_roots)
        ls_json_root(text, "root", bisect->roots[side]);
    if (bisect->variants[side][0])
        ls_json_string(text, "run", bisect->variants[side]);
    if (bisect->texts[side])
        ls_json_string(text, "text", bisect->texts[side]);
    if (bisect->recorded[side])
        ls_json_bool(text, "agrees_with_recording", bisect->recorded[side] == LS_BISECT_AGREES);
    if (bisect->recorded[side] == LS_BISECT_DEPARTS)
        ls_json_u64(text, "departs_tick", bisect->recorded_ticks[side]);
    if (bisect->floats[side] && bisect->floats[side][0])
        ls_json_string(text, "floats", bisect->floats[side]);
    ls_json_close(text, '}');
}

void ls_bisect_json(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "result", words[bisect->kind]);
    ls_json_u64(text, "ticks", bisect->ticks);
    if (bisect->kind != LS_BISECT_SAME)
        ls_json_u64(text, "tick", bisect->tick);
    if (bisect->is_apart) {
        ls_json_bool(text, "is_apart", true);
        ls_json_u64(text, "apart_tick", bisect->apart_tick);
    }
    ls_json_open(text, "sides", '[');
    add_side(bisect, 0, names[0], text);
    add_side(bisect, 1, names[1], text);
    ls_json_close(text, ']');
    ls_json_bool(text, "is_guess", bisect->is_guess);
    if (bisect->has_difference) {
        ls_json_key(text, "culprit");
        ls_first_difference_json(&bisect->difference, names, text);
    } else {
        ls_json_string(text, "culprit", NULL);
    }
    add_held(bisect, text);
    ls_json_close(text, '}');
}
