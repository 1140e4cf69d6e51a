#include "cli/schedule/schedule_draw.h"

#include "cli/common/output.h"
#include "cli/module/sim_load.h"
#include "cli/schedule/measure_match.h"
#include "cli/schedule/schedule_picture.h"
#include "cli/schedule/trace_read.h"

const char *const ls_draw_formats[] = {
    [LS_DRAW_SVG] = "svg", [LS_DRAW_DOT] = "dot", [LS_DRAW_JSON] = "json", NULL};

/* The resources of drawing and of measuring a schedule, in the order in which they are created. */
typedef struct session {
    ls_loaded_sim loaded;
    ls_schedule_graph *graph;
    ls_tick_times times;
    ls_builder text;
} session;

static ls_status open_session(session *self, const ls_match_options *match, uint64_t ticks,
                              ls_error *error)
{
    *self = (session){.graph = NULL};
    ls_status status = ls_sim_load(match->sim, &self->loaded, error);
    if (status)
        return status;
    self->graph = ls_schedule_graph_create(self->loaded.program);
    ls_tick_times_init(&self->times, self->graph, match->threads ? match->threads : 1);
    return ticks ? ls_measure_match(match, ticks, &self->times, error) : LS_OK;
}

static ls_exit close_session(session *self, ls_status status, const ls_error *error)
{
    ls_free(self->text.data);
    ls_tick_times_reset(&self->times);
    ls_schedule_graph_destroy(self->graph);
    ls_sim_unload(&self->loaded);
    return status ? ls_command_fail("schedule", status, error) : LS_EXIT_GOOD;
}

/* Sets the weights of the graph: times that were just measured, or times from a trace. */
static ls_status weigh(session *self, const ls_draw_options *options, ls_error *error)
{
    ls_schedule_graph *graph = self->graph;
    ls_status status = LS_OK;
    uint64_t *weights = ls_alloc(sizeof *weights * (graph->node_count + 1));
    for (uint32_t i = 0; options->ticks && i < graph->node_count; i++)
        weights[i] = self->times.systems[i].total_ns / self->times.ticks;
    if (options->times_path)
        status = ls_trace_read_times(options->times_path, graph, weights, error);
    if (!status)
        ls_schedule_graph_weigh(graph, weights);
    ls_free(weights);
    return status;
}

ls_exit ls_schedule_draw(const ls_match_options *match, const ls_draw_options *options)
{
    static void (*const draw[])(const ls_schedule_picture *picture, ls_builder *text) = {
        [LS_DRAW_SVG] = ls_schedule_picture_svg,
        [LS_DRAW_DOT] = ls_schedule_picture_dot,
        [LS_DRAW_JSON] = ls_schedule_picture_json,
    };
    session self;
    ls_error error;
    bool is_timed = options->ticks > 0 || options->times_path;
    ls_status status = open_session(&self, match, options->ticks, &error);
    if (!status && is_timed)
        status = weigh(&self, options, &error);
    if (!status) {
        ls_schedule_picture picture = {.graph = self.graph, .is_timed = is_timed};
        draw[options->format](&picture, &self.text);
        status = ls_output_write(options->path, &self.text, &error);
    }
    return close_session(&self, status, &error);
}

ls_exit ls_schedule_time(const ls_match_options *match, const ls_draw_options *options)
{
    session self;
    ls_error error;
    ls_status status = open_session(&self, match, options->ticks, &error);
    if (!status) {
        if (options->is_json)
            ls_tick_times_json(&self.times, &self.text);
        else
            ls_tick_times_table(&self.times, &self.text);
        status = ls_output_write(options->path, &self.text, &error);
    }
    return close_session(&self, status, &error);
}
