#include "desync/bisect.h"

#include <inttypes.h>

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

static void print_ways(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (bisect->ways[i][0])
            ls_builder_add(text, "run        %s: %s\n", names[i], bisect->ways[i]);
        else if (bisect->way_count)
            ls_builder_add(text, "run        %s: none of %" PRIu32 " ways ends in its state\n",
                           names[i], bisect->way_count);
    }
}

void ls_bisect_print(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    if (bisect->kind == LS_BISECT_SAME) {
        ls_builder_add(text, "same       %" PRIu64 " ticks\n", bisect->ticks);
        return;
    }
    print_place(bisect, text);
    for (uint32_t i = 0; bisect->has_roots && i < 2; i++)
        ls_builder_add(text, "root       %s: %016" PRIx64 "\n", names[i], bisect->roots[i]);
    const char *word = bisect->kind == LS_BISECT_INPUTS  ? "inputs"
                       : bisect->kind == LS_BISECT_CRASH ? "crashes"
                                                         : "refuses";
    for (uint32_t i = 0; i < 2; i++) {
        if (bisect->texts[i])
            ls_builder_add(text, "%-10s %s: %s\n", word, names[i], bisect->texts[i]);
    }
    print_ways(bisect, names, text);
    if (bisect->is_guess)
        ls_builder_add(text, "guess      what follows is how two runs here differ\n");
    if (bisect->has_culprit)
        ls_culprit_print(&bisect->culprit, names, text);
    else if (bisect->has_roots)
        ls_builder_add(text, "system     unknown: the difference does not show again; give the "
                             "build of the second side with --other, or look at the match with "
                             "`lockstep explain`\n");
}

static void add_side(const ls_bisect *bisect, uint32_t side, const char *name, ls_builder *text)
{
    ls_builder_add(text, "{\"name\":");
    ls_builder_add_string(text, name);
    if (bisect->has_roots)
        ls_builder_add(text, ",\"root\":\"%016" PRIx64 "\"", bisect->roots[side]);
    if (bisect->ways[side][0]) {
        ls_builder_add(text, ",\"run\":");
        ls_builder_add_string(text, bisect->ways[side]);
    }
    if (bisect->texts[side]) {
        ls_builder_add(text, ",\"text\":");
        ls_builder_add_string(text, bisect->texts[side]);
    }
    ls_builder_add(text, "}");
}

void ls_bisect_json(const ls_bisect *bisect, const char *const names[2], ls_builder *text)
{
    ls_builder_add(text, "{\"result\":\"%s\",\"ticks\":%" PRIu64, words[bisect->kind],
                   bisect->ticks);
    if (bisect->kind != LS_BISECT_SAME)
        ls_builder_add(text, ",\"tick\":%" PRIu64, bisect->tick);
    ls_builder_add(text, ",\"sides\":[");
    add_side(bisect, 0, names[0], text);
    ls_builder_add(text, ",");
    add_side(bisect, 1, names[1], text);
    ls_builder_add(text, "],\"is_guess\":%s,\"culprit\":", bisect->is_guess ? "true" : "false");
    if (bisect->has_culprit)
        ls_culprit_json(&bisect->culprit, names, text);
    else
        ls_builder_add(text, "null");
    ls_builder_add(text, "}");
}
