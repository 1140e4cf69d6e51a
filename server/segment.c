#include "server/segment.h"

#include "core/base/builder.h"
#include <lockstep/recording_series.h>

static void run(ls_job *job)
{
    ls_segment *segment = (ls_segment *)job;
    ls_recorder_config config = {.name = segment->name,
                                 .header = &segment->header,
                                 .keyframe = segment->keyframe,
                                 .link = segment->has_link ? &segment->link : NULL,
                                 .identity = segment->identity};
    segment->recorder = NULL;
    if (segment->open(segment->name, &config.sink, &segment->error) == LS_OK &&
        ls_recorder_begin(&config, &segment->recorder, &segment->error) != LS_OK)
        segment->recorder = NULL;
}

void ls_segment_init(ls_segment *segment, const char *name, const ls_recording_header *header,
                     const ls_identity *identity)
{
    if (!segment->open)
        return;
    segment->job.run = run;
    segment->header = *header;
    segment->header.origin = header->origin ? header->origin : header->salt;
    segment->first_name = ls_text_duplicate(name);
    segment->identity = identity;
}

void ls_segment_reset(ls_segment *segment, ls_jobs *jobs)
{
    ls_job_wait(jobs, &segment->job);
    ls_recorder_destroy(segment->recorder);
    ls_free(segment->first_name);
    ls_free(segment->name);
    *segment = (ls_segment){0};
}

void ls_segment_want(ls_segment *segment, uint64_t tick)
{
    if (!segment->open || segment->header.segment == LS_RECORDING_SEGMENTS_MAX)
        return;
    /* The first attempt is immediate: the file may have failed although the disk works. */
    bool is_first = segment->header.segment == 0 && segment->due == 0;
    segment->is_wanted = true;
    segment->due =
        is_first ? tick : tick + (uint64_t)LS_SEGMENT_PAUSE_S * segment->header.match.tick_rate;
}

uint64_t ls_segment_due(const ls_segment *segment)
{
    return segment->is_wanted && !ls_job_is_busy(&segment->job) ? segment->due : UINT64_MAX;
}

void ls_segment_begin(ls_segment *segment, ls_jobs *jobs, const ls_segment_start *start,
                      const ls_entropy *entropy)
{
    ls_recording_header *header = &segment->header;
    header->segment++;
    header->first_tick = start->keyframe->tick;
    header->first_epoch = start->epoch;
    ls_entropy_fill(entropy, &header->salt, sizeof header->salt);
    ls_free(segment->name);
    segment->name = ls_series_name(segment->first_name, header->segment);
    segment->keyframe = start->keyframe;
    segment->has_link = ls_recorder_get_link(start->failed, &segment->link);
    ls_job_submit(jobs, &segment->job);
}

ls_recorder *ls_segment_take(ls_segment *segment)
{
    ls_recorder *made = segment->recorder;
    segment->recorder = NULL;
    segment->keyframe = NULL;
    segment->is_wanted = false;
    if (!made)
        ls_segment_want(segment, segment->header.first_tick);
    return made;
}
