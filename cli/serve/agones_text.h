/* The requests to the Agones sidecar as texts.
 *   source  https://agones.dev/site/docs/guides/client-sdks/rest/ */
#ifndef LS_AGONES_TEXT_H
#define LS_AGONES_TEXT_H

#include "cli/serve/agones_facts.h"
#include "cli/serve/agones_gameserver.h"
#include "cli/serve/agones_plan.h"

/* The request that sends a tally. */
#define LS_AGONES_REQUEST_OF(tally) ((int)LS_AGONES_TALLY + (int)(tally))

const char *ls_agones_text_method(ls_agones_request request);
const char *ls_agones_text_path(ls_agones_request request);
/* The body of any request but a tally; NULL: none.
 *   owns  ls_free() by the caller */
char *ls_agones_text_body(ls_agones_request request, const char *address, const ls_public_key *key);
/* The body that sets a number or a list. A capacity is never below the number or the length of the
 * list. */
char *ls_agones_text_tally(const ls_agones_facts *facts, ls_agones_tally tally);

#endif
