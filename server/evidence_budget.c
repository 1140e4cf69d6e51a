#include "server/evidence_budget.h"

#include <lockstep/evidence_limits.h>

uint64_t ls_evidence_budget_reserve(ls_server_stats *stats, ls_error *error)
{
    uint64_t left = LS_SERVER_EVIDENCE_DISK_BYTES - stats->evidence_bytes;
    if (!left || stats->evidence_files == LS_SERVER_EVIDENCE_FILES) {
        (void)ls_error_set(error, LS_ERROR_LIMIT, "this server's evidence budget is used up");
        return 0;
    }
    uint64_t taken = left < LS_SERVER_EVIDENCE_FILE_BYTES ? left : LS_SERVER_EVIDENCE_FILE_BYTES;
    stats->evidence_bytes += taken;
    stats->evidence_files++;
    return taken;
}

void ls_evidence_budget_release(ls_server_stats *stats, uint64_t bytes)
{
    stats->evidence_bytes -= bytes;
}
